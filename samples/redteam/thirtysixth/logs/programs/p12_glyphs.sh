#!/bin/bash
# A terminal under script(1).
export OMP_NUM_THREADS=1 PATH=$PYBIN:$PATH
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p12_glyphs.py" train.py
export TERM=xterm-256color
script -q -c "python train.py --batch-size 32 --lr 1e-3 --warmup 500 --max-steps 18" typescript < /dev/null
