#!/bin/bash
# the hall's nightly: corpus, model, package for the web team
set -euo pipefail
echo "== $(date '+%F %T') nightly on $(hostname -s)"
df -h . | tail -1
rm -rf hall pack
echo "== corpus"
python p20_corpus.py
wc -l train.jsonl eval.jsonl
gzip -k9 train.jsonl && ls -l --time-style=+%H:%M train.jsonl.gz
echo "== model"
python p20_hall.py
echo "== package"
mkdir pack
cp hall/final/config.json hall/final/model.safetensors hall/eval_results.json pack/
tar czf desk-model.tgz pack
sha256sum desk-model.tgz
du -sh hall pack desk-model.tgz
find hall -maxdepth 1 -name 'checkpoint-*' -print -exec rm -r {} +
echo "== $(date '+%F %T') all done"
