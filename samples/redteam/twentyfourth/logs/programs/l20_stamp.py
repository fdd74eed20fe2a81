"""The runtime's part: each line of a pod's output gets the time it came at, as kubectl logs --timestamps has it."""

import sys
import time

for line in sys.stdin:
    now = time.time_ns()
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
    fraction = f".{now % 10**9:09d}".rstrip("0").rstrip(".")
    print(f"{when}{fraction}Z", line, end="", flush=True)
