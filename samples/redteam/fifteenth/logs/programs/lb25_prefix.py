"""Puts the time before each line, as ``docker logs -t`` does."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime

for line in sys.stdin:
    now = datetime.now(UTC)
    sys.stdout.write(f"{now:%Y-%m-%dT%H:%M:%S.%f}{time.time_ns() % 1000:03d}Z {line}")
    sys.stdout.flush()
