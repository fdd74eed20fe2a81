#!/bin/sh
# What runs in the virtual machine that vm.py starts, as its first process. The root file system is this machine's own,
# read only; what is recorded leaves through /run/vm/share.
. "$HERE/vm_mounts.sh"
cp "$HERE/vm_job.py" /run/vm/
cp -r /run/vm/share/stubs /run/vm/
"$PYTHON" -c 'import pyarrow, pynvml, inquest.capture.collectors' # read once, so that it is in memory
job="$PYTHON -I -S /run/vm/vm_job.py /run/vm/stubs/libstep.so"
record() { "$PYTHON" -m inquest run --no-fsync --profile full --out "/tmp/$1" --node vm --job-id "$2" -- $3; }

# A limit on the job, and tasks below its step, as Slurm makes them.
groups=/sys/fs/cgroup
echo "+memory +pids +cpu" > $groups/cgroup.subtree_control
for group in slurm slurm/job_4201; do
  mkdir $groups/$group
  echo "+memory +pids +cpu" > $groups/$group/cgroup.subtree_control
done
mkdir $groups/slurm/job_4201/step_0
echo $((420 << 20)) > $groups/slurm/job_4201/memory.max
(
  sh -c 'echo $PPID' > $groups/slurm/job_4201/step_0/cgroup.procs
  record memory_limit 4201 "$job 200 5"
  echo "memory_limit $?" >> /run/vm/share/status
)
cat $groups/slurm/job_4201/memory.events

# The wall clock is set an hour ahead, and two hours back.
(
  record clock_set 4202 "$job 100"
  echo "clock_set $?" >> /run/vm/share/status
) &
sleep 25
date -s "@$(($(date +%s) + 3600))"
sleep 12
date -s "@$(($(date +%s) - 7200))"
wait
sleep 8 # recorders may outlive their jobs by a second, which is longer here
cp -r /tmp/memory_limit /tmp/clock_set /run/vm/share/
uname -r > /run/vm/share/kernel
echo o > /proc/sysrq-trigger
sleep 10
