#!/bin/bash
#SBATCH --job-name=wings-enc
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --time=00:20:00
#SBATCH --output=wings-%j.out
echo "== $(date '+%F %T') on $(hostname), job $SLURM_JOB_ID"
df -h "$CALLS_SRC" | tail -n 1
export CALLS=$PWD/scratch.$SLURM_JOB_ID
mkdir -p "$CALLS"
echo "staging $(ls "$CALLS_SRC" | wc -l) recordings"
time cp "$CALLS_SRC"/*.bz2 "$CALLS"/
cp "$CALLS_SRC"/MD5SUMS "$CALLS"/
( cd "$CALLS" && md5sum -c --quiet MD5SUMS ) && echo "checksums ok"
$PY - <<'P'
import torch
print("torch", torch.__version__, "gloo", torch.distributed.is_gloo_available())
P
export OMP_NUM_THREADS=1
$PY -m torch.distributed.run --standalone --nproc-per-node=2 wings.py
rc=$?
echo "trainer returned $rc"
rm -rf "$CALLS"
tar czf results-$SLURM_JOB_ID.tgz wings.py wings.sh && ls -l results-*.tgz
echo "== $(date '+%F %T') end"
exit $rc
