"""Throughput of a job's output through `inquest run`, against the same job bare, to the same sink.

``python benchmarks/passthrough.py [MEGABYTES] [ROUNDS]``. The job is ``head -c N /dev/zero``; sinks are a pipe read by
``cat > /dev/null``, a file, a file opened for appending, and /dev/null. Prints the median MB/s of interleaved rounds
and the share of bytes that was recorded (the rest is in gap records: a flood is not worth the CPU of the job).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inquest.bundle import rawlog
from inquest.bundle.frames import FrameReader

SINKS = {"pipe": "| cat > /dev/null", "file": "> {target}", "append": ">> {target}", "/dev/null": "> /dev/null"}


def measure(command: str) -> float:
    begin = time.perf_counter()
    subprocess.run(["/bin/bash", "-c", command], check=True)
    return time.perf_counter() - begin


def recorded_bytes(out: Path) -> int:
    count = 0
    for path in out.glob("*/*/log-*.raw"):
        for payload in FrameReader(path):
            record = rawlog.decode(payload)
            count += len(record.data) if isinstance(record, rawlog.Data) else 0
    return count


def main(megabytes: int, rounds: int) -> None:
    job = f"head -c {megabytes}M /dev/zero"
    inquest = Path(sys.executable).with_name("inquest")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    print(f"{'sink':12}{'bare MB/s':>12}{'inquest MB/s':>14}{'ratio':>8}{'recorded':>10}")
    for sink, redirection in SINKS.items():
        bare, ours, share = [], [], []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
                target, out = Path(name) / "target", Path(name) / "out"
                tail = redirection.format(target=target)
                bare.append(megabytes / measure(f"{job} {tail}"))
                target.unlink(missing_ok=True)
                ours.append(megabytes / measure(f"{inquest} run --no-recorder --out {out} -- {job} {tail}"))
                share.append(recorded_bytes(out) / (megabytes << 20))
        a, b = statistics.median(bare), statistics.median(ours)
        print(f"{sink:12}{a:12.0f}{b:14.0f}{b / a:8.2f}{statistics.median(share):10.0%}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
