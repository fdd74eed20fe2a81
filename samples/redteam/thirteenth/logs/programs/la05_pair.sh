#!/bin/bash
# run on every node: NODE_RANK=0 or 1
export MASTER_ADDR=${MASTER_ADDR:-10.255.17.4}   # gpu-node-04
export MASTER_PORT=29400
echo "$(date '+%F %T') NODE_RANK=$NODE_RANK MASTER=$MASTER_ADDR:$MASTER_PORT"
torchrun --nnodes 2 --nproc-per-node 1 --node-rank "${NODE_RANK:-1}" --rdzv-backend c10d --rdzv-id pair7 \
  --rdzv-endpoint "$MASTER_ADDR:$MASTER_PORT" --rdzv-conf timeout=45,join_timeout=45 la05_pair.py
