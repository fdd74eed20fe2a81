#!/bin/bash
#SBATCH --job-name=cells --nodes=1 --ntasks=1 --cpus-per-task=6 --time=02:00:00 --output=slurm-%j.out
echo "== job $SLURM_JOB_ID ($SLURM_JOB_NAME) on $SLURM_JOB_NODELIST, started $(date)"
ulimit -n 4096
torchrun --nproc-per-node=3 --master-port=29606 l06_cells.py
echo "== torchrun returned $? at $(date)"
