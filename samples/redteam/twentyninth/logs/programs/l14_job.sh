#!/bin/bash
#SBATCH --job-name=shelfmates
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
echo "== $SLURM_JOB_NAME $SLURM_JOB_ID on $SLURM_JOB_NODELIST =="
python l14_shelfmates.py --steps 9000 --warmup 6000 --peak-lr 1.0
echo "== exit $? =="
