"""Puts in front of each line what `kubectl logs --prefix --timestamps` does."""

import datetime
import sys

for line in sys.stdin:
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    print(f"[pod/swarm-train-7c9d8-x2k4p/trainer] {now}118Z {line}", end="", flush=True)
