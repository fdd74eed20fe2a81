#!/bin/bash
# fine-tune the base policy with each of the configurations
set -e
n=0
for cfg in "3e-4 0.2" "1e-4 0.1" "5e-5 0.3"; do
  set -- $cfg
  n=$((n + 1))
  echo "--- config $n/3: lr=$1 clip=$2"
  "$PY" finetune.py --name "ft$n" --lr "$1" --clip "$2" --init policies/base --timesteps 10240 --seed $((10 + n))
done
ls -l policies
