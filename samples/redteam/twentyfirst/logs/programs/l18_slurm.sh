#!/bin/bash
# stands in for slurmstepd: the job's script, its out file, and what the step daemon does at the limit
export SLURM_JOB_ID=5520917 SLURMD_NODENAME=bionode07
setsid bash l18_job.sh > birds.out 2>&1 &
pid=$!
sleep 57
echo "slurmstepd: error: *** JOB $SLURM_JOB_ID ON $SLURMD_NODENAME CANCELLED AT $(date +%FT%T) DUE TO TIME LIMIT ***" >> birds.out
kill -TERM -- -$pid
wait
