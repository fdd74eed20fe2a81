#!/bin/bash
# Three runs, each added to the same file.
export OMP_NUM_THREADS=1
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p11_topics.py" train_fsdp.py
run() {
  echo "==== $(date '+%a %d %b %Y %H:%M:%S') ==== train_fsdp.py $*" >> fsdp_runs.log
  $PYBIN/torchrun --standalone --nproc_per_node=2 train_fsdp.py "$@" >> fsdp_runs.log 2>&1
  echo "exit $?" >> fsdp_runs.log
}
run --steps 300 --lr 1e-3 --out ckpt/lr1e-3
sleep 3
run --steps 300 --lr 3e-3 --out ckpt/lr3e-3
sleep 2
run --steps 500 --lr 1.5e-3 --out ckpt/final --resume ckpt/lr3e-3
