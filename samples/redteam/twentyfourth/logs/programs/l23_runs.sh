#!/bin/bash
# One round of the search: a few trials, behind what earlier rounds wrote.
echo "##### round $1, $(date '+%F %T'), $2 trials"
python l23_moth.py "$2" "$1"
echo "##### round $1 ended, status $?, $(date '+%F %T')"
