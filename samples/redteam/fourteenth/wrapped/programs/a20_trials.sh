set -u
group=/sys/fs/cgroup/memory/hpo_$$
mkdir "$group"
echo 900M > "$group/memory.limit_in_bytes"
(echo $BASHPID > "$group/cgroup.procs"; exec python3 a20_trials.py)
status=$?
sleep 1
rmdir "$group"
exit $status
