"""`inquest explain` over 10 MB of log: process start to verdict on the terminal, CPU and wall.

Three logs: ordinary noise with a traceback at the end, nothing but progress lines, and tqdm bars. The aim is 0.9 s of
CPU in all (user + system), so that an idle machine answers within a second. The floor printed first is what a process
pays that does no more than import Polars.

    python benchmarks/explain.py [--runs N] [--megabytes N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WITH_CACHE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""A warm start has its modules compiled."""

TRACEBACK = """\
Traceback (most recent call last):
  File "/home/user/train.py", line 88, in <module>
    main()
  File "/home/user/train.py", line 61, in main
    batch = next(loader)
  File "/home/user/data.py", line 17, in __next__
    return self.rows[self.at]
IndexError: list index out of range
"""


def noise(size: int) -> str:
    """Ordinary lines of a data pipeline, and a traceback."""
    lines, held, number = [], 0, 0
    while held < size:
        second = number // 20
        lines.append(
            f"2026-11-20 {21 + second // 3600 % 3:02d}:{second // 60 % 60:02d}:{second % 60:02d},{number % 1000:03d} "
            f"[INFO] worker {number % 7}: shard {number} read, {number * 37 % 9999} samples, queue {number % 64}\n"
        )
        held += len(lines[-1])
        number += 1
    return "".join(lines) + TRACEBACK


def progress(size: int) -> str:
    """A metric on every line."""
    lines, held, step = [], 0, 0
    while held < size:
        step += 1
        second = step // 30
        lines.append(
            f"2026-11-20 {second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d},{step % 1000:03d} | INFO "
            f"| step {step}/90000 | loss {11 / (1 + step / 9000) + step % 7 / 100:.4f} | grad_norm 0.5 | lr 1e-4 | "
            f"30.1 ms/step | {50000 + step % 100} tokens/s\n"
        )
        held += len(lines[-1])
    return "".join(lines)


def bars(size: int) -> str:
    """States of a tqdm bar, which overwrite each other."""
    states, held, step, total = [], 0, 0, size // 90
    while held < size:
        step += 1
        done, left = step // 10, max(total - step, 0) // 10
        states.append(
            f"\rEpoch 1: {min(100 * step // total, 99):3d}%|{'#' * (step * 10 // total % 11):<10}| {step}/{total} "
            f"[{done // 60:02d}:{done % 60:02d}<{left // 60:02d}:{left % 60:02d}, 10.{step % 90 + 10}it/s, "
            f"loss={9 / (1 + step / 9000):.3f}]"
        )
        held += len(states[-1])
    return "".join(states) + "\n"


def measure(command: list[str], runs: int) -> tuple[float, float, int]:
    """Least CPU and least wall seconds of ``runs`` after one to warm up, and the exit status."""
    cpu, wall, status = [], [], 0
    for _ in range(runs + 1):
        began = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=WITH_CACHE)
        _, waited, usage = os.wait4(child.pid, 0)
        child.returncode = status = os.waitstatus_to_exitcode(waited)
        wall.append(time.perf_counter() - began)
        cpu.append(usage.ru_utime + usage.ru_stime)
    return min(cpu[1:]), min(wall[1:]), status


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=10)
    options = parser.parse_args()
    print(f"least of {options.runs}      CPU s   wall s   exit")
    with tempfile.TemporaryDirectory() as folder:
        rows = [("import polars", [sys.executable, "-c", "import polars"])]
        for make in (noise, progress, bars):
            path = Path(folder, f"{make.__name__}.log")
            path.write_text(make(options.megabytes * 1_000_000))
            rows.append((make.__name__, [sys.executable, "-m", "inquest", "explain", str(path)]))
        for name, command in rows:
            cpu, wall, status = measure(command, options.runs)
            print(f"{name:<14} {cpu:7.2f}  {wall:7.2f}   {status}")


if __name__ == "__main__":
    main()
