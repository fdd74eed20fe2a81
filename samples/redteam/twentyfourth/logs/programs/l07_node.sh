#!/bin/bash
# l07_node.sh STEPS: this machine's part of the job; the other machine is started by hand in the same way.
export STEPS=$1
echo "[$(date '+%F %T')] $(whoami)@$(hostname): torchrun, 2 nodes, steps=$STEPS"
torchrun --nnodes=2 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-id=scene --rdzv-endpoint=127.0.0.1:29607 \
  --rdzv-conf=join_timeout=50,is_host=${2:-1} l07_scene.py
rc=$?
echo "[$(date '+%F %T')] torchrun ended with $rc"
