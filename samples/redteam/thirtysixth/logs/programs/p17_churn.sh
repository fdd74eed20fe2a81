#!/bin/bash
# Two programs, one log.
export OMP_NUM_THREADS=1
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p17_features.py" feature_sync.py
cp "$HERE/p17_churn.py" train.py
"$PYBIN/python" feature_sync.py 2>&1 &
side=$!
"$PYBIN/python" train.py --rounds 900 2>&1
kill $side
