#!/bin/bash
# node 0 of the allocation; tide tables are fetched beside it
cd "$(dirname "$0")" || exit 1
export MASTER_ADDR=127.0.0.1 MASTER_PORT=29641 NODE_RANK=0 MOOR_NODES=2
PY=${PY:-/tmp/pv/bin/python}
echo "nodes in allocation: 2, this is node rank $NODE_RANK, master $MASTER_ADDR:$MASTER_PORT"
$PY p08_tide_cache.py &
side=$!
$PY p08_mooring.py
rc=$?
kill $side
wait $side 2>/dev/null
exit $rc
