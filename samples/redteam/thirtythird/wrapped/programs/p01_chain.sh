#!/bin/bash
# Two links of a chain: the second goes on where the first ended.
export OMP_NUM_THREADS=1
PY=/tmp/pv/bin/python
set -ex
$PY train_mtl.py --dir runs/mtl3 --epochs 6
$PY train_mtl.py --dir runs/mtl3 --epochs 12 --resume runs/mtl3
