"""Counters of GPUs, hosts, networks, disks and ranks: one table says which, one place how they are thinned.

What the source counts up since boot is drawn as a rate, over the stretches that are drawn; where a counter was reset
there is no reading.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from inquest.analyze.stretches import EXACT_ROWS
from inquest.bundle.by_node import extent
from inquest.render.rates import LAUNCH, Tally, calls_once, tallied
from inquest.render.reduced import gauges, growth
from inquest.render.thin import extremes
from inquest.render.timeline import canvas as limits
from inquest.render.wording import duration, one_line

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.render.reduced import Reduced
    from inquest.render.timeline.canvas import Canvas

_STRETCHES: Final = 240
"""Stretches of what is summed up, where a table is large."""


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """One counter.

    Attributes:
        table: Where it is read.
        value: Column that is drawn; of ``Kind.TALLY`` what is added up.
        label: Name of its track, after what it is of.
        unit: Unit of the readings as drawn.
        of: Column that tells several of a node apart: a GPU, an interface, a rank.
        kind: What the column is.
        where: Rows that count.
    """

    table: str
    value: str
    label: str
    unit: str
    of: str = ""
    kind: Kind = "gauge"
    where: pl.Expr | None = None
    scale: float = 1.0
    """What a reading is multiplied by to be in ``unit``."""

    @property
    def group(self) -> str:
        """Group of the node's tracks that it stands in, unless it is of a rank."""
        return _GROUPS.get(self.table, "Host")


Kind = Literal["gauge", "growing", "tally"]
"""A reading of the moment; what counts up since boot; what was counted in the time before the row (``duration_ns``)."""

_GROUPS: Final = {
    "gpu_samples": "GPUs",
    "nvlink_samples": "GPUs",
    "net_samples": "Network and disks",
    "disk_samples": "Network and disks",
}

_WAIT: Final = pl.col("api").cast(pl.String).str.contains("Synchronize")
_COPY: Final = pl.col("direction").is_not_null()
_PREEMPTED: Final = pl.col("prev_state").cast(pl.String) == "runnable"

COUNTERS: Final = (
    Counter("gpu_samples", "fb_used_bytes", "memory used", "bytes", "gpu_index"),
    Counter("gpu_samples", "engine_active", "engine busy", "share", "gpu_index"),
    Counter("gpu_samples", "sm_active", "SMs busy", "share", "gpu_index"),
    Counter("gpu_samples", "tensor_active", "tensor pipe busy", "share", "gpu_index"),
    Counter("gpu_samples", "dram_active", "memory moving data", "share", "gpu_index"),
    Counter("gpu_samples", "temp_core_c", "temperature", "C", "gpu_index"),
    Counter("gpu_samples", "temp_memory_c", "memory temperature", "C", "gpu_index"),
    Counter("gpu_samples", "power_w", "power", "W", "gpu_index"),
    Counter("gpu_samples", "sm_clock_mhz", "SM clock", "MHz", "gpu_index"),
    Counter("gpu_samples", "pcie_rx_bytes_s", "PCIe received", "bytes/s", "gpu_index"),
    Counter("gpu_samples", "pcie_tx_bytes_s", "PCIe sent", "bytes/s", "gpu_index"),
    Counter("nvlink_samples", "rx_bytes", "NVLink received", "bytes/s", "gpu_index", "growing"),
    Counter("nvlink_samples", "tx_bytes", "NVLink sent", "bytes/s", "gpu_index", "growing"),
    Counter("host_samples", "memory_available_bytes", "host memory available", "bytes"),
    Counter("host_samples", "cpu_user_share", "CPU user", "share"),
    Counter("host_samples", "cpu_iowait_share", "CPU waiting for I/O", "share"),
    Counter("host_samples", "cpu_steal_share", "CPU stolen", "share"),
    Counter("host_samples", "psi_cpu_some_avg10", "CPU pressure", "%"),
    Counter("host_samples", "psi_memory_some_avg10", "memory pressure", "%"),
    Counter("host_samples", "psi_io_some_avg10", "I/O pressure", "%"),
    Counter("cgroup_samples", "memory_used_bytes", "cgroup memory used", "bytes", "cgroup"),
    Counter("cgroup_samples", "memory_limit_bytes", "cgroup memory limit", "bytes", "cgroup"),
    Counter("net_samples", "rx_bytes", "received", "bytes/s", "interface", kind="growing"),
    Counter("net_samples", "tx_bytes", "sent", "bytes/s", "interface", kind="growing"),
    Counter("disk_samples", "read_bytes", "read", "bytes/s", "device", kind="growing"),
    Counter("disk_samples", "written_bytes", "written", "bytes/s", "device", kind="growing"),
    Counter("cuda_calls", "count", "kernel launches", "1/s", "rank", kind="tally", where=LAUNCH),
    Counter("cuda_calls", "total_ns", "time in CUDA waits", "share", "rank", kind="tally", where=_WAIT, scale=1e-9),
    Counter("cuda_calls", "bytes", "CUDA copies", "bytes/s", "rank", kind="tally", where=_COPY),
    Counter(
        "sched_samples", "total_ns", "waiting for a CPU", "share", "rank", kind="tally", where=_PREEMPTED, scale=1e-9
    ),
)


