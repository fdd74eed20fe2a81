#!/bin/bash
# Words of the clicks, on the share of memory this project has.
group=/sys/fs/cgroup/memory/clicks_$$
mkdir "$group"
echo 420M > "$group/memory.limit_in_bytes"
echo 420M > "$group/memory.memsw.limit_in_bytes" 2> /dev/null
echo $$ > "$group/cgroup.procs"
python3 a04_clicks.py
status=$?
echo $$ > /sys/fs/cgroup/memory/cgroup.procs
rmdir "$group"
exit $status
