#!/bin/bash
# A process outside the trainer kills it with SIGKILL at about step 150. No word of it in the log.
cd "$(dirname "$0")"
python3 -u - <<'P' &
from tiny import Model
m = Model(7)
for i in range(1, 5001):
    loss = m.step()
    if i % 10 == 0:
        print(f"step {i}/5000 loss {loss:.4f}", flush=True)
P
pid=$!
(sleep 4; kill -9 $pid) > /dev/null 2>&1 &
wait $pid 2> /dev/null
exit $?
