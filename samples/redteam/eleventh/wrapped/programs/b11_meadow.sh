#!/bin/bash
torchrun --standalone --nproc-per-node 2 b11_meadow.py &
job=$!
(
    # the owner's guard knows nothing of ranks
    while sleep 1 && kill -0 $job 2> /dev/null; do
        for pid in $(pgrep -f 'python.* b11_meadow.py'); do
            read -r _ pages _ < "/proc/$pid/statm"
            [ $((pages / 256)) -gt 1300 ] && kill -KILL "$pid"
        done
    done 2> /dev/null
) &
wait $job
status=$?
echo "meadow: torchrun ended with $status"
exit $status
