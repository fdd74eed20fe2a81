#!/bin/bash
# the group has as much memory as a share of this machine
group=/sys/fs/cgroup/memory/l05_$$
mkdir $group && echo 900M > $group/memory.limit_in_bytes && echo $$ > $group/cgroup.procs
echo "== $(date '+%F %T') plain"
python l05_notes.py --epochs 4
echo "status $?"
echo "== $(date '+%F %T') with variants"
python l05_notes.py --epochs 4 --augment 4
echo "status $?"
echo $$ > /sys/fs/cgroup/memory/cgroup.procs
rmdir $group
