#!/bin/sh
# Slurm Prolog: records every job on this node, so that users need change nothing. Root, once a node and job, before it
# starts. Install as Prolog=/etc/slurm/prolog.d/50-inquest (slurm.conf), or call it from your own.
#
# It never fails and never waits: a Prolog that fails drains the node, and one that waits holds the job up.
: "${INQUEST:=/usr/local/bin/inquest-agent}"     # the agent, or `inquest` of a virtual environment
: "${INQUEST_OUT:=/var/lib/inquest}"             # a directory of the node, or one that nodes share (root must write it)
: "${INQUEST_HOME:=/var/cache/inquest}"           # where the agent unpacks itself, once
: "${INQUEST_RUN:=/run/inquest}"                 # where the pid of a recorder stands that systemd does not run

[ -n "$SLURM_JOB_ID" ] && [ -x "$INQUEST" ] || exit 0
if [ -d /run/systemd/system ] && systemctl cat inquest-attach@.service >/dev/null 2>&1; then
    systemctl start --no-block "inquest-attach@$SLURM_JOB_ID.service" >/dev/null 2>&1
    exit 0
fi
# Slurm gives its Prolog no PATH; the recorder asks scontrol and sacct, which lie beside slurmd.
slurm=$(readlink "/proc/$PPID/exe") && PATH="$PATH:${slurm%/sbin/*}/bin"
export PATH INQUEST_HOME
umask 077
out="$INQUEST_OUT/${SLURM_HET_JOB_ID:-$SLURM_JOB_ID}"     # the components of a job belong together
mkdir -p "$out" "$INQUEST_RUN" 2>/dev/null || exit 0
# Slurm kills what is left of its Prolog's process group: go on when the recorder is in a session of its own.
# shellcheck disable=SC2016
pid=$(setsid sh -c 'echo $$; exec "$@" >/dev/null 2>&1' sh "$INQUEST" attach --wait --job "$SLURM_JOB_ID" \
    --out "$out" ${SLURMD_NODENAME:+--node "$SLURMD_NODENAME"} </dev/null 2>/dev/null &)
echo "$pid" >"$INQUEST_RUN/$SLURM_JOB_ID.$SLURMD_NODENAME.pid"
exit 0
