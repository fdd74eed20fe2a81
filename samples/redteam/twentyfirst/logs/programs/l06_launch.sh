#!/bin/bash
# both ranks on this machine; a file for each, named after $1
name=$1; shift
export MASTER_ADDR=127.0.0.1 MASTER_PORT=29706 WORLD_SIZE=2 TORCHELASTIC_RUN_ID=$name GROUP_RANK=0 LOCAL_WORLD_SIZE=2
for r in 0 1; do
  RANK=$r LOCAL_RANK=$r python -u l06_reservoir.py "$@" > "$name.rank$r.log" 2>&1 &
done
wait
