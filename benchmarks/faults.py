"""Floods that are too heavy for the tests: a line of a GB, and a million lines a second, bare and recorded.

    .venv/bin/python benchmarks/faults.py [--seconds 10] [--gigabytes 1]

For each: whether the bytes that came out and the status are those of the bare job, how long both took, what our
processes held in memory at most, what is on disk and in the bundle, and what merging and judging it takes. Exits with 1
where bytes or status differ.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from inquest.bundle.store import BundleStore

JOBS = {
    "one line": """
import os, sys
for _ in range(int(float(sys.argv[1]) * 1024)): os.write(1, b"x" * (1 << 20))
os._exit(3)
""",
    "a million lines a second": """
import os, sys, time
began, number = time.monotonic(), 0
for tick in range(int(float(sys.argv[1]) * 100)):
    os.write(1, b"".join(b"step %08d loss 1.2345\\n" % n for n in range(number, number + 10_000)))
    number += 10_000
    time.sleep(max(0.0, began + (tick + 1) / 100 - time.monotonic()))
os._exit(3)
""",
}
"""Standard output of each is the same in every run; each ends with 3."""


@dataclass
class Done:
    """One run: seconds, exit status, digest of what came out, and the most memory a process of ours held."""

    seconds: float
    status: int
    sha256: str
    peak_mib: int


def run(command: list[str]) -> Done:
    began, digest, peak = time.monotonic(), hashlib.sha256(), [0]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            peak[0] = max([peak[0], *map(_peak_mib, _ours(process.pid))])

    thread = threading.Thread(target=watch)
    thread.start()
    assert isinstance(process.stdout, io.BufferedReader)
    while part := process.stdout.read1(1 << 20):
        digest.update(part)
    status = process.wait()
    seconds = time.monotonic() - began
    over.set()
    thread.join()
    return Done(seconds, status, digest.hexdigest(), peak[0])


def _ours(top: int) -> list[int]:
    """The wrapper, its pumps and its recorder: all below it but for the job."""
    found = [top]
    for pid in found:
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except OSError:
            continue
        found += [int(child) for child in children]
    return [pid for pid in found if _is_ours(pid)]


def _is_ours(pid: int) -> bool:
    """Ours run a module (``python -m inquest``), the job a text."""
    try:
        return b"-m" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:5]
    except OSError:
        return False


def _peak_mib(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0]) >> 10
    except (OSError, IndexError):
        return 0


def measured(*words: str) -> tuple[float, int, int]:
    """Seconds, exit status and peak MiB of an inquest command with all it started."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "inquest", *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return time.monotonic() - began, os.waitstatus_to_exitcode(status), usage.ru_maxrss >> 10


def flood(title: str, amount: float, folder: Path) -> bool:
    """Run one of the jobs both ways, and tell; whether it came out the same."""
    job = [sys.executable, "-I", "-S", "-c", JOBS[title], str(amount)]
    out, bundle = folder / "out", folder / "job.inquest"
    bare = run(job)
    ours = run([sys.executable, "-m", "inquest", "run", "--out", str(out), "--node", "bench", "--", *job])
    time.sleep(2)  # a recorder may outlive its job by a second
    on_disk = sum(path.stat().st_size for path in out.glob("*/*/*"))
    merge_s, merged, merge_mib = measured("merge", str(out), "-o", str(bundle))
    judge_s, judged, judge_mib = measured("analyze", str(bundle), "-o", str(folder / "verdict"))
    store = BundleStore(bundle)
    lines = store.scan("log_lines").select(pl.len(), pl.col("text").str.len_bytes().max()).collect().row(0)
    gaps = store.scan("log_gaps").select(pl.len(), pl.col("bytes").sum()).collect().row(0)
    same = (bare.status, bare.sha256) == (ours.status, ours.sha256)
    print(f"\n{title}: {'as bare' if same else 'DIFFERS FROM BARE'}, status {ours.status}")
    print(f"  bare {bare.seconds:.1f} s, recorded {ours.seconds:.1f} s; our largest process held {ours.peak_mib} MiB")
    print(f"  on disk {on_disk / 1e6:.0f} MB; bundle {bundle.stat().st_size / 1e6:.1f} MB with {lines[0]:,} lines")
    print(f"  longest text {lines[1] or 0:,} bytes; {gaps[0]} gaps of {(gaps[1] or 0) / 1e6:,.0f} MB in all")
    print(f"  merge {merge_s:.1f} s, {merge_mib} MiB, status {merged}")
    print(f"  verdict {judge_s:.1f} s, {judge_mib} MiB, status {judged}")
    return same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--gigabytes", type=float, default=1)
    args = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    same = True
    for title, amount in (("one line", args.gigabytes), ("a million lines a second", args.seconds)):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            same &= flood(title, amount, Path(name))
    sys.exit(not same)


if __name__ == "__main__":
    main()
