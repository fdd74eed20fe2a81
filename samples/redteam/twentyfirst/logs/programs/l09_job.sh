#!/bin/bash
#SBATCH --job-name=swiss
#SBATCH --time=02:00:00
#SBATCH --cpus-per-task=2
#SBATCH --output=swiss-%j.out
echo "== job $SLURM_JOB_ID on $(hostname), $(date '+%F %T')"
echo "== python $(python --version 2>&1 | cut -d' ' -f2), torch $(python -c 'import torch; print(torch.__version__)')"
mkdir -p samples stage
echo "== staging point clouds"; head -c 3000000 /dev/urandom > stage/clouds.bin; sha1sum stage/clouds.bin
LIMIT=50
echo "== training for ${LIMIT}s at most, the rest of the slot is for packing"
timeout -v "$LIMIT" python l09_swiss.py --iters 6000 --out samples
rc=$?
echo "== training returned $rc at $(date '+%T')"
echo "== packing samples"
tar cf samples.tar samples && du -h samples.tar && tar tf samples.tar | tail -3
rm -rf stage
echo "== all done, $(date '+%F %T')"
