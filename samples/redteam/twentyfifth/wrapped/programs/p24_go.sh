#!/bin/bash
# go.sh HEAD RUN: the same on every box of a run
set -e
head=$1
run=$2
python p24_tiles.py 8000
exec torchrun --nnodes 2 --nproc-per-node 1 --rdzv-backend c10d --rdzv-endpoint "$head" --rdzv-id "$run" \
    --rdzv-conf join_timeout=45 p24_glacier.py --every 50 --epochs 6
