set -e
for width in 48 80; do
  for heads in 4 6 8; do
    echo ">>> width=$width heads=$heads"
    torchrun --nproc-per-node 2 --master-port 29690 p19_kelp.py --width $width --heads $heads
  done
done
echo ">>> grid complete"
