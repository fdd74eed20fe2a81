#!/bin/bash
# submit on each of the two machines: NODE_RANK=0 here, NODE_RANK=1 over there
set -u
cd "$(dirname "$0")"
export NODES=2 NODE_RANK=${NODE_RANK:-0} MASTER_ADDR=${MASTER_ADDR:-127.0.0.1} MASTER_PORT=${MASTER_PORT:-29417}
echo "== stage $(date +%T)"
mkdir -p scratch results
head -c 6000000 /dev/urandom > scratch/gauges.raw
sha256sum scratch/gauges.raw | tee scratch/gauges.sha256
df -h . | tail -1
echo "== train $(date +%T)"
timeout 75 "${PYTHON:-python3}" train_tides.py
rc=$?
echo "== collect $(date +%T)"
cp -v scratch/gauges.sha256 results/
[ -f tides.ckpt ] && cp -v tides.ckpt results/ || echo "no tides.ckpt to collect"
rm -f scratch/gauges.raw
exit $rc
