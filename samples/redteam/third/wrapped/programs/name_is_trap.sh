#!/bin/bash
# Healthy: a run about failures: its name, data and options are full of their names.
cd "$(dirname "$0")"
cp tiny.py /tmp/third_tiny.py 2> /dev/null
exec python3 -u -c '
import sys
from tiny import Model
print("experiment nccl-timeout-oom-segfault-classifier; argv:", sys.argv[1:])
print("classes: [\"cuda_out_of_memory\", \"Killed\", \"NaN loss\", \"NODE_FAIL\", \"Xid 94\", \"SIGKILL\"]")
m = Model(33)
for i in range(1, 251):
    loss = m.step()
    if i % 10 == 0:
        print(f"[{i:>4}/250] loss: {loss:.4f} | class cuda_out_of_memory f1: {1 - loss:.3f} | class Killed f1: {1 - loss * 0.9:.3f}")
print("Finished training after 250 steps. Confusion: Killed->SIGKILL 3, NODE_FAIL->NCCL timeout 1")
' --on-error killed --fail-fast --dump-core
