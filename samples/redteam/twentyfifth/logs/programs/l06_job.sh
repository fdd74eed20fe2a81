#!/bin/bash
#SBATCH --job-name=folksong-gpt
#SBATCH --time=00:01:00
#SBATCH --output=folksong-%j.out
echo "job $SLURM_JOB_ID on $SLURMD_NODENAME, began $(date '+%F %T')"
exec python -u l06_folksong.py --steps 6000 --log-every 20
