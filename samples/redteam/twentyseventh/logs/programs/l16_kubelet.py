"""Stamp each line as ``kubectl logs --timestamps`` shows it."""

import sys
import time

for line in sys.stdin:
    ns = time.time_ns()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9))
    print(f"{stamp}.{ns % 10**9:09d}Z {line}", end="", flush=True)
