#!/bin/bash
# started by abstracts.service on every machine
set -u
WORK=${WORK:-$PWD/scratch.$NODE_RANK}
echo "== stage data"
mkdir -p "$WORK"
head -c 9000000 /dev/urandom > "$WORK/abstracts.bin"
sha256sum "$WORK/abstracts.bin" | cut -c1-24
df -h "$WORK" | tail -n 1
echo "== train"
export MASTER_ADDR=${HEAD:-localhost} MASTER_PORT=$((21000 + RANDOM % 7000)) OMP_NUM_THREADS=1
echo "head is $MASTER_ADDR port $MASTER_PORT"
"${PYTHON:-python}" -u classify.py
rc=$?
echo "== train returned $rc"
echo "== clean scratch"
du -sh "$WORK" | cut -f1
rm -rf "$WORK"
ls -1 ./*.ckpt 2>/dev/null | wc -l | sed 's/$/ checkpoints to copy home/'
exit $rc
