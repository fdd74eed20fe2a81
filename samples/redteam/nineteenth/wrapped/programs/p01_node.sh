#!/usr/bin/env bash
# usage: p01_node.sh FIRST_RANK
set -u
export HEAD=127.0.0.1 HEAD_PORT=29711 FIRST_RANK=$1 WORLD=6
echo "[$(date '+%F %T')] starting ranks $1-$(($1 + 1)) of $WORLD"
exec torchrun --nnodes 1 --nproc-per-node 2 --master-port "$((29720 + $1))" p01_dialects.py --epochs 12
