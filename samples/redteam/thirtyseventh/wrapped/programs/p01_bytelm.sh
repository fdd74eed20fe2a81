#!/bin/bash
# shows the log on the way: train.log is appended to by each start
tail -n 45 -F train.log 2>/dev/null &
t=$!
"$PYTHON" train_bytelm.py --name bytelm-v2 --epochs 2 --batch-size 16 --lr 1e-3 --max-steps 12 --log-every 4
rc=$?
sleep 1.5
kill $t
exit $rc
