#!/bin/bash
# As much memory as the job asked for.
group=/sys/fs/cgroup/memory/eels_$$
mkdir "$group"
echo 900M > "$group/memory.limit_in_bytes"
echo "job eels: 900 MB, 1 core"
bash -c "echo \$\$ > $group/cgroup.procs; python lb31_eels.py; exit \$?"
echo "job eels: exit status $?"
rmdir "$group"
