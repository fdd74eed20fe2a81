"""Stamp each line as ``kubectl logs --timestamps`` does."""
# ruff: noqa

import sys
import time

for line in sys.stdin:
    now = time.time_ns()
    print(time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime(now // 10**9)) + f"{now % 10**9:09d}Z", line, end="")
