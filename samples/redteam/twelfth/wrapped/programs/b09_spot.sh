#!/bin/bash
# what the fleet's agent does: start, reclaim when the price rises, queue again
for attempt in 1 2 3 4; do
    echo "[agent] attempt $attempt on spot-$((20 + attempt))"
    python3 b09_spot.py &
    child=$!
    if [ "$attempt" -le 2 ]; then
        (while [ ! -e alive ]; do sleep 1; done; sleep $((9 + attempt * 3)); rm alive; echo "[agent] preemption: capacity is wanted by others, notice to $child"; kill -TERM "$child") &
    fi
    wait "$child"; code=$?
    [ "$code" -eq 85 ] || break
    echo "[agent] preempted (exit 85), requeued"
    sleep 4
done
echo "[agent] job ended with $code after $attempt attempts"
exit "$code"
