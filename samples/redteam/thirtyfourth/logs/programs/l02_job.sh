#!/bin/bash
#SBATCH --job-name=widma
#SBATCH --partition=gpu-short
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=1
echo "Zadanie $SLURM_JOB_ID ($SLURM_JOB_NAME), węzeł $SLURMD_NODENAME, start $(date '+%F %T')"
echo "Katalog roboczy: $SLURM_SUBMIT_DIR"
"$PY" widma.py
rc=$?
echo "Koniec $(date '+%F %T'), kod wyjścia $rc"
exit $rc
