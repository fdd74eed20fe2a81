"""Put the time before each line, as kubectl logs --timestamps does."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

for line in sys.stdin:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") + "417Z"
    sys.stdout.write(f"{now} {line}")
    sys.stdout.flush()
