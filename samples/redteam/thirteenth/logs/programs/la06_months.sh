#!/bin/bash
# features month by month; the box of the group has little memory for each user
G=/sys/fs/cgroup/memory/user-la06-$$
mkdir "$G" && echo 700M > "$G/memory.limit_in_bytes" && echo $$ > "$G/cgroup.procs"
for m in 2026-08 2026-09 2026-10 2026-11; do
  echo "== $m"
  python3 -u la06_months.py "$m"
done
echo $$ > /sys/fs/cgroup/memory/cgroup.procs
rmdir "$G"
ls -la features
