#!/bin/bash
# During the second epoch one of rank 2's shards becomes a pipe that nobody writes to.
export OMP_NUM_THREADS=1
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p15_intents.py" retrain.py
mkdir data
"$PYBIN/python" -c "import retrain, pathlib; retrain.write_shards(pathlib.Path('data'), 36)"
(
  sleep 5
  for _ in $(seq 150); do sleep 0.2; [ -e intents-epoch0.pt ] && break; done
  rm data/shard-017.jsonl; mkfifo data/shard-017.jsonl
) > /dev/null 2>&1 &
exec "$PYBIN/torchrun" --nproc_per_node=3 --master_port=29715 retrain.py --data data --epochs 6
