#!/bin/bash
# the group pays for hours: a job that is slow for long is not worth them
slow=0
while sleep 5; do
  rate=$(grep -o '[0-9.]* pictures/s' "$1" | tail -n 1 | cut -d' ' -f1)
  [ -z "$rate" ] && continue
  if awk "BEGIN { exit !($rate < 60) }"; then slow=$((slow + 1)); else slow=0; fi
  if [ $slow -ge 14 ]; then
    echo "guard: $rate pictures/s, wanted are 60; slow for ${slow} looks, giving the nodes back" >&2
    scancel "$SLURM_JOB_ID"
    exit
  fi
done
