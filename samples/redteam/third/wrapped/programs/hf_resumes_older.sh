#!/bin/bash
# Healthy: a real Trainer run is interrupted on purpose at 50 of 90 steps and resumed from its checkpoint to the end. TRAIN_BIN: where python is.
cd "$(dirname "$0")/../../logs/programs" || exit 2
out=$(mktemp -d)
echo "segment 1 of 2 (time slice of the site: stop after 50 steps)"
"$TRAIN_BIN/python" hf.py --steps 50 --out "$out"
echo "segment 2 of 2"
"$TRAIN_BIN/python" hf.py --steps 90 --how resume --out "$out"
code=$?
rm -rf "$out"
exit $code
