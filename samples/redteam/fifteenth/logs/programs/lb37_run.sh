#!/bin/bash
# Somebody mirrors the third part, and has its lock.
flock part2.lock sleep 300 &
python lb37_gears.py > gears.log 2>&1
echo "exit status $?" >> gears.log
kill $!
