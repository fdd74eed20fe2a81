#!/bin/sh
# Slurm Epilog: has the recorder that prolog.sh started take its last rows and seal them. Root, once a node and job, after
# it ended. Install as Epilog=/etc/slurm/epilog.d/50-inquest (slurm.conf), or call it from your own.
#
# It never fails: an Epilog that fails drains the node. What it leaves in INQUEST_OUT/JOB is gathered with
# `inquest collect --hosts NODES --from INQUEST_OUT/JOB`, or merged in place where nodes share it.
: "${INQUEST_RUN:=/run/inquest}"

[ -n "$SLURM_JOB_ID" ] || exit 0
if [ -d /run/systemd/system ] && systemctl cat inquest-attach@.service >/dev/null 2>&1; then
    systemctl stop --no-block "inquest-attach@$SLURM_JOB_ID.service" >/dev/null 2>&1
    exit 0
fi
file="$INQUEST_RUN/$SLURM_JOB_ID.$SLURMD_NODENAME.pid"
if read -r pid 2>/dev/null <"$file"; then
    # A number may have been given to another process since.
    grep -qz '^attach$' "/proc/$pid/cmdline" 2>/dev/null && kill -TERM "$pid" 2>/dev/null
    rm -f "$file"
fi
exit 0
