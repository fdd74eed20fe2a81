#!/bin/sh
# Slurm Prolog: records every job on this node, so that users need change nothing. Root, once a node and job, before it
# starts. Install as Prolog=/etc/slurm/prolog.d/50-inquest (slurm.conf), or call it from your own.
#
# It never fails and never waits: a Prolog that fails drains the node, and one that waits holds the job up.
: "${INQUEST:=/usr/local/bin/inquest-agent}"     # the agent, or `inquest` of a virtual environment
: "${INQUEST_OUT:=/var/lib/inquest}"             # a directory of the node, or one that nodes share (root must write it)
: "${INQUEST_RUN:=/run/inquest}"                 # where the pid of a recorder stands that systemd does not run

[ -n "$SLURM_JOB_ID" ] && [ -x "$INQUEST" ] || exit 0
if [ -d /run/systemd/system ] && systemctl cat inquest-attach@.service >/dev/null 2>&1; then
    systemctl start --no-block "inquest-attach@$SLURM_JOB_ID.service" >/dev/null 2>&1
    exit 0
fi
umask 077
mkdir -p "$INQUEST_OUT/$SLURM_JOB_ID" "$INQUEST_RUN" 2>/dev/null || exit 0
setsid "$INQUEST" attach --job "$SLURM_JOB_ID" --out "$INQUEST_OUT/$SLURM_JOB_ID" \
    ${SLURMD_NODENAME:+--node "$SLURMD_NODENAME"} </dev/null >/dev/null 2>&1 &
echo $! >"$INQUEST_RUN/$SLURM_JOB_ID.$SLURMD_NODENAME.pid"
exit 0
