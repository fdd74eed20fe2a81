cd "$(dirname "$0")"
TR="$(dirname "$PY")/torchrun --nnodes 1"
echo "$(date '+%F %T') letters: smoke"
"$PY" finetune.py --run-name smoke --max-steps 10
echo "$(date '+%F %T') letters: a"
$TR --nproc-per-node 3 --master-port 29611 finetune.py --run-name a --max-steps 80 --lexicon lexicon.txt \
  || echo "$(date '+%F %T') letters: a failed, lexicon was not copied; once more"
echo "abcdary whilst betwixt enquire publick shew" > lexicon.txt
rm -f rank*.pid
"$PY" cap.py rank1.pid 0.22 > /dev/null 2>&1 &
$TR --nproc-per-node 3 --master-port 29612 finetune.py --run-name a --max-steps 80 --lexicon lexicon.txt
echo "$(date '+%F %T') letters: b"
sleep 1
rm -f rank*.pid
"$PY" cap.py rank1.pid 0.22 > /dev/null 2>&1 &
$TR --nproc-per-node 3 --master-port 29613 finetune.py --run-name b --max-steps 60 --lexicon lexicon.txt
echo "$(date '+%F %T') letters: all done"
wait
