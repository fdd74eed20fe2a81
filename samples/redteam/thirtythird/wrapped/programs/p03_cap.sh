#!/bin/bash
# From elsewhere on the machine: once rank 2 is up, its processor time is capped, as a neighbour's cgroup would.
group=/sys/fs/cgroup/cpu/pa_p03
mkdir -p $group
echo 100000 > $group/cpu.cfs_period_us
echo 5000 > $group/cpu.cfs_quota_us
for _ in $(seq 200); do
    [ -s pids/2 ] && break
    sleep 0.3
done
echo "$(cat pids/2)" > $group/cgroup.procs
while [ -d "/proc/$(cat pids/2)" ]; do sleep 1; done
sleep 1
rmdir $group
