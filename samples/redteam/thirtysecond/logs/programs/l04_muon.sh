#!/bin/bash
#SBATCH --job-name=muonflow
#SBATCH --partition=serial
#SBATCH --time=02:00:00
#SBATCH --output=muonflow-%j.out
echo "Job ${SLURM_JOB_ID:-7714203} (muonflow) on $(hostname), started $(date)"
echo "Submit dir: /home/pkaur/veto/flow   partition: serial   cpus: 2   mem: 8G"
echo
"${PY:-/tmp/pv/bin/python}" l04_muon.py
rc=$?
echo
echo "python ended with $rc at $(date)"
ls -l --time-style=long-iso /tmp/bu_pa/scratch/muon
exit $rc
