#!/bin/bash
#SBATCH --job-name=crane-ppo
#SBATCH --partition=cpu_short
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=00:30:00
#SBATCH --output=slurm-%j.out
echo "Job $SLURM_JOB_ID ($SLURM_JOB_NAME) on $SLURMD_NODENAME, submitted from $SLURM_SUBMIT_DIR"
echo "Start: $(date)"
module load python/3.11 2>/dev/null || echo "no module system here, taking the venv as it is"
SCRATCH=$(mktemp -d /tmp/crane.XXXX)
echo "staging to scratch"
cp -v train_crane.py "$SCRATCH"/
cd "$SCRATCH" || exit 1
python - <<'PY'
import stable_baselines3, gymnasium, torch
print("sb3", stable_baselines3.__version__, "gymnasium", gymnasium.__version__, "torch", torch.__version__)
PY
srun_cmd=""
time $srun_cmd python -u train_crane.py --timesteps 90000
rc=$?
echo "training returned $rc"
mkdir -p "$SLURM_SUBMIT_DIR/results/$SLURM_JOB_ID"
cp -v crane_ppo.zip "$SLURM_SUBMIT_DIR/results/$SLURM_JOB_ID"/
ls -l "$SLURM_SUBMIT_DIR/results/$SLURM_JOB_ID"
rm -rf "$SCRATCH"
echo "End: $(date)"
exit $rc
