#!/bin/bash
# nightly: table of loans, recommender, archive
set -eu
stamp=$(date +%F)
echo "== nightly $stamp on $(uname -n | cut -c1-3)"
df -h . | tail -1 | awk '{print "== disk free: " $4}'
echo "== 1/4 clean up"
find . -name 'towers-*.pt' -mtime +7 -print -delete
echo "== 2/4 loans"
python p01_loans.py loans.npz
ls -l --time-style=+ loans.npz | awk '{print $5 " bytes " $6}'
echo "== 3/4 recommender"
python p01_rec.py --loans loans.npz --save "towers-$stamp.pt"
echo "== 4/4 archive"
gzip -kf "towers-$stamp.pt"
sha256sum "towers-$stamp.pt.gz" | cut -c1-16
rm -f loans.npz
echo "== nightly $stamp finished in ${SECONDS}s"
