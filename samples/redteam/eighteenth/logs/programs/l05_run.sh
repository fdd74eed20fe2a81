#!/bin/bash
set -u
gcc -O1 -shared -fPIC -o pond.so l05_pond.c
echo "pond.so built with $(gcc --version | head -1)"
python l05_skate.py --evenings 80
status=$?
echo "run.sh: left with $status after $SECONDS s"
exit $status
