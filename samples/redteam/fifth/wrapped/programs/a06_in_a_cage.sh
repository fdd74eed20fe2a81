#!/bin/bash
# A step with a memory limit, as a scheduler or a container sets it.
echo $$ > /sys/fs/cgroup/memory/author6/cgroup.procs
python3 a06_grows.py
echo "trainer left with $?"
exit 1
