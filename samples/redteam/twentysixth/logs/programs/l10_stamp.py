"""Lines as kubectl logs --timestamps shows them."""

import sys
import time

for line in sys.stdin:
    now = time.time_ns()
    head = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
    print(f"{head}.{now % 10**9:09d}Z {line}", end="", flush=True)
