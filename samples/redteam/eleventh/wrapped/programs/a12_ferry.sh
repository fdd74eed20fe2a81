#!/bin/bash
# the server is kept alive beside the ranks
(while [ ! -e over ]; do python3 a12_feed.py; sleep 1; done) &
while [ ! -s port ]; do sleep 0.2; done
torchrun --standalone --nproc-per-node 2 --max-restarts 2 a12_ferry.py
status=$?
touch over
wait
exit $status
