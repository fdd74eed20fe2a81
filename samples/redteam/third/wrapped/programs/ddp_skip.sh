#!/bin/bash
# A rank of a real torchrun job stops without a word; the others give up after their time-out. TRAIN_BIN: where torchrun is.
cd "$(dirname "$0")/../../logs/programs" || exit 2
exec "$TRAIN_BIN/torchrun" --nproc-per-node 2 ddp.py --how skip --rank 1
