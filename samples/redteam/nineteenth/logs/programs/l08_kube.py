"""Stamp each line as ``kubectl logs --timestamps`` prints it."""

from __future__ import annotations

import sys
import time

for line in iter(sys.stdin.readline, ""):
    now = time.time_ns()
    head = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
    for part in line.rstrip("\n").split("\r"):
        print(f"{head}.{now % 10**9:09}Z {part}", flush=True)
