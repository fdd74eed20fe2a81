#!/bin/sh
# Slurm TaskProlog: has PyTorch and NCCL keep what tells who hung, at no cost worth naming. As the user, in every task.
# Install as TaskProlog=/etc/slurm/task_prolog.d/50-inquest (slurm.conf), or call it from your own.
#
# Each line it prints as "export NAME=VALUE" goes into the environment of the task. What a user has set is left alone.
give() {
    eval "given=\${$1+yes}"
    [ "$given" = yes ] || echo "export $1=$2"
}

dumps="${TMPDIR:-/tmp}/inquest-dumps-$SLURM_JOB_ID"
if mkdir -p -m 700 "$dumps" 2>/dev/null && [ -O "$dumps" ] && [ ! -L "$dumps" ]; then
    # The flight recorder: the last collectives of each rank, written down when one times out (PyTorch 2.2 and later).
    give TORCH_NCCL_TRACE_BUFFER_SIZE 2000
    give TORCH_FR_BUFFER_SIZE 2000
    give TORCH_NCCL_DUMP_ON_TIMEOUT 1
    give TORCH_NCCL_DEBUG_INFO_TEMP_FILE "$dumps/nccl_trace_rank_"
    give TORCH_FR_DUMP_TEMP_FILE "$dumps/nccl_trace_rank_"
fi
# A traceback of a rank that is killed by its own fault (segmentation faults of extensions).
give PYTHONFAULTHANDLER 1
exit 0
