#!/bin/bash
# A person interrupts the run: SIGINT, and Python's KeyboardInterrupt.
cd "$(dirname "$0")"
cat > /tmp/third_ctrl_c.py <<'P'
import signal
import sys
sys.path.insert(0, ".")
signal.signal(signal.SIGINT, signal.default_int_handler)
from tiny import Model
m = Model(23)
for i in range(1, 5001):
    loss = m.step()
    if i % 10 == 0:
        print(f"step {i}/5000 loss {loss:.4f}", flush=True)
P
python3 /tmp/third_ctrl_c.py &
pid=$!
(sleep 4; kill -INT $pid) > /dev/null 2>&1 &
wait $pid
