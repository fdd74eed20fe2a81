"""Counters of GPUs, hosts, networks, disks and ranks: one table says which, one place how they are thinned.

What the source counts up since boot is drawn as a rate, over the stretches that are drawn; where a counter was reset
there is no reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.render.rates import SECOND, rates
from inquest.render.thin import extremes
from inquest.render.timeline import canvas as limits
from inquest.render.wording import duration, one_line

if TYPE_CHECKING:
    from inquest.render.timeline.canvas import Canvas


@dataclass(frozen=True, slots=True)
class Counter:
    """One counter.

    Attributes:
        table: Where it is read.
        value: Column, or what is computed of the row.
        label: Name of its track, after what it is of.
        unit: Unit of the readings as drawn.
        of: Column that tells several of a node apart: a GPU, an interface, a rank.
        parts: Columns that tell apart what is added up in one reading, such as links of a GPU.
        rate: The value counts up; its growth per second is drawn.
        where: Rows that count.
    """

    table: str
    value: str | pl.Expr
    label: str
    unit: str
    of: str = ""
    parts: tuple[str, ...] = ()
    rate: bool = False
    where: pl.Expr | None = None


def _per_second(column: str) -> pl.Expr:
    return pl.col(column) * SECOND / pl.col("duration_ns")


_LAUNCH: Final = pl.col("api").cast(pl.String).str.contains("Launch")
_WAIT: Final = pl.col("api").cast(pl.String).str.contains("Synchronize")
_COPY: Final = pl.col("direction").is_not_null()

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
    Counter("nvlink_samples", "rx_bytes", "NVLink received", "bytes/s", "gpu_index", ("link",), rate=True),
    Counter("nvlink_samples", "tx_bytes", "NVLink sent", "bytes/s", "gpu_index", ("link",), rate=True),
    Counter("host_samples", "memory_available_bytes", "host memory available", "bytes"),
    Counter("host_samples", "cpu_user_share", "CPU user", "share"),
    Counter("host_samples", "cpu_iowait_share", "CPU waiting for I/O", "share"),
    Counter("host_samples", "cpu_steal_share", "CPU stolen", "share"),
    Counter("host_samples", "psi_cpu_some_avg10", "CPU pressure", "%"),
    Counter("host_samples", "psi_memory_some_avg10", "memory pressure", "%"),
    Counter("host_samples", "psi_io_some_avg10", "I/O pressure", "%"),
    Counter("cgroup_samples", "memory_used_bytes", "cgroup memory used", "bytes", "cgroup"),
    Counter("cgroup_samples", "memory_limit_bytes", "cgroup memory limit", "bytes", "cgroup"),
    Counter("net_samples", "rx_bytes", "received", "bytes/s", "interface", rate=True),
    Counter("net_samples", "tx_bytes", "sent", "bytes/s", "interface", rate=True),
    Counter("disk_samples", "read_bytes", "read", "bytes/s", "device", rate=True),
    Counter("disk_samples", "written_bytes", "written", "bytes/s", "device", rate=True),
    Counter("cuda_calls", _per_second("count"), "kernel launches", "1/s", "rank", ("pid", "api"), where=_LAUNCH),
    Counter("cuda_calls", pl.col("total_ns") / pl.col("duration_ns"), "time in CUDA waits", "share", "rank",
            ("pid", "api"), where=_WAIT),
    Counter("cuda_calls", _per_second("bytes"), "CUDA copies", "bytes/s", "rank", ("pid", "api"), where=_COPY),
    Counter("sched_samples", pl.col("total_ns") / pl.col("duration_ns"), "waiting for a CPU", "share", "rank",
            ("pid",), where=pl.col("prev_state").cast(pl.String) == "runnable"),
)  # fmt: skip


def draw(canvas: Canvas) -> None:
    """Draw every counter that was captured, in an equal share of what may be drawn."""
    frames = [(counter, _readings(canvas, counter)) for counter in COUNTERS]
    totals = [_total(frame) for _, frame in frames]
    most = _fair(totals, limits.MOST_READINGS)
    for (counter, frame), total in zip(frames, totals, strict=True):
        if total:
            _draw(canvas, counter, _thinned(canvas, counter, frame, total, most))


def _total(frame: pl.LazyFrame) -> int:
    return int(frame.select(pl.len()).collect(engine="streaming").item())


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


def _readings(canvas: Canvas, counter: Counter) -> pl.LazyFrame:
    """Columns series (what it is of), part, x (ns) and y, without nulls and NaN."""
    value = pl.col(counter.value) if isinstance(counter.value, str) else counter.value
    rows = canvas.evidence.scan(counter.table)
    if counter.where is not None:
        rows = rows.filter(counter.where)
    of = pl.col(counter.of).cast(pl.String) if counter.of else pl.lit("")
    of = pl.coalesce(of, "gpu_uuid", pl.lit("?")) if counter.of == "gpu_index" else of.fill_null("?")
    part = [pl.col(name).cast(pl.String).fill_null("") for name in counter.parts] or [pl.lit("")]
    readings = rows.select(
        series=pl.concat_str(pl.col("node").cast(pl.String), of, separator="\0"),
        part=pl.concat_str(part, separator="\0"),
        x="ts_ns",
        y=value.cast(pl.Float64),
    )
    return readings.drop_nulls().filter(pl.col("y").is_finite())


def _thinned(canvas: Canvas, counter: Counter, frame: pl.LazyFrame, total: int, most: int) -> pl.DataFrame:
    bounds = frame.select(low=pl.col("x").min(), high=pl.col("x").max(), series=pl.col("series").n_unique())
    low, high, series = bounds.collect(engine="streaming").row(0)
    width = 1
    if total > most:
        per_series = max(1, most // (series if counter.rate or counter.parts else 2 * series))
        width = -(-(high - low + 1) // per_series)
    if counter.rate or counter.parts:
        if width > 1:
            what = "mean rate" if counter.rate else "greatest reading"
            canvas.notes.append(f"{counter.label}: {what} of every {duration(width)}")
        return _sums(frame, counter, low, width)
    if width == 1:
        return frame.select("series", "x", "y").sort("series", "x").collect()
    canvas.notes.append(f"{counter.label}: least and greatest reading of every {duration(width)}")
    return extremes(frame.select("series", "x", "y"), low, width).collect()


def _sums(frame: pl.LazyFrame, counter: Counter, low: int, width: int) -> pl.DataFrame:
    """Readings of all parts added up, by stretch; of what counts up the mean growth per second since the one before."""
    bucket = (pl.col("x") - low) // width
    if not counter.rate:
        return (
            frame.group_by("series", "x")
            .agg(pl.col("y").sum())
            .group_by("series", bucket=bucket)
            .agg(x=pl.col("x").sort_by("y", "x").last(), y=pl.col("y").max())
            .select("series", "x", "y")
            .sort("series", "x")
            .collect()
        )
    return rates(frame, low, width).collect()


def _draw(canvas: Canvas, counter: Counter, readings: pl.DataFrame) -> None:
    for (series,), part in readings.group_by("series", maintain_order=True):
        node, of = str(series).split("\0", 1)
        rank = int(of) if counter.of == "rank" and of.lstrip("-").isdecimal() else None
        parent = canvas.home(node, rank)
        if parent is None:
            continue
        order = 100 + (int(of) if of.isdecimal() else 0)
        track = canvas.trace.counter(_named(counter, of), parent, counter.unit, order)
        for ts_ns, value in part.select("x", "y").iter_rows():
            canvas.trace.count(track, ts_ns, value)


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
