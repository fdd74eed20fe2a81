#!/bin/bash
# The second rank has the address of last week's machine.
export WORLD_SIZE=2 MASTER_PORT=29733
RANK=0 LOCAL_RANK=0 MASTER_ADDR=127.0.0.1 python lb33_masks.py &
RANK=1 LOCAL_RANK=1 MASTER_ADDR=127.0.0.9 MASTER_PORT=29734 python lb33_masks.py &
wait
echo "all ranks have ended"
