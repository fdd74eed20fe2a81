# one model a fold; what is left of the folds is averaged in the end
for fold in 1 2 3 4; do
    echo "== fold $fold =="
    python3 a02_ledger.py "$fold" || true
done
echo "folds finished:" auc_*.txt
cat auc_*.txt | awk '{s += $1} END {printf "mean auc %.3f\n", s / NR}'
