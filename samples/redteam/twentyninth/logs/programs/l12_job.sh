#!/bin/bash
#SBATCH -J plates
#SBATCH -p short
#SBATCH -c 2
#SBATCH --time=00:30:00
echo "plates: $(date -Is), job $SLURM_JOB_ID"
srun() { "$@"; }
srun python l12_scanclean.py --rounds 14 --lr 0.05
rc=$?
echo "plates: $(date -Is), left with $rc"
