#!/bin/bash
# the owner's guard
python la08_rails.py &
job=$!
(
    while sleep 0.5 && kill -0 $job 2> /dev/null; do
        read -r _ pages _ < /proc/$job/statm
        if [ $((pages / 256)) -gt 1800 ]; then kill -KILL $job; fi
    done
) &
wait $job
echo "la08_rails.sh: trainer gone, status $?"
