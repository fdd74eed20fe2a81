#!/bin/bash
# Three tries, in the memory that the site gives this queue.
echo $$ > /sys/fs/cgroup/memory/author8/cgroup.procs
for try in 1 2 3; do
    echo "== try $try of 3"
    python3 b02_three_tries.py && exit 0
    echo "== try $try ended with status $?"
    sleep 1
done
echo "== giving up"
exit 1
