#!/bin/bash
#SBATCH -J clinics -o %x-%j.out -e %x-%j.err --mem=8G -c 2
export WEIGHTS=$PWD/weights/$SLURM_JOB_ID
mkdir -p $WEIGHTS
echo "job $SLURM_JOB_ID: part $1 of 3, rounds $((10 * $1 - 9)) to $((10 * $1)) of 30${2:+, after job $2}"
[ -n "$2" ] && { echo "last lines of job $2:"; tail -n 3 sent/clinics-$2.out; }
for clinic in 1 2 3; do python l23_client.py $clinic & done
python l23_server.py $1
wait
echo "part $1 finished"
