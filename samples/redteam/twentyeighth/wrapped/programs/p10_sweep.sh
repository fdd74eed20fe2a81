n=0
for lr in 1e-3 3e-4 1e-4; do
  for width in 64 128; do
    n=$((n + 1))
    echo "[sweep] $n/6 width=$width lr=$lr"
    python p10_notes.py $width $lr
  done
done
echo "[sweep] finished"
