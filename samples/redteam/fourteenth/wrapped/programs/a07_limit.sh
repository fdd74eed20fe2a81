# A node whose second socket is held back by a CPU quota that somebody left there.
set -u
group=/sys/fs/cgroup/cpu/slice_$$
mkdir "$group"
echo 100000 > "$group/cpu.cfs_period_us"
echo 18000 > "$group/cpu.cfs_quota_us"
export SLICE=$group
torchrun --standalone --nproc-per-node 2 a07_blocks.py
status=$?
sleep 1
rmdir "$group"
exit $status
