"""Speed and memory of reading logs: ``python benchmarks/log_scan.py [megabytes]``.

Writes logs of a given size into a temporary directory (a clean log of ordinary lines, one of metric lines, one of
tracebacks, one single line), and prints, for each, seconds and MB/s of import and of parsing, and the peak memory of
the process that did it. Every case runs in a process of its own.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

import multiprocessing
import resource
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


def lines(kind: str, size: int) -> str:
    if kind == "clean":
        block = "".join(CLEAN.format(i // 60 % 60, i % 60, i % 8, i, i % 977, i % 13) for i in range(20_000))
    elif kind == "metrics":
        block = "".join(METRIC.format(i // 60 % 60, i % 60, i, i % 9999, i % 10, i % 300) for i in range(20_000))
    else:
        block = "".join(CLEAN.format(i // 60 % 60, i % 60, i % 8, i, i, i) for i in range(2000))
        block += "".join(TRACEBACK.format(i % 8, i, i) for i in range(200))
    return block * max(1, size // len(block))


def write(path: Path, kind: str, size: int) -> None:
    with path.open("w") as out:
        if kind == "single line":
            for _ in range(size // 1_000_000):
                out.write("x" * 1_000_000)
        else:
            block = lines(kind, min(size, 20_000_000))
            for _ in range(max(1, size // len(block))):
                out.write(block)


def measure(path: str) -> tuple[float, float, float, float, dict[str, int]]:
    began = time.perf_counter()
    from inquest.analyze.logs import parse_logs
    from inquest.bundle.logs_import import import_logs

    loaded = time.perf_counter()
    store = import_logs([path])
    imported = time.perf_counter()
    facts = parse_logs(store)
    parsed = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = {name: frame.height for name, frame in facts.items()}
    return loaded - began, imported - loaded, parsed - imported, peak, rows


def main() -> None:
    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 10_000_000
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("clean", "metrics", "tracebacks", "single line"):
            path = Path(folder, "log.txt")
            write(path, kind, size)
            megabytes = path.stat().st_size / 1e6
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                start, imported, parsed, peak, rows = pool.submit(measure, str(path)).result()
            print(
                f"{kind:12} {megabytes:7.1f} MB  start {start:.2f} s  import {imported:6.2f} s ({megabytes / imported:5.0f} MB/s)"
                f"  parse {parsed:6.2f} s ({megabytes / parsed:5.0f} MB/s)  peak {peak:5.0f} MB  {rows}"
            )


if __name__ == "__main__":
    main()
