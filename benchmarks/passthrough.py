"""Throughput of a job's output through `inquest run`, against the same job bare, to the same sink.

``python benchmarks/passthrough.py [MEGABYTES] [ROUNDS] [INQUEST]``. The job is ``head -c N /dev/zero``; sinks are a
pipe read by ``cat > /dev/null``, a file, a file opened for appending, and /dev/null. Bare and wrapped take turns.
Prints the median MB/s of both, the median of their ratios round by round, and of the CPU time a GB costs, and the share
of bytes that was recorded (the rest is in gap records: a flood is not worth the CPU of the job). Job and pump run
side by side: on a machine whose cores are all taken, the ratio is that of the CPU times.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inquest.bundle import rawlog
from inquest.bundle.frames import FrameReader

SINKS = {"pipe": "| cat > /dev/null", "file": "> {target}", "append": ">> {target}", "/dev/null": "> /dev/null"}


def measure(command: str) -> tuple[float, float]:
    """Seconds of a clock, and of CPU time of all that was waited for."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(["/bin/bash", "-c", command], check=True)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def recorded_bytes(out: Path) -> int:
    count = 0
    for path in out.glob("*/*/log-*.raw"):
        for payload in FrameReader(path):
            record = rawlog.decode(payload)
            count += len(record.data) if isinstance(record, rawlog.Data) else 0
    return count


def main(megabytes: int, rounds: int, inquest: str) -> None:
    job = f"head -c {megabytes}M /dev/zero"
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; {megabytes} MB, median of {rounds} rounds")
    print(
        f"{'sink':12}{'bare MB/s':>12}{'inquest MB/s':>14}{'ratio':>8}{'bare CPU s/GB':>16}{'inquest':>10}"
        f"{'recorded':>10}"
    )
    for sink, redirection in SINKS.items():
        bare, ours, share = [], [], []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
                target, out = Path(name) / "target", Path(name) / "out"
                tail = redirection.format(target=target)
                bare.append(measure(f"{job} {tail}"))
                target.unlink(missing_ok=True)
                ours.append(measure(f"{inquest} run --no-recorder --out {out} -- {job} {tail}"))
                share.append(recorded_bytes(out) / (megabytes << 20))
        speeds = [megabytes / statistics.median(seconds for seconds, _ in runs) for runs in (bare, ours)]
        costs = [1000 / megabytes * statistics.median(cpu for _, cpu in runs) for runs in (bare, ours)]
        ratio = statistics.median(one[0] / two[0] for one, two in zip(bare, ours, strict=True))
        cells = f"{speeds[0]:12.0f}{speeds[1]:14.0f}{ratio:8.2f}{costs[0]:16.2f}{costs[1]:10.2f}"
        print(f"{sink:12}{cells}{statistics.median(share):10.0%}", flush=True)


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 1000,
        int(sys.argv[2]) if len(sys.argv) > 2 else 3,
        sys.argv[3] if len(sys.argv) > 3 else str(Path(sys.executable).with_name("inquest")),
    )
