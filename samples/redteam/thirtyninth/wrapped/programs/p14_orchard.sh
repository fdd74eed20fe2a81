#!/bin/bash
# second leg, wider; keeps the log beside the state
cd "$(dirname "$0")"
mkdir -p logs
echo "leg 2 on $(hostname -s), $(date '+%F %T')"
$PYTHON -u orchard.py --width 144 --updates 1600 --rows 52000 --go-on-from leg1/state --state leg2/state 2>&1 | tee logs/leg2.txt
echo "log: $(wc -l < logs/leg2.txt) lines"
gzip -kf logs/leg2.txt
du -sh leg1 logs
