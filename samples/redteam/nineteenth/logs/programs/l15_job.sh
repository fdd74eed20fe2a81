#!/bin/bash
#SBATCH --job-name=birdsong
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --time=10
export HEAD_NODE=127.0.0.1
echo "nodes: $SLURM_JOB_NODELIST"
python l15_table.py
srun --kill-on-bad-exit=0 bash l15_rank.sh
