#!/bin/bash
# Starts the claims job on this box; all tries go to the same file, which is shown from its beginning.
cd "$(dirname "$0")" || exit 1
export OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
LOG=claims_train.log
echo "==== $(date '+%F %T') $(hostname -s) try of $USER, hidden=${HIDDEN:-64} steps=${STEPS:-2000}" >>"$LOG"
tail -n +1 -f --pid=$$ "$LOG" &
/tmp/pv/bin/torchrun --standalone --nproc_per_node 2 train_claims.py --hidden "${HIDDEN:-64}" --max_steps "${STEPS:-2000}" >>"$LOG" 2>&1
rc=$?
sleep 2
exit $rc
