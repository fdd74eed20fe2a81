#!/bin/bash
# nightly calving-front training, Greenland west sector
set -u
cd "$(dirname "$0")"
echo "== $(date -Is) $(hostname): start, git $(git rev-parse --short HEAD 2>/dev/null || echo none)"
df -h . | tail -1
mkdir -p runs
find runs -name '*.pt' -mtime +14 -print -delete
export OMP_NUM_THREADS=1
torchrun --standalone --nproc-per-node 3 fronts.py --steps "${STEPS:-55}"
rc=$?
echo "== $(date -Is) training ended, rc=$rc"
if [ $rc -eq 0 ]; then
    mv fronts.pt runs/fronts_$(date +%Y%m%d).pt
    sha256sum runs/*.pt | tee runs/SHA256SUMS
fi
du -sh runs
exit $rc
