#!/bin/bash
# Somebody sends SIGTERM; the trainer saves, says so and leaves with 0, long before its plan is done.
cd "$(dirname "$0")"
python3 -u - <<'P' &
import signal
import sys

from tiny import Model

m, stop = Model(22), []
signal.signal(signal.SIGTERM, lambda *a: stop.append(1))
for i in range(1, 5001):
    loss = m.step()
    if i % 10 == 0:
        print(f"step {i}/5000 loss {loss:.4f}")
    if stop:
        print(f"received SIGTERM at step {i}: saving checkpoint and leaving")
        sys.exit(0)
P
pid=$!
(sleep 4; kill -TERM $pid) > /dev/null 2>&1 &
wait $pid
