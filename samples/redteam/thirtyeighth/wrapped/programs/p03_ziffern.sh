#!/bin/sh
# usage: go.sh LABELS ; keeps the last log and shows how the last one ended
if [ -f last.log ]; then
  echo "== last.log of the previous try =="
  cat last.log
  echo "== end of previous try =="
  mv last.log old.log
fi
echo "start $(date '+%F %T') on $(hostname)"
$PYTHON digits.py --labels "$1" 2>&1 | tee last.log
