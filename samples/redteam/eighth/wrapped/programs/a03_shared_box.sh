#!/bin/bash
# The box is shared; whoever is seen at work there in the morning with two processes loses one (tidy.sh of the union).
(
    until [ -s progress ]; do sleep 1; done
    kill -KILL "$(pgrep -f "a03_shared_box.py local" | tail -1)"
) &
torchrun --standalone --nproc-per-node 2 a03_shared_box.py local
