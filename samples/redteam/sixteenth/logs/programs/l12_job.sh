#!/bin/bash
#SBATCH -J dialect -o %x-%j.out -e %x-%j.err --mem=6G -c 2
mkdir -p unpacked copy
# an unpacking of yesterday never ended, and still has the lock of one part
flock unpacked/part9.lock sleep 300 &
left=$!
( while sleep 8; do date > unpacked/state.txt; tar -c -v --totals -f copy/unpacked.tar unpacked 2>&1; done ) &
sync=$!
torchrun --standalone --nproc-per-node 2 l12_dialect.py
status=$?
kill $sync $left
echo "dialect: ended with $status"
exit $status
