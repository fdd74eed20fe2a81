#!/bin/bash
#SBATCH --job-name=ring-gan
#SBATCH --ntasks=1
echo "ring-gan on $SLURM_JOB_NODELIST, job $SLURM_JOB_ID, $(date)"
srun python l03_gan.py
echo "left with $? at $(date)"
