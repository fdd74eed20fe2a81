#!/bin/bash
#SBATCH -J tide -o %x-%j.out -e %x-%j.err --mem=6G -c 2 --time=2
module() { :; }
echo "$(date '+%F %T') $(hostname) job $SLURM_JOB_ID, limit 00:02:00"
python l24_tides.py
