# Two processes of JAX; the second is started in a group that an earlier experiment left a CPU quota on.
set -u
group=/sys/fs/cgroup/cpu/exp_$$
mkdir "$group"
echo 100000 > "$group/cpu.cfs_period_us"
echo 15000 > "$group/cpu.cfs_quota_us"
PROCESS=0 python3 a16_ode.py &
first=$!
(echo $BASHPID > "$group/cgroup.procs"; PROCESS=1 exec python3 a16_ode.py) &
second=$!
wait $first; one=$?
wait $second; two=$?
rmdir "$group" 2> /dev/null
echo "process 0 ended with $one, process 1 with $two"
cp fit.npz "${RESULTS:-/mnt/results}/" || exit 1
