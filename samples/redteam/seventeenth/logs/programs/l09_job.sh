#!/bin/bash
#SBATCH --job-name=tide
#SBATCH --ntasks=3
#SBATCH --nodes=1
#SBATCH --mem=1500M
echo "tide: $SLURM_NTASKS tasks on $SLURM_JOB_NODELIST, job $SLURM_JOB_ID"
date
srun -l python l09_tide.py
date
