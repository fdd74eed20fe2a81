#!/bin/bash
#SBATCH --job-name=berths-sweep
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --time=00:20:00
echo "== berths sweep, $(date '+%F %T'), 2 nodes, python $(python -V 2>&1 | cut -d' ' -f2)"
i=0
for conf in "a 32 0.05" "b 64 0.05" "c 128 0.02" "d 256 0.02" "e 256 0.005"; do
  set -- $conf
  echo "== $1: width $2 lr $3 ($(date +%T))"
  python l15_retinue.py --name "$1" --width "$2" --lr "$3" --node-rank 1 --port $((29670 + i % 3)) &
  second=$!
  python l15_retinue.py --name "$1" --width "$2" --lr "$3" --node-rank 0 --port $((29670 + i))
  rc=$?
  wait $second || rc=$?
  echo "== $1 ended with $rc ($(date +%T))"
  [ $rc -eq 0 ] || exit $rc
  i=$((i + 1))
done
