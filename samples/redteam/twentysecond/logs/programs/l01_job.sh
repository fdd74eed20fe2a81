#!/bin/bash
#SBATCH --job-name=legal-llama
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --output=%x-%j.out

# one task a node; on this cluster srun starts them side by side
srun() {
    pids=()
    for task in 0 1; do
        SLURM_PROCID=$task SLURM_LOCALID=0 SLURM_NTASKS=2 "$@" &
        pids+=($!)
    done
    worst=0
    for task in 0 1; do
        wait "${pids[$task]}" || { worst=$?; echo "srun: error: gn$((17 + task)): task $task: Exited with exit code $worst" >&2; }
    done
    return $worst
}
export SLURM_JOB_ID=771204 SLURM_JOB_NODELIST='gn[17-18]' MASTER_ADDR=localhost
export -f srun
echo "job $SLURM_JOB_ID on $SLURM_JOB_NODELIST, started $(date)"
echo "master: $MASTER_ADDR"
srun bash -c '
    export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS
    export MASTER_PORT=$((20000 + RANDOM % 10000))
    exec python l01_legal.py --ddp_timeout 45'
echo "finished $(date) with $?"
