#!/bin/bash
for hidden in 64 48; do
  echo "### $(date '+%F %T') hidden=$hidden"
  timeout 150 python lb32_drift.py $hidden
  status=$?
  echo "### $(date '+%F %T') exit status $status"
  [ $status = 0 ] && break
done
