#!/bin/bash
#SBATCH -J swell
#SBATCH -N 1 -n 1 -c 2
#SBATCH -t 08:00:00
echo "== $SLURM_JOB_NAME $SLURM_JOB_ID on $SLURM_JOB_NODELIST, $(date '+%F %T')"
ulimit -a | grep -E 'open files|locked'
export OMP_NUM_THREADS=1
torchrun --standalone --nproc_per_node=2 l25_swell.py
echo "== end $(date '+%F %T')"
