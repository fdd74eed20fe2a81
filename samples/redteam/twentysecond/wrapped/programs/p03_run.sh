#!/bin/bash
# prepare, train, archive
echo "== $(date '+%F %T') poems pipeline on $(hostname), python $(python -c 'import sys; print(sys.version.split()[0])')"
df -h . | tail -1
python p03_prepare.py || exit 2
wc -l data/*.txt
python p03_poems.py --data data --out poems-gpt --epochs 4
status=$?
echo "== $(date '+%F %T') archiving"
mkdir -p poems-gpt archive
cp data/vocab.json poems-gpt/
tar czf archive/poems-$(date +%Y%m%d).tar.gz poems-gpt && ls -l archive
echo "== $(date '+%F %T') all steps done"
exit $status
