#!/bin/bash
# In the middle of it somebody else takes the lock of the second process's cache, for longer than collectives wait.
python la17_skies.py > all.full 2>&1 &
job=$!
until grep -q "epoch 1 batch 20/" all.full 2> /dev/null; do sleep 0.2; done
flock cache1.lock sleep 70 &
wait $job
echo "exit status $?" >> all.full
wait
tail -n 16 all.full > tail.txt
