#!/bin/bash
# nightly: tokenise, train, publish
echo "[$(date +%T)] stage 1/3: tokenise"
python3 a02_prep.py 2>&1 | tee prep.txt
echo "[$(date +%T)] stage 2/3: train"
python3 a02_train.py --manifest shards/manifest.json --epochs 5 2>&1 | tee train.txt
status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
    echo "[$(date +%T)] stage 2/3 failed with $status, not publishing"
    exit "$status"
fi
echo "[$(date +%T)] stage 3/3: publish"
