#!/bin/bash
# Healthy: the first attempt dies, the supervisor starts a second, which resumes from its checkpoint and ends well.
cd "$(dirname "$0")"
state=$(mktemp)
for attempt in 1 2 3; do
    echo "supervisor: attempt $attempt"
    STATE=$state ATTEMPT=$attempt python3 - <<'P' && break
import json
import os
import pathlib

from tiny import Model

state, m, first = pathlib.Path(os.environ["STATE"]), Model(12), 1
if text := state.read_text():
    saved = json.loads(text)
    m.w, first = saved["w"], saved["step"] + 1
    print(f"resuming from checkpoint at step {saved['step']}", flush=True)
for i in range(first, 401):
    loss = m.step()
    if i % 10 == 0:
        print(f"step {i}/400 loss {loss:.4f}", flush=True)
        state.write_text(json.dumps({"w": m.w, "step": i}))
    if i == 205 and os.environ["ATTEMPT"] == "1":
        raise ConnectionResetError(104, "Connection reset by peer")
print("training finished at step 400, loss", round(loss, 4))
P
    echo "supervisor: attempt $attempt failed, waiting 1 s"
    sleep 1
done
rm -f "$state"
echo "supervisor: done"
