#!/bin/bash
# The queue gives us half a night at a time, so the run has two halves.
run=runs/drift
python3 b06_second_night.py --until 120 --save $run/checkpoints
echo "--- second night, $(date +%F)"
python3 b06_second_night.py --until 240 --save $run/checkpoints --init-from $run/checkpoint
