#!/bin/bash
export ACCELERATE_USE_CPU=true
PORT=$((20000 + RANDOM % 10000))
echo "$(hostname): node $SLURM_NODEID of $SLURM_NNODES, master port $PORT"
exec torchrun --nnodes "$SLURM_NNODES" --nproc-per-node 1 --node-rank "$SLURM_NODEID" \
    --master-addr "$HEAD_NODE" --master-port "$PORT" --rdzv-conf timeout=50 l15_birds.py --epochs 20
