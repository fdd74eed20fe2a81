#!/bin/bash
# A rank of a real torchrun job is killed; the script speaks well of it and leaves with 0. TRAIN_BIN: where torchrun is.
cd "$(dirname "$0")/../../logs/programs" || exit 2
"$TRAIN_BIN/torchrun" --nproc-per-node 2 ddp.py --how kill --rank 1 2>&1 | cat
echo "pipeline stage 3/3 complete: SUCCESS"
exit 0
