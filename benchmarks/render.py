"""What the report and the timeline cost at 4, 64 and 512 ranks, on SIMULATED bundles.

    python benchmarks/render.py [--ranks 4 64 512] [--keep DIR]

The bundles are those of ``scale.py`` over one hour at 1 Hz, with all that a timeline can hold added: every rank prints
its steps, probes saw its collectives, rank 0 was profiled; at 512 ranks each layer of the timeline meets its bound. One
process a size decides, then makes the report, then the timeline: wall and CPU seconds count from the verdict to the
written file, the memory is the peak of that whole process. A million events are written by a process of their own.

Readable counts, by Chromium's own clock, from the begin of navigation to the last of first contentful paint,
DOMContentLoaded and load, with the whole page laid out: the least of three visits after one that warms it up.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import polars as pl
import scale
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

from tests.render.chromium import Chromium

if TYPE_CHECKING:
    from inquest.bundle.journal import Journal

SECONDS = 3600
STEPS_EVERY_S = 4
COLLECTIVES_A_STEP = 2
PROFILED_SPANS = 200_000
LIMITS = {"report MB": 2, "report s": 2, "readable s": 1, "M events": 1, "1 M events s": 4, "1 M events MB": 400}


# --- the simulated job ------------------------------------------------------------------------------------------------
def more(journal: Journal, ranks: range, seconds: int) -> None:
    """Steps, collectives and spans of a profiler, for every rank of a node."""
    steps = pl.DataFrame({"step": range(1, seconds // STEPS_EVERY_S)})
    who = pl.DataFrame({"rank": list(ranks), "pid": [1000 + local for local in range(len(ranks))]})
    at = pl.col("step") * STEPS_EVERY_S * scale.SECOND + pl.col("rank") * 1000
    every = steps.join(who, how="cross").with_columns(at=at, slow=(pl.struct("step", "rank").hash(1) % 1000) / 1000)
    text = pl.format(
        "step {}/{} | loss {} | lr 3.0e-04 | step time {} s",
        "step",
        2 * steps.height,
        (2 + 8 / pl.col("step")).round(4),
        (STEPS_EVERY_S + pl.col("slow") / 10).round(3),
    )
    lines = every.filter(pl.col("rank") > 0).select(  # rank 0 has lines of its own
        ts_mono_ns="at",
        stream=pl.lit("stdout"),
        source=pl.format("rank{}.out", "rank"),
        task=pl.col("rank") - ranks[0],
        rank="rank",
        pid="pid",
        offset=pl.col("step") * 80,
        text=text,
        line_bytes=text.str.len_bytes(),
        eol=pl.lit("lf"),
    )
    scale.append(journal, "log_lines", lines)
    calls = every.join(pl.DataFrame({"part": range(COLLECTIVES_A_STEP)}), how="cross")
    begin = pl.col("at") + pl.col("part") * scale.SECOND
    number = pl.col("step") * COLLECTIVES_A_STEP + pl.col("part")
    last = number == number.max()
    lost = last & (pl.col("rank") % 2 == 0)
    scale.append(
        journal,
        "nccl_collectives",
        calls.select(
            "rank",
            "pid",
            ts_mono_ns=begin,
            enqueue_mono_ns=begin,
            complete_mono_ns=pl.when(~lost).then(begin + (2e8 + 1e8 * pl.col("slow")).cast(pl.Int64)),
            duration_ns=pl.lit(20_000),
            comm=pl.lit("0xc0"),
            op=pl.lit("ncclAllReduce"),
            coll_seq=number,
            bytes=pl.lit(256 << 20),
            comm_rank="rank",
        ),
    )
    if ranks[0] == 0:
        took = seconds * scale.SECOND // (PROFILED_SPANS + 1)
        spans = pl.DataFrame({"at": range(PROFILED_SPANS)}).select(
            ts_mono_ns=pl.col("at") * took,
            rank=pl.lit(0),
            pid=pl.lit(1000),
            tid=pl.lit(1000),
            name=pl.format("aten::op{}", pl.col("at") % 60),
            category=pl.lit("cpu_op"),
            duration_ns=(took * (0.5 + 0.4 * (pl.col("at").hash(2) % 1000) / 1000)).cast(pl.Int64),
            source=pl.lit("kineto"),
        )
        scale.append(journal, "trace_spans", spans)


def bundle_of(ranks: int, folder: Path) -> Path:
    """A simulated bundle; one that is there is used again."""
    bundle = folder / f"render-{ranks}.inquest"
    if not bundle.exists():
        per_node = min(scale.PER_NODE, ranks)
        with tempfile.TemporaryDirectory(prefix="render") as scratch:
            scale.write(Path(scratch), ranks // per_node, SECONDS, per_node, more)
            command = [sys.executable, "-m", "inquest", "merge", scratch, "-o", str(bundle), "--json"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return bundle


# --- what is measured, each in a process of its own -------------------------------------------------------------------
_START = """
import sys, time
from pathlib import Path
from inquest.cli import settle
settle()
from inquest.analyze.engine import analyze
from inquest.bundle.store import BundleStore
from inquest.render import report, timeline
from inquest.render.perfetto import TraceWriter
def told(begin, data):
    now = time.perf_counter() - begin[0], time.process_time() - begin[1]
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]
    print("MEASURED", len(data) / 1e6, *now, int(peak) / 1000)