def draw(canvas: Canvas) -> None:
    """Draw every counter that was captured, in an equal share of what may be drawn."""
    evidence = canvas.evidence
    gauged = {table: gauges(evidence, table) for table in dict.fromkeys(c.table for c in COUNTERS if c.kind == "gauge")}
    tallies = _tallied(evidence)
    summed = {counter: _summed(evidence, counter, tallies) for counter in COUNTERS if counter.kind != "gauge"}
    held = {c: _height(c, gauged[c.table]) if c.kind == "gauge" else summed[c][0].height for c in COUNTERS}
    most = _fair(list(held.values()), limits.MOST_READINGS)
    for counter in (counter for counter, height in held.items() if height):
        samples = gauged.get(counter.table)
        readings, note = _gauge(counter, samples, most) if samples is not None else summed[counter]
        if readings.height > most:
            readings, note = _thinned(readings, most)
        if note:
            canvas.notes.append(f"{counter.label}: {note}")
        _draw(canvas, counter, readings)


def _fair(totals: list[int], budget: int) -> int:
    """The most that each may have so that all together stay within the budget: who needs less leaves it to others."""
    left = budget
    wanting = sorted(total for total in totals if total)
    for index, total in enumerate(wanting):
        share = left // (len(wanting) - index)
        if total > share:
            return share
        left -= total
    return budget


def _height(counter: Counter, samples: Reduced | None) -> int:
    """How many readings of a gauge there are: where stretches were made, their ends."""
    return 0 if samples is None else samples.frame[counter.value].count() * (2 if samples.reduced else 1)


def _series(counter: Counter) -> pl.Expr:
    """Node and what it is of."""
    of = pl.col(counter.of).cast(pl.String) if counter.of else pl.lit("")
    of = pl.coalesce(of, "gpu_uuid", pl.lit("?")) if counter.of == "gpu_index" else of.fill_null("?")
    return pl.concat_str(pl.col("node").cast(pl.String), of, separator="\0")


def _gauge(counter: Counter, samples: Reduced, most: int) -> tuple[pl.DataFrame, str]:
    """Columns series, x (ns) and y, ordered, where stretches were made at most ``most``; what was done to them."""
    joined = -(-_height(counter, samples) // most) if samples.reduced else 1
    note = _every(samples.width * joined) if samples.reduced else ""
    return samples.ends(counter.value, _series(counter), joined).sort("series", "x", "y").collect(), note


def _tallied(evidence: Evidence) -> dict[Counter, tuple[pl.DataFrame, str]]:
    """Of each tally the columns node, what it is of, x (ns) and y; and what was done to them, in words."""
    told: dict[Counter, tuple[pl.DataFrame, str]] = {}
    tallies = [counter for counter in COUNTERS if counter.kind == "tally"]
    for (table, of), some in itertools.groupby(tallies, lambda counter: (counter.table, counter.of)):
        counters = list(some)
        rows, low, high = extent(evidence.store, table)
        width = 1 if rows <= EXACT_ROWS else max(2, -(-(high - low + 1) // _STRETCHES))
        asked = [Tally(counter.value, counter.where) for counter in counters]
        once = {"rows": calls_once(evidence)} if table == "cuda_calls" else {}
        found = tallied(evidence, table, asked, ("node", of), low, width, **once)
        told |= {counter: (frame, _mean(width)) for counter, frame in zip(counters, found, strict=True)}
    return told


def _summed(
    evidence: Evidence, counter: Counter, tallies: dict[Counter, tuple[pl.DataFrame, str]]
) -> tuple[pl.DataFrame, str]:
    """Columns series, x (ns) and y, ordered; and what was done to them, in words."""
    if counter.kind == "growing":
        grown = growth(evidence, counter.table)
        told, note = grown.rates[counter.value], _mean(grown.width)
    else:
        told, note = tallies[counter]
    return told.select("x", "y", series=_series(counter)).sort("series", "x"), note


def _mean(width: int) -> str:
    return f"mean of every {duration(width)}" if width > 1 else ""


def _thinned(readings: pl.DataFrame, most: int) -> tuple[pl.DataFrame, str]:
    low, high, series = readings.select(
        low=pl.col("x").min(), high=pl.col("x").max(), series=pl.col("series").n_unique()
    ).row(0)
    width = -(-(high - low + 1) // max(1, most // (2 * series)))
    return extremes(readings.lazy(), low, width).collect(), _every(width)


def _every(width: int) -> str:
    return f"least and greatest reading of every {duration(width)}"


def _draw(canvas: Canvas, counter: Counter, readings: pl.DataFrame) -> None:
    for (series,), part in readings.group_by("series", maintain_order=True):
        node, of = str(series).split("\0", 1)
        rank = int(of) if counter.of == "rank" and of.lstrip("-").isdecimal() else None
        parent = canvas.rank(rank)
        if parent is None and canvas.node(node) is not None:
            parent = canvas.group(node, counter.group)
        if parent is None:
            continue
        order = 100 + (int(of) if of.isdecimal() else 0)
        track = canvas.counter(_named(counter, of), parent, counter.unit, order)
        for ts_ns, value in part.select("x", "y").iter_rows():
            canvas.trace.count(track, ts_ns, value * counter.scale)


def _named(counter: Counter, of: str) -> str:
    """The label, with what it is of before it."""
    match counter.of:
        case "gpu_index":
            return f"GPU {one_line(of, 60)} {counter.label}"
        case "cgroup":
            return f"{one_line(of.rsplit('/', 1)[-1], 40)} {counter.label}"
        case "interface" | "device":
            return f"{one_line(of, 40)} {counter.label}"
        case _:
            return counter.label
