#!/bin/bash
# usage: ./go.sh RUN [options]   (log goes to galaxy.log, which grows)
run=$1; shift
{
  echo "### $(date '+%a %d %b %H:%M:%S %Y')  $run  $*"
  PYTHONUNBUFFERED=1 /tmp/pv/bin/python galaxy.py --run "$run" "$@"
  echo "### rc=$?"
} 2>&1 | tee -a galaxy.log
