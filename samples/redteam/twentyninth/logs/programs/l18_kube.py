"""Put before each line of stdin the time it came, as ``kubectl logs --timestamps`` shows it."""

import datetime
import sys
import time

for line in sys.stdin:
    ns = time.time_ns()
    at = datetime.datetime.fromtimestamp(ns // 10**9, datetime.UTC)
    sys.stdout.write(f"{at:%Y-%m-%dT%H:%M:%S}.{ns % 10**9:09d}Z {line}")
    sys.stdout.flush()
