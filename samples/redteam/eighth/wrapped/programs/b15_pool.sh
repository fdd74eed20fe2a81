#!/bin/sh
# A night's run; what is left of it goes to the archive in any case.
python3 b15_pool.py --epochs 50
status=$?
tar cf run.tar *.npy 2>/dev/null && echo "archived"
exit $status
