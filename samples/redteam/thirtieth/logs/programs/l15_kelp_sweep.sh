#!/bin/bash
# heads at constant width, over the weekend
set -e
for h in 4 8 10 16; do
    echo "### heads=$h"
    python kelp.py --width 64 --heads $h
done
echo "sweep finished"
