#!/bin/bash
#SBATCH --job-name=tone
#SBATCH --output=tone.out
#SBATCH --open-mode=append
#SBATCH --time=02:00:00
#SBATCH --cpus-per-task=2
echo "== job $SLURM_JOB_ID on $SLURMD_NODENAME, $(date '+%a %d %b %Y %H:%M:%S %Z')"
python l09_tone.py "$@"
echo "== python ended with $?, $(date '+%H:%M:%S')"
