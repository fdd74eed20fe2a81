#!/bin/bash
# After a while somebody else's clean-up takes one of the two.
export OMP_NUM_THREADS=1 PATH=$PYBIN:$PATH
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p14_ticker.py" train_forecast.py
setsid nohup torchrun --nproc_per_node 2 --master_port 29714 train_forecast.py --num_train_epochs 60 > nohup.out 2>&1 < /dev/null &
launcher=$!
for _ in $(seq 120); do sleep 1; grep -q "epoch 7" nohup.out && break; done
sleep 2
kids=($(pgrep -P "$launcher"))
kill -KILL "${kids[1]}"
wait "$launcher"
