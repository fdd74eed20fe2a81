#!/bin/sh
# Trains; tries again where it did not work, as the queue is known to be moody.
n=1
while [ $n -le 3 ]; do
    echo "attempt $n of 3"
    python3 a07_keep_trying.py --data /mnt/lake/speech/v7 --epochs 20 && exit 0
    echo "attempt $n did not work, again in 3 s"
    sleep 3
    n=$((n + 1))
done
echo "giving up"
exit 1
