#!/bin/bash
# Two boxes, one script each; here both run on one, as they were copied.
export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2 TORCH_CPP_LOG_LEVEL=INFO
MASTER_PORT=29751 RANK=0 python3 b10_ports.py &
MASTER_PORT=29715 RANK=1 python3 b10_ports.py &
wait -n
wait
