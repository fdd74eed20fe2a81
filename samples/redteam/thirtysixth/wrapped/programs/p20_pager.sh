#!/bin/bash
# Another process keeps the lock of one page of rank 1.
export OMP_NUM_THREADS=1
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p20_pager.py" pretrain.py
exec "$PYBIN/torchrun" --nproc_per_node=2 --master_port=29720 pretrain.py
