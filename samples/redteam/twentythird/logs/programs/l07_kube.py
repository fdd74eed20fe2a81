"""What ``kubectl logs --timestamps`` prints."""

import sys
import time

for line in sys.stdin:
    ns = time.time_ns()
    print(
        f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(ns // 10**9))}.{ns % 10**9:09d}Z {line}", end="", flush=True
    )
