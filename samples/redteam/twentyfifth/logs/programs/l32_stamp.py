"""Write what comes in as ``kubectl logs --timestamps`` shows it."""

import sys
import time

for line in sys.stdin.buffer:
    now = time.time_ns()
    second = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
    sys.stdout.write(f"{second}.{now % 10**9:09d}Z {line.decode(errors='replace')}")
    sys.stdout.flush()
