#!/bin/bash
# three trials, one after the other
for crop in 96 160 448; do
    echo "=== trial crop=$crop $(date '+%F %T')"
    python l09_cells.py --crop $crop --epochs 9
done
ls -l *.pt
echo "=== trials over $(date '+%F %T')"
