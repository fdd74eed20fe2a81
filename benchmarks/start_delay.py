"""How much later a job starts under `inquest run`, and how much longer the whole command takes.

``python benchmarks/start_delay.py [N] [INQUEST]``: N interleaved rounds (default 40) of the command ``INQUEST``
(default: the console script beside this Python). The start is when the job's own first instruction runs, told by a
clock it prints; the total is what the caller waits. Prints median and 10th to 90th percentile in milliseconds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# date's clock is read by the job itself, at a cost that is the same in every row.
JOB = ["/bin/date", "+%s%N"]


def measure(prefix: list[str]) -> tuple[float, float]:
    """Milliseconds to the job's clock reading, and to the end of the whole command."""
    begin, wall = time.perf_counter_ns(), time.time_ns()
    done = subprocess.run([*prefix, *JOB], capture_output=True, check=True)
    return (int(done.stdout) - wall) / 1e6, (time.perf_counter_ns() - begin) / 1e6


def main(rounds: int, inquest: str) -> None:
    python = str(Path(inquest).resolve().with_name("python"))
    python = python if Path(python).exists() else sys.executable
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as out:
        ways = {
            "bare": [],
            "python -I -S, exec": [python, "-I", "-S", "-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"],
            "python, exec": [python, "-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"],
            "inquest run --no-recorder": [inquest, "run", "--out", out, "--no-recorder", "--"],
            "inquest run --no-fsync": [inquest, "run", "--out", out, "--no-fsync", "--"],
            "inquest run": [inquest, "run", "--out", out, "--"],
        }
        seen: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for number in range(rounds + 2):
            for name, prefix in ways.items():
                result = measure(prefix)
                if number >= 2:
                    seen[name].append(result)
    print(f"{'':28}{'start ms (10-90 %)':>28}{'total ms (10-90 %)':>28}")
    for name, results in seen.items():
        cells = []
        for column in zip(*results, strict=True):
            tenths = statistics.quantiles(column, n=10)
            cells.append(f"{statistics.median(column):.1f} ({tenths[0]:.1f}-{tenths[-1]:.1f})")
        print(f"{name:28}{cells[0]:>28}{cells[1]:>28}")


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 40,
        sys.argv[2] if len(sys.argv) > 2 else str(Path(sys.executable).with_name("inquest")),
    )
