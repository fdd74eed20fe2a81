#!/bin/bash
#SBATCH --job-name=ovens
#SBATCH --output=slurm-%j.out
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --time=08:00:00
echo "$(date '+%a %d %b %H:%M:%S') $SLURM_JOB_NAME ($SLURM_JOB_ID) on $SLURM_JOB_NODELIST, until $(date -d '+8 hours' '+%H:%M')"
srun python l10_bread.py
echo "$(date '+%a %d %b %H:%M:%S') srun said $?"
