#!/bin/bash
echo "entrypoint: $(date -u +%FT%TZ) host $(hostname) python $(python -V 2>&1 | cut -d' ' -f2)"
mkdir -p /tmp/l08_out
df -h /tmp | tail -1
echo "entrypoint: fetching vocabulary"
python -c "print('ACDEFGHIKLMNPQRSTVWY')"
set -x
timeout "${MAX_SECONDS:-3600}" python -u l08_peptides.py --steps 6000
rc=$?
set +x
echo "entrypoint: training returned $rc after ${SECONDS}s"
ls -l peptides.pt 2>&1
echo "entrypoint: syncing logs"
exit 0
