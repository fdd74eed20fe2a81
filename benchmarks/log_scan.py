"""Speed and memory of reading logs: ``python benchmarks/log_scan.py [megabytes]``.

Writes logs of a given size into a temporary directory and prints, for each, the CPU time (user and system, one thread)
and the MB/s of importing it and of finding all facts in it, and the peak memory of the process that did both. Every
case runs in a process of its own. The floor beside it is ``grep -F`` (and ``rg -F`` where it is installed) counting the
lines that hold any literal of the registry: no parser of lines can do without that look at every byte.
"""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

CLEAN = "2026-11-20 18:{:02d}:{:02d},123 | DEBUG | worker {} fetched shard {:06d} from cache in {} us, queue depth {}\n"
METRIC = "2026-11-20 18:{:02d}:{:02d},123 | INFO | step {}/9999999 | loss 2.{:04d} | grad_norm 0.91{} | lr 3.00e-04 | {} ms/step\n"
TRACEBACK = """[rank{0}]: Traceback (most recent call last):
[rank{0}]:   File "/work/train.py", line {1}, in main
[rank{0}]:     step(batch)
[rank{0}]: ValueError: bad sample {2}
"""
KINDS = ("clean", "1 % progress", "all progress", "tracebacks", "single line")
_BLOCK = 20_000


def lines(kind: str, block: int) -> str:
    """Some thousand lines of a kind; step numbers go on from block to block."""
    numbers = range(block * _BLOCK, (block + 1) * _BLOCK)
    every = {"clean": 0, "1 % progress": 100, "all progress": 1, "tracebacks": 0}[kind]
    text = "".join(
        METRIC.format(i // 60 % 60, i % 60, i, i % 9999, i % 10, i % 300)
        if every and i % every == 0
        else CLEAN.format(i // 60 % 60, i % 60, i % 8, i, i % 977, i % 13)
        for i in numbers
    )
    if kind == "tracebacks":
        text += "".join(TRACEBACK.format(i % 8, i, i) for i in range(2000))
    return text


def write(path: Path, kind: str, size: int) -> None:
    """A log of about ``size`` bytes."""
    with path.open("w") as out:
        block = 0
        while out.tell() < size:
            out.write("x" * 1_000_000 if kind == "single line" else lines(kind, block))
            block += 1


def measure(path: str) -> tuple[float, float, float, dict[str, int]]:
    """CPU seconds of import and of parsing, peak memory in MB, and rows of facts."""
    from inquest.analyze.logs import parse_logs
    from inquest.bundle.logs_import import import_logs

    few = Path(path).with_name("few.log")
    few.write_text(lines("1 % progress", 0)[:100_000])
    parse_logs(import_logs([few]))  # modules are loaded and regular expressions compiled
    began = time.process_time()
    store = import_logs([path])
    imported = time.process_time()
    facts = parse_logs(store)
    parsed = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = {name.removeprefix("fact_"): frame.height for name, frame in facts.items() if frame.height}
    return imported - began, parsed - imported, peak, rows


def floor(tool: str, path: Path, literals: Path) -> float:
    """CPU seconds a tool needs to count the lines that hold one of ``literals``."""
    threads = ["-j1"] if tool == "rg" else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [tool, "-c", "-a", "-F", *threads, "-f", literals, path],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure every kind of log, one after the other."""
    os.environ["POLARS_MAX_THREADS"] = "1"
    from inquest.analyze.logs.registry import REGISTRY

    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 100_000_000
    context = multiprocessing.get_context("spawn")
    tools = [tool for tool in ("grep", "rg") if shutil.which(tool)]
    with tempfile.TemporaryDirectory() as folder:
        literals = Path(folder, "literals")
        literals.write_text("".join(f"{each}\n" for each in sorted({a for p in REGISTRY for a in p.anchors})))
        for kind in KINDS:
            path = Path(folder, "log.txt")
            write(path, kind, size)
            megabytes = path.stat().st_size / 1e6
            # Before the pool, whose end would count as a child's time.
            floors = "  ".join(f"{tool} {megabytes / floor(tool, path, literals):5.0f} MB/s" for tool in tools)
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                imported, parsed, peak, rows = pool.submit(measure, str(path)).result()
            print(
                f"{kind:12} {megabytes:7.1f} MB  import {imported:6.2f} s ({megabytes / imported:4.0f} MB/s)"
                f"  facts {parsed:6.2f} s ({megabytes / parsed:5.0f} MB/s)  peak {peak:5.0f} MB"
                f"  | {floors} | {rows}",
                flush=True,
            )


if __name__ == "__main__":
    main()
