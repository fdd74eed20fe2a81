#!/bin/bash
#SBATCH --time=00:01:10
# no Slurm on the small box: the same limit by hand
export PYTHONUNBUFFERED=1
timeout --verbose --kill-after=10 75 python3 a09_nightly.py
status=$?
echo "job finished with status $status at $(date -Is)"
exit $status
