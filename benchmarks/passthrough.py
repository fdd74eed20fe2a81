"""Throughput of a job's output through `inquest run`, against the same job bare, to the same sink.

``nice -n -15 python benchmarks/passthrough.py [MEGABYTES] [ROUNDS] [INQUEST]``. The job is ``head -c N /dev/zero``;
sinks are a pipe read by ``cat > /dev/null``, a file, a file opened for appending, and /dev/null. Bare, wrapped, and
through a plain ``cat`` take turns: what ``cat`` costs is the least that any process between a job and its sink costs.
Files are made where ``TMPDIR`` says: on a disk that cannot keep up, all three are as fast as the disk.

What a command takes that prints nothing is measured first and taken off: starting is another limit
(``start_delay.py``), and is told apart. Prints the median MB/s of each, the median of their ratios round by round, and
of the CPU time a GB costs, and the share of bytes that was recorded (the rest is in gap records: a flood is not worth
the CPU of the job); then whether the limit is met, which is the greater of 500 MB/s and 1/1.3 of bare, and whether
``cat`` meets it. Job and pump run side by side: on a machine whose cores are all taken, the ratio is that of the CPU
times.
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

LEAST_MB_S, LEAST_OF_BARE = 500, 1 / 1.3
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
    """A line of the table, and the verdicts on the limit below it."""
    rates = {kind: megabytes / statistics.median(seconds for seconds, _ in each) for kind, each in runs.items()}
    cells = [f"{rate:8.0f}" for rate in rates.values()]
    for kind in ("cat", "inquest"):
        ratios = [one[0] / two[0] for one, two in zip(runs["bare"], runs[kind], strict=True)]
        cells.append(f"{statistics.median(ratios):8.2f}")
    cells += [f"{1000 / megabytes * statistics.median(cpu for _, cpu in each):8.2f}" for each in runs.values()]
    least = max(LEAST_MB_S, LEAST_OF_BARE * rates["bare"])
    kept = [f"{kind} {'meets' if rates[kind] >= least else 'MISSES'}" for kind in ("inquest", "cat")]
    print(f"{sink:12}{''.join(cells)}{recorded:10.0%}   {', '.join(kept)} {least:.0f} MB/s", flush=True)


def start_ups(inquest: str, rounds: int) -> dict[str, tuple[float, float]]:
    """Seconds and CPU seconds of each command where the job prints nothing."""
    with tempfile.TemporaryDirectory() as name:
        runs = {
            kind: [measure(f"{command} > /dev/null") for _ in range(rounds)]
            for kind, command in commands("true", inquest, Path(name)).items()
        }
    return {kind: tuple(map(statistics.median, zip(*each, strict=True))) for kind, each in runs.items()}


def commands(job: str, inquest: str, out: Path) -> dict[str, str]:
    """The job bare, through cat and wrapped."""
    return {"bare": job, "cat": f"{job} | cat", "inquest": f"{inquest} run --no-recorder --out {out} -- {job}"}


def main(megabytes: int, rounds: int, inquest: str) -> None:
    job = f"head -c {megabytes}M /dev/zero"
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; {megabytes} MB, median of {rounds} rounds")
    start = start_ups(inquest, rounds)
    print("start and end:", ", ".join(f"{kind} {1000 * seconds:.0f} ms" for kind, (seconds, _) in start.items()))
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
                for kind, command in commands(job, inquest, out).items():
                    seconds, cpu = measure(f"{command} {tail}")
                    runs[kind].append((seconds - start[kind][0], cpu - start[kind][1]))
                    target.unlink(missing_ok=True)
                share.append(recorded_bytes(out) / (megabytes << 20))
        show(sink, megabytes, runs, statistics.median(share))


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 1000,
        int(sys.argv[2]) if len(sys.argv) > 2 else 3,
        sys.argv[3] if len(sys.argv) > 3 else str(Path(sys.executable).with_name("inquest")),
    )
