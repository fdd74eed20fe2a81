"""Stamp each line as the container runtime does."""

import sys
import time

for line in sys.stdin.buffer:
    now = time.time_ns()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
    sys.stdout.buffer.write(f"{stamp}.{now % 10**9:09d}Z ".encode() + line)
    sys.stdout.buffer.flush()
