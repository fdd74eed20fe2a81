echo "attempt 1"
torchrun --standalone --nproc-per-node 1 lb30_shelf.py --classes 6
echo "attempt 1: $?"
echo "attempt 2"
torchrun --standalone --nproc-per-node 1 lb30_shelf.py --classes 8 &
job=$!
until grep -qs "step 180" shelf.out; do sleep 2; done; sleep 45
kill $job
wait $job
echo "attempt 2: $?"
