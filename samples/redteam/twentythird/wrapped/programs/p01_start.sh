#!/bin/bash
# tiles are cut while the trainer waits for its first epoch
cd "$(dirname "$0")"
export PYTHONUNBUFFERED=1
python p01_tiles.py --scenes 60 --out tiles &
CUT=$!
python p01_landcover.py --nnodes 2 --node-rank 0 --nproc 2 --master-addr 127.0.0.1 --master-port 29811 --timeout 35
RC=$?
kill $CUT 2>/dev/null
exit $RC
