"""Throughput of a job's output through `inquest run`, against the same job bare, to the same sink.

``python benchmarks/passthrough.py [MEGABYTES] [ROUNDS] [INQUEST]``. The job is ``head -c N /dev/zero``; sinks are a
pipe read by ``cat > /dev/null``, a file, a file opened for appending, and /dev/null. Bare, wrapped, and through a plain
``cat`` take turns: what ``cat`` costs is the least that any process between a job and its sink costs. Prints the median
MB/s of each, the median of their ratios round by round, and of the CPU time a GB costs, and the share of bytes that was
recorded (the rest is in gap records: a flood is not worth the CPU of the job). Job and pump run side by side: on a
machine whose cores are all taken, the ratio is that of the CPU times.
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


def show(sink: str, megabytes: int, runs: dict[str, list[tuple[float, float]]], recorded: float) -> None:
    """A line of the table."""
    cells = [f"{megabytes / statistics.median(seconds for seconds, _ in each):8.0f}" for each in runs.values()]
    for kind in ("cat", "inquest"):
        ratios = [one[0] / two[0] for one, two in zip(runs["bare"], runs[kind], strict=True)]
        cells.append(f"{statistics.median(ratios):8.2f}")
    cells += [f"{1000 / megabytes * statistics.median(cpu for _, cpu in each):8.2f}" for each in runs.values()]
    print(f"{sink:12}{''.join(cells)}{recorded:10.0%}", flush=True)


def main(megabytes: int, rounds: int, inquest: str) -> None:
    job = f"head -c {megabytes}M /dev/zero"
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; {megabytes} MB, median of {rounds} rounds")
    three = f"{'bare':>8}{'cat':>8}{'inquest':>8}"
    print(f"{'':12}{'MB/s':>24}{'of bare':>16}{'CPU s/GB':>24}")
    print(f"{'sink':12}{three}{'cat':>8}{'inquest':>8}{three}{'recorded':>10}")
    for sink, redirection in SINKS.items():
        runs: dict[str, list[tuple[float, float]]] = {"bare": [], "cat": [], "inquest": []}
        share = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
                target, out = Path(name) / "target", Path(name) / "out"
                tail = redirection.format(target=target)
                wrapped = f"{inquest} run --no-recorder --out {out} -- {job}"
                for kind, command in (("bare", job), ("cat", f"{job} | cat"), ("inquest", wrapped)):
                    runs[kind].append(measure(f"{command} {tail}"))
                    target.unlink(missing_ok=True)
                share.append(recorded_bytes(out) / (megabytes << 20))
        show(sink, megabytes, runs, statistics.median(share))


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 1000,
        int(sys.argv[2]) if len(sys.argv) > 2 else 3,
        sys.argv[3] if len(sys.argv) > 3 else str(Path(sys.executable).with_name("inquest")),
    )
