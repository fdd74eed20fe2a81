#!/bin/bash
# the slot on the shared box: 80 s in this try-out
{
  echo "$(date '+%F %T') start on $(hostname), slot ${SLOT:=80} s"
  timeout --verbose "$SLOT" "$PYTHON" ctr.py --rounds 2000
  rc=$?
  echo "$(date '+%F %T') exit code $rc"
} 2>&1 | tee ctr.log
