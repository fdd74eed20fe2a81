"""Puts before each line of standard input the stamp that a platform puts there, with the time at which it came."""

import sys
import time


def kube(line: str) -> str:
    """As `kubectl logs --timestamps` prints a line."""
    now = time.time_ns()
    head = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
    part = f"{now % 10**9:09d}".rstrip("0")
    return f"{head}.{part or '0'}Z {line}"


def main() -> None:
    for raw in sys.stdin.buffer:
        sys.stdout.write(kube(raw.decode("utf-8", "replace").rstrip("\n")) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
