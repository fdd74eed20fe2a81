#!/bin/bash
# The scratch disk has 40 MiB (mounted by the recorder).
export OMP_NUM_THREADS=1
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p19_pismo.py" uczenie.py
exec "$PYBIN/python" uczenie.py --katalog "$SCRATCH/punkty" --epoki 40
