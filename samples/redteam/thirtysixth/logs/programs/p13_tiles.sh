#!/bin/bash
export OMP_NUM_THREADS=1 PATH=$PYBIN:$PATH TERM=xterm
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p13_tiles.py" sort_tiles.py
script -q -c "python sort_tiles.py" typescript < /dev/null
