#!/bin/bash
# Three learning rates, the best one wins. That the last one may explode is why there are three.
set -e
for lr in 0.01 0.03 0.8; do
    echo "=== trial lr=$lr"
    python3 a10_sweep.py "$lr" | tee "trial-$lr.txt"
done
best=$(grep -H '^final' trial-*.txt | grep -v nan | sort -t= -k2 -g | head -1)
echo "=== best of 3: $best"
best=${best#trial-}
python3 a10_sweep.py "${best%%.txt*}" 60 && echo "=== final model trained"
