#!/bin/bash
# Healthy: a real torchrun job, while a health check of the site prints its catalogue of errors beside it. TRAIN_BIN: where torchrun is.
cd "$(dirname "$0")/../../logs/programs" || exit 2
(
    echo "[healthcheck] patterns watched: 'CUDA error: uncorrectable ECC', 'Xid 79', 'NCCL WARN', 'OutOfMemoryError', 'DUE TO NODE FAILURE'"
    for i in 1 2 3 4; do sleep 2; echo "[healthcheck] pass $i: 0 of 5 patterns found; node healthy; last incident: Xid 79 on gpu3, 2025-02-11 (resolved)"; done
) &
"$TRAIN_BIN/torchrun" --nproc-per-node 2 ddp.py
code=$?
wait
exit $code
