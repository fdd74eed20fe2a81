#!/bin/bash
# auf jedem Rechner: l18_start.sh ERSTER_RANG ANZAHL
export MASTER_ADDR=localhost MASTER_PORT=29818 WORLD_SIZE=4
for i in $(seq "$1" $(($1 + $2 - 1))); do
    RANK=$i LOCAL_RANK=$((i - $1)) python -u l18_maerchen.py > rang$i.log 2>&1 &
done
wait
