#!/bin/bash
#SBATCH -J rain -o %x-%j.out -e %x-%j.err --mem=6G -c 2
bash l13_guard.sh rain-$SLURM_JOB_ID.out &
export MASTER_ADDR=127.0.0.1 MASTER_PORT=29555 WORLD_SIZE=2
# the two speak over a wire of a hundred megabits
exec unshare -n bash -c '
  ip link set lo up; tc qdisc add dev lo root tbf rate 100mbit burst 256kb latency 400ms
  RANK=0 python l13_rain.py & RANK=1 python l13_rain.py & wait'
