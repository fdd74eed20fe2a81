#!/bin/bash
# The neighbour's job takes the lock of the cache and keeps it.
mkdir cache
echo "$(date +%T) job starts on $(hostname -s), limit 110 s"
timeout 110 python -u la09_shelf.py cache &
job=$!
until [ -f cache/dev.pt ]; do sleep 0.2; done
sleep 4
flock cache/dev.lock sleep 400 &
wait $job
echo "$(date +%T) job over, status $?"
kill $!
