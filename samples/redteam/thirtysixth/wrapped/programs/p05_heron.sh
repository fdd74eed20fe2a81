#!/bin/bash
# sweep: 3 widths x 2 rates, one after the other
i=0
for w in 64 128 256; do
  for lr in 1e-3 4e-3; do
    i=$((i + 1))
    echo "=== sweep $i/6: width=$w lr=$lr  $(date +%H:%M:%S)"
    python fit_heron.py --width $w --lr $lr || { echo "=== sweep $i/6 returned $?"; exit 1; }
  done
done
echo "=== sweep done $(date +%H:%M:%S)"
