#!/bin/bash
# Three attempts, three times the same crash; the supervisor gives up, politely, with status 0.
cd "$(dirname "$0")"
for attempt in 1 2 3; do
    echo "[supervisor] attempt $attempt/3"
    python3 - <<'P'
from tiny import Model
m = Model(13)
for i in range(1, 301):
    loss = m.step()
    if i % 10 == 0:
        print(f"step {i}/300 loss {loss:.4f}", flush=True)
    if i == 57:
        label = {"cat": 0, "dog": 1}["bird"]
P
    sleep 1
done
echo "[supervisor] giving up after 3 attempts, bye"
exit 0
