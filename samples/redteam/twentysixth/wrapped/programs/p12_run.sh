#!/bin/bash
# ./run.sh EXP UNTIL : data, training, averaging, pack
set -euo pipefail
exp=$1; until=$2
echo "[$(date +%T)] stage 0: disk"
df -h . | tail -1
mkdir -p data
echo "[$(date +%T)] stage 1: lists"
for s in train dev; do
  seq -f "vd_${s}_%05g" 1 $([ $s = train ] && echo 4000 || echo 150) > data/$s.lst
  echo "  $(wc -l < data/$s.lst) utterances in data/$s.lst, md5 $(md5sum data/$s.lst | cut -c1-8)"
done
if [ -f $exp/train.log ]; then
  echo "[$(date +%T)] stage 2: $exp was trained before, going on to epoch $until; it ended with"
  grep 'dev WER' $exp/train.log | tail -3 | sed 's/^/  | /'
else
  echo "[$(date +%T)] stage 2: training $exp to epoch $until"
fi
python p12_asr.py --exp $exp --until $until 2>&1 | tee -a $exp.log
mkdir -p $exp; cat $exp.log >> $exp/train.log; rm $exp.log
echo "[$(date +%T)] stage 3: pack"
tar czf $exp.tgz $exp/net.ep*.pt $exp/state.json && ls -l $exp.tgz
echo "[$(date +%T)] stage 4: old nets out"
ls -t $exp/net.ep*.pt | tail -n +3 | xargs -r rm -v
echo "[$(date +%T)] done"
