#!/bin/bash
# usage: node.sh NODE_INDEX   (the same on all three nodes; two workers on each)
cd "$(dirname "$0")"
node=${1:?which node}
export MASTER_ADDR=${HEAD:-localhost} MASTER_PORT=29740 WORLD_SIZE=6
echo "== $(date -u +%H:%M:%S) node $node: unpacking tunes"
mkdir -p scratch/tunes && for n in $(seq 1 40); do seq $n 4000 > scratch/tunes/$n.abc; done
tar -C scratch -czf scratch/tunes.tgz tunes && tar -C scratch -xzf scratch/tunes.tgz
md5sum scratch/tunes.tgz
df -h . | tail -1
echo "== $(date -u +%H:%M:%S) node $node: head is $MASTER_ADDR:$MASTER_PORT, $WORLD_SIZE workers in all"
pids=()
for k in 0 1; do
  RANK=$((node * 2 + k)) LOCAL_RANK=$k LOCAL_WORLD_SIZE=2 $PYTHON -u hornpipe.py 2>&1 | sed -u "s/^/[w$((node * 2 + k))] /" &
  pids+=($!)
done
wait "${pids[0]}"; wait "${pids[1]}"
ls hornpipe-ckpt 2>/dev/null || echo "== no checkpoint directory"
echo "== $(date -u +%H:%M:%S) node $node: clearing scratch"
rm -rf scratch
[ -d hornpipe-ckpt ] || exit 9
