"""Bytes a GPU-hour of every table that a node writes with everything on, sealed, and of which columns.

    .venv/bin/python benchmarks/table_bytes.py [--seconds 120] [--gpus 8] [--keep DIR]

A node of stub GPUs (SIMULATED, with readings that wander) and a job whose ranks call CUDA and NCCL as a step of 0.3 s
does: 2,000 launches, 50 copies, 40 collectives on three communicators. The recorder and its probes are real (root).
What a recording costs once (footers, who the node is, topology) is measured by a second, short recording and told
apart: the rest grows with time. Logs and stacks are no part of the limit.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
from stub_gpus.nodes import Mix, run

from inquest.bundle.seal import seal_capture

LIMIT = 5_000_000
NOT_OF_THE_LIMIT = ("log_lines", "log_gaps", "stacks", "stack_samples", "artifact_parts")


def record(folder: Path, seconds: float, gpus: int) -> tuple[dict[str, tuple[int, int]], Path]:
    """Sealed bytes and rows by table of a recording that long, and where it is."""
    out, stubs = folder / "out", folder / "stubs"
    stubs.mkdir(parents=True)
    run(out, stubs, Mix(seconds), nodes=1, gpus=gpus, ranks=gpus)
    (capture,) = out.glob("node-a/*")
    seal_capture(capture, raw_logs=True)
    found: dict[str, tuple[int, int]] = {}
    for path in capture.glob("*.parquet"):
        table = path.name.partition(".")[0]
        size, rows = found.get(table, (0, 0))
        found[table] = size + path.stat().st_size, rows + pq.read_metadata(path).num_rows
    return found, capture


def by_column(capture: Path, table: str) -> list[tuple[str, int]]:
    """Bytes of the columns of a table, largest first; those of no consequence left out."""
    sizes: Counter[str] = Counter()
    for path in capture.glob(f"{table}.*.parquet"):
        meta = pq.read_metadata(path)
        for group in range(meta.num_row_groups):
            for number in range(meta.num_columns):
                column = meta.row_group(group).column(number)
                sizes[column.path_in_schema] += column.total_compressed_size
    return [(name, size) for name, size in sizes.most_common(8) if size > sizes.total() / 50]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = args.keep or Path(name)
        short_s = min(20.0, args.seconds / 3)
        once, _ = record(folder / "short", short_s, args.gpus)
        after, capture = record(folder / "long", args.seconds, args.gpus)
        columns = {table: by_column(capture, table) for table in after}
    # A busy machine makes the recorder miss ticks: what counts is the ticks that are there.
    ticks = after["host_samples"][1] - once["host_samples"][1]
    hours = ticks / 3600 * args.gpus
    print(f"{args.gpus} stub GPUs and ranks; {ticks} ticks of {args.seconds - short_s:.0f} held; bytes a GPU-hour")
    print(f"{'table':18}{'rows':>12}{'bytes':>12}{'once, a node':>14}  columns, of all")
    total = 0.0
    rates = {table: (size - once.get(table, (0, 0))[0]) / hours for table, (size, _) in after.items()}
    for table in sorted(rates, key=lambda table: -rates[table]):
        size, rows = after[table]
        own, first = once.get(table, (0, 0))
        counts = table not in NOT_OF_THE_LIMIT
        total += rates[table] if counts else 0
        most = ", ".join(f"{name} {share / size:.0%}" for name, share in columns[table])
        told = most if counts else "(no part of the sum)"
        print(f"{table:18}{(rows - first) / hours:12,.0f}{rates[table]:12,.0f}{own:14,}  {told}")
    print(f"{'in all':18}{'':12}{total:12,.0f}{'':14}  {'within' if total <= LIMIT else 'NOT within'} {LIMIT:,}")


if __name__ == "__main__":
    main()
