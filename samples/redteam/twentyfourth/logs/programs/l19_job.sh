#!/bin/bash
#SBATCH --job-name=buoy --cpus-per-task=2 --time=1-00:00:00 --output=slurm-%j.out
echo "== $(date '+%F %T') buoy on $(hostname), $(nproc) cpus"
python l19_buoy.py &
python l19_watch.py $! &
wait
echo "== $(date '+%F %T') all ended"