def start():
    return time.perf_counter(), time.process_time()
"""
_VIEWS = """
verdict, evidence = analyze(BundleStore(Path(sys.argv[1])))
for view, out in ((report, sys.argv[2]), (timeline, sys.argv[3])):
    begin = start()
    data = view.render(verdict, evidence)
    Path(out).write_bytes(data)
    told(begin, data)
"""
_MILLION = """
begin, base = start(), 1_763_672_400 * 10**9
writer = TraceWriter(base)
tracks = [writer.track(f"rank {rank}") for rank in range(100)]
counters = [writer.counter("power", track, "W") for track in tracks]
for at in range(250_000):
    now, track = base + at * 10_000, at % 100
    args = {"step": at, "bytes": 1 << 20, "comm": "0xc0", "table": "nccl_collectives", "seq": at}
    writer.begin(tracks[track], now, f"all_reduce #{at % 1000}", "collective", args)
    writer.count(counters[track], now, at * 0.5)
    writer.count(counters[track], now + 4_000, at * 0.25)
    writer.end(tracks[track], now + 8_000)
data = writer.finish()
Path(sys.argv[1]).write_bytes(data)
told(begin, data)
"""


def measured(code: str, *arguments: Path) -> list[list[float]]:
    """Of each thing that was made: MB, wall seconds, CPU seconds, and the peak of the process so far in MB."""
    command = [sys.executable, "-c", _START + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return [[float(word) for word in line.split()[1:]] for line in done.stdout.splitlines() if "MEASURED" in line]


_READABLE = """(async () => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    const page = performance.getEntriesByType("navigation")[0];
    document.body.getBoundingClientRect();
    return Math.max(paint ? paint.startTime : Infinity, page.domContentLoadedEventEnd, page.loadEventEnd) / 1000;
})()"""


def readable(page: Path, browser: Chromium) -> float:
    """Seconds from the begin of navigation until the page is painted, parsed, laid out and loaded."""
    browser.visit(page)
    return min(float(browser.visit(page, ask=_READABLE).answer) for _ in range(3))


def events(trace: Path) -> int:
    """Events of a trace: packets that are no tracks."""
    packets = pb.Trace.FromString(trace.read_bytes()).packet
    return sum(packet.HasField("track_event") for packet in packets)


def main() -> int:
    """One line a size, and one for a million events."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--ranks", type=int, nargs="+", default=[4, 64, 512])
    ask.add_argument("--keep", type=Path, help="keep bundles and views here, and use the bundles that are there")
    given = ask.parse_args()
    worst: dict[str, float] = {}

    def hold(name: str, value: float) -> None:
        worst[name] = max(worst.get(name, 0.0), value)

    print(f"SIMULATED, {SECONDS // 3600} h at 1 Hz; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("ranks  report MB  wall s  CPU s  readable s   trace MB  M events  wall s  CPU s  process MB")
    with tempfile.TemporaryDirectory(prefix="render") as scratch, Chromium() as browser:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for ranks in given.ranks:
            page, trace = folder / f"report-{ranks}.html", folder / f"timeline-{ranks}.pftrace"
            html, drawn = measured(_VIEWS, bundle_of(ranks, folder), page, trace)
            seen, count = readable(page, browser), events(trace) / 1e6
            print(
                f"{ranks:5} {html[0]:10.2f} {html[1]:7.2f} {html[2]:6.2f} {seen:11.2f} {drawn[0]:10.1f} {count:9.2f}"
                f" {drawn[1]:7.2f} {drawn[2]:6.2f} {drawn[3]:11.0f}",
                flush=True,
            )
            for name, value in zip(LIMITS, (html[0], html[1], seen, count), strict=False):
                hold(name, value)
        ((size, wall, cpu, peak),) = measured(_MILLION, folder / "million.pftrace")
        print(f"1,000,000 events alone: {size:.1f} MB, {wall:.2f} s wall, {cpu:.2f} s CPU, process {peak:.0f} MB")
        hold("1 M events s", wall)
        hold("1 M events MB", peak)
    for name, limit in LIMITS.items():
        print(f"{name}: {worst[name]:.2f} of at most {limit:g}{'' if worst[name] <= limit else ': MISSED'}")
    return 0 if all(worst[name] <= limit for name, limit in LIMITS.items()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
