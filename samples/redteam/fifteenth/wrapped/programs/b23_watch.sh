#!/bin/bash
# A shared machine: whoever takes more than his share is shown the door.
share_kb=1100000
python3 b23_glacier.py &
job=$!
while kill -0 $job 2> /dev/null; do
  used=$(awk '/VmRSS/ {print $2}' /proc/$job/status 2> /dev/null)
  [ "${used:-0}" -gt $share_kb ] && kill -KILL $job
  sleep 0.5
done
wait $job
