#!/bin/bash
# pod: 1 GiB
G=/sys/fs/cgroup/memory/pod-b03-$$
mkdir "$G" && echo 1000M > "$G/memory.limit_in_bytes" && echo $$ > "$G/cgroup.procs"
python3 b03_loader.py 2>&1 | tee loader.log
rc=${PIPESTATUS[0]}
echo $$ > /sys/fs/cgroup/memory/cgroup.procs
rmdir "$G"
exit "$rc"
