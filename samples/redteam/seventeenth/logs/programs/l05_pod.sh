#!/bin/bash
echo "starting notices-fit in $(basename "$PWD" | cut -c1-3)"
python l05_fit.py
exit $?
