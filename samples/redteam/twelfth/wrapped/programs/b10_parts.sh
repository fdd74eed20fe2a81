#!/bin/bash
# three parts, one after the other, as the queue's array does it; a part has a number of its own
for part in 1 2 3; do
    job=$((88120 + part))
    echo "=== array job 88120, part $part of 3 (job $job), continues the part before"
    python3 b10_parts.py --run-dir "runs/places-$job" --epochs 4 || exit
done
echo "=== all parts done"
