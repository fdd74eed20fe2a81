"""Put the time before each line, as the container runtime keeps it."""

import sys
import time

for raw in sys.stdin.buffer:
    ns = time.time_ns()
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 1_000_000_000))
    sys.stdout.buffer.write(f"{whole}.{ns % 1_000_000_000:09d}Z ".encode() + raw)
    sys.stdout.buffer.flush()
