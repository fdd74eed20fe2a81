#!/bin/bash
# before three seeds are trained: does the trainer still refuse nonsense?
set -e
for bad in "--rate -1" "--width 0" "--data nowhere"; do
  if python3 b05_gate.py $bad; then
    echo "gate: '$bad' was accepted, stopping"
    exit 1
  fi
  echo "gate: '$bad' refused, as it should be"
done
for seed in 1 2; do
  python3 b05_gate.py --seed $seed &
done
wait
echo "gate: 3 checks passed, 2 seeds trained"
