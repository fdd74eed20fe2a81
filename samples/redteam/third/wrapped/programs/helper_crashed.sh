#!/bin/bash
# Healthy: a monitoring helper in the background segfaults and bash says so; the trainer does all its steps.
cd "$(dirname "$0")"
(python3 -c 'import ctypes, time; time.sleep(1); ctypes.string_at(0)'; echo "gpu_monitor.sh: sampler gone, no more samples") &
python3 -u - <<'P'
from tiny import Model
m = Model(25)
for i in range(1, 301):
    loss = m.step()
    if i % 10 == 0:
        print(f"step {i}/300 loss {loss:.4f}")
print("training finished, 300 steps")
P
code=$?
wait
exit $code
