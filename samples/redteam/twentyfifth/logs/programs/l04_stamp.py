"""Stamps each line as kubectl logs --timestamps does."""

import datetime
import sys
import time

for line in sys.stdin:
    now = time.time_ns()
    moment = datetime.datetime.fromtimestamp(now // 10**9, datetime.UTC)
    print(f"{moment:%Y-%m-%dT%H:%M:%S}.{now % 10**9:09d}Z {line}", end="", flush=True)
