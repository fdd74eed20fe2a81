#!/bin/bash
#SBATCH --job-name=tides-gru
#SBATCH --time=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
echo "job $SLURM_JOB_ID on $SLURMD_NODENAME, $(date -Is)"
torchrun --standalone --nproc-per-node 1 l06_tides.py --epochs 60
