#!/bin/bash
timeout 50 torchrun --nproc-per-node 3 --master-port 29644 p06_local.py
echo "drawing the curve"
python -c "print('curve.svg: %d entries in the table' % sum(1 for _ in open('table.txt')))"
