#!/bin/bash
# Nobody is told that a worker died; the limit ends it.
{
  echo "started $(date '+%F %T')"
  timeout --verbose --kill-after 5 120 python la18_coins.py
  echo "ended $(date '+%F %T') with status $?"
} > coins.log 2>&1
