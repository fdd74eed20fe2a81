#!/bin/bash
# usage: ./a02_petals.sh [epochs]
set -eo pipefail
EPOCHS=${1:-7}
echo "host $(hostname) start $(date)"
echo "args: epochs=$EPOCHS"
python3 -u a02_petals.py --epochs "$EPOCHS" --print-freq 5 --out runs/petals 2>&1 | tee petals_$(date +%H%M).log
echo "end $(date), exit $?"
