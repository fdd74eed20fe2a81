"""Put before every line what ``kubectl logs --timestamps`` puts there: the runtime's clock when the line was written."""

from __future__ import annotations

import sys
import time


def main() -> None:
    """Copy lines."""
    for line in sys.stdin:
        now = time.time_ns()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
        sys.stdout.write(f"{stamp}.{now % 10**9:09d}Z {line}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
