#!/bin/bash
#SBATCH --job-name=ferry-delay
#SBATCH --time=04:00:00
echo "SLURM_JOB_ID=$SLURM_JOB_ID SLURM_JOB_NODELIST=$SLURM_JOB_NODELIST SLURM_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK"
date
python -u l12_ferries.py
