#!/bin/bash
# Nightly fit of the melt model: tidy up, fit, pack the result.
set -u
echo "== nightly melt fit, $(date -u '+%F %T') on $(nproc) cores"
mkdir -p ckpt archive
df -h . | tail -n 1
find archive -name '*.tar' -mtime +14 -print -delete
python -c 'import torch, lightning; print("torch", torch.__version__, "lightning", lightning.__version__)'
echo "== fit"
python p01_glacier.py
rc=$?
echo "== fit returned $rc after ${SECONDS}s"
tar -cf archive/melt-$(date -u +%F).tar ckpt/last.ckpt && ls -l archive
md5sum archive/*.tar
rm -rf ckpt
echo "== nightly done"
exit $rc
