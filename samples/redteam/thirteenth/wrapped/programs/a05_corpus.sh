#!/bin/bash
# what the container's entrypoint does: a memory limit as in the pod's spec, then the job
LIMIT=${MEM_LIMIT:-900M}
G=/sys/fs/cgroup/memory/pod-corpus-$$
mkdir "$G" && echo "$LIMIT" > "$G/memory.limit_in_bytes" && echo $$ > "$G/cgroup.procs"
echo "[entrypoint] memory limit $LIMIT"
python3 a05_corpus.py
rc=$?
echo "[entrypoint] exit code $rc"
echo $$ > /sys/fs/cgroup/memory/cgroup.procs
rmdir "$G"
exit $rc
