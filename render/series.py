"""From rows of evidence to the charts of the report: reduced to what a picture can show, never hiding one bad rank.

Few series are drawn one by one, each stretch of the axis by its least and greatest reading. Many series become the
median, the band from the 5th to the 95th percentile, the least and the greatest reading of all (faint), and the few
series that stray farthest, by name.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.each_gpu import in_order, numbered
from inquest.render.charts import Band, Chart, Level, Line
from inquest.render.collectives import GROUP, seen
from inquest.render.reduced import gauges, growth
from inquest.render.tables import lazy
from inquest.render.thin import extremes
from inquest.render.wording import duration, number, one_line, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict
    from inquest.render.charts import Point

FEW: Final = 4
"""Up to this many series are drawn one by one."""

BUCKETS: Final = 160
"""Stretches the axis is cut into: about three pixels each."""

_NAMED_OUTLIERS: Final = 2
_GIB: Final = float(1 << 30)
_LARGEST: Final = 1e100  # what no sensor and no loss exceeds: beyond it the arithmetic of an axis overflows


@dataclass(frozen=True, slots=True)
class _Drawn:
    lines: tuple[Line, ...]
    bands: tuple[Band, ...]
    note: str


def charts(verdict: Verdict, evidence: Evidence, hands: Executor) -> Iterator[Chart]:
    """Every chart the evidence can fill, in the order of the report. Yields nothing for what was not captured.

    Each part waits for tables of its own, so they are made side by side; those that read most, at the end, are begun
    first.
    """
    parts: tuple[Callable[[], list[Chart]], ...] = (
        lambda: list(_learning(verdict, evidence)),
        lambda: _marked(verdict, _gpu(verdict, evidence)),
        lambda: _marked(verdict, _host(evidence)),
        lambda: _marked(verdict, _arrivals(evidence)),
        *(partial(lambda table: _marked(verdict, _grown(evidence, table)), table) for table in _GROWING),
    )
    begun = [hands.submit(part) for part in reversed(parts)]
    return (chart for part in reversed(begun) for chart in part.result())


def _marked(verdict: Verdict, drawn: Iterable[Chart]) -> list[Chart]:
    """Charts over time, with the first failure in those that reach it."""
    mark = verdict.first_failing.ts_ns
    found = []
    for chart in drawn:
        times = [x for line in chart.lines for run in line.runs for x, _ in run]
        reached = mark is not None and bool(times) and min(times) <= mark <= max(times)
        found.append(replace(chart, mark=float(mark)) if mark is not None and reached else chart)
    return found


# --- training progress, by step ----------------------------------------------------------------------------------
_PROGRESS: Final = (
    ("loss", "Training loss", "", False),
    ("eval_loss", "Validation loss", "", False),
    ("grad_norm", "Gradient norm", "", False),
    ("lr", "Learning rate", "", True),
    ("step_s", "Step time", "s", True),
)


def _learning(verdict: Verdict, evidence: Evidence) -> Iterator[Chart]:
    steps = lazy(
        evidence,
        "fact_steps",
        *("ts_ns", "node", "seq", "rank", "attempt", "source", "step"),
        *("loss", "eval_loss", "grad_norm", "lr", "step_time_s"),
    ).filter(pl.col("step").is_not_null())
    rank = pl.when(pl.col("rank").is_not_null()).then(pl.format("rank {}", "rank")).otherwise("source")
    attempt = (
        pl.when(pl.col("attempt") > 0).then(pl.format(", attempt {}", pl.col("attempt") + 1)).otherwise(pl.lit(""))
    )
    frame = (
        steps.with_columns(series=rank.fill_null("log") + attempt)
        .sort("series", "ts_ns", "node", "seq", nulls_last=True)
        .with_columns(step_s=pl.col("step_time_s").fill_null(_seconds_a_step()))
        .collect()
    )
    culprits = {f"rank {rank}" for rank in verdict.culprit_ranks}
    for column, title, unit, from_zero in _PROGRESS:
        readings = frame.select("series", x="step", y=column).drop_nulls()
        finite = pl.col("y").is_finite()
        drawn = _draw(readings.filter(finite).lazy(), culprits)
        if not drawn.lines:
            continue
        wild = readings.filter(~finite)
        note = drawn.note
        if wild.height:
            where = wild.row(wild["x"].arg_min() or 0, named=True)
            first = f"NaN or infinite from step {where['x']:,} ({one_line(where['series'], 60)}), "
            note = f"{first}{plural(wild.height, 'reading')} in all. {note}"
        yield Chart(title, unit, "step", drawn.lines, drawn.bands, note=note.strip(), from_zero=from_zero)


def _seconds_a_step() -> pl.Expr:
    """Time between two reports over the steps between them; null where the step count fell (a restart)."""
    passed = pl.col("ts_ns").diff().over("series")
    steps = pl.col("step").diff().over("series")
    return pl.when((steps > 0) & (passed > 0)).then(passed / 1e9 / steps)


# --- samples, by time --------------------------------------------------------------------------------------------
def _gpu(verdict: Verdict, evidence: Evidence) -> Iterator[Chart]:
    culprits = set(gpu_names(evidence, verdict.culprit_gpus))
    shown = (
        _Gauge(("fb_used_bytes",), "GPU memory used", "GiB", _GIB, "fb_total_bytes"),
        _Gauge(("engine_active", "sm_active"), "GPU engine busy, and SMs busy", "%", 0.01),
        _Gauge(("temp_core_c",), "GPU temperature", "°C"),
        _Gauge(("power_w",), "GPU power", "W", limit="power_limit_w"),
        _Gauge(("sm_clock_mhz",), "SM clock", "MHz", limit="sm_clock_max_mhz"),
    )
    yield from _sampled(evidence, "gpu_samples", GPU_NAME, shown, culprits)


GPU_NAME: Final = pl.format(
    "{} GPU {}", pl.col("node"), pl.coalesce(pl.col("gpu_index").cast(pl.String), pl.col("gpu_uuid"), pl.lit("?"))
)
"""What a GPU is called in the report, from its row of ``gpu_samples``."""


def gpu_names(evidence: Evidence, uuids: Sequence[str]) -> list[str]:
    """What the GPUs with these UUIDs are called."""
    samples = gauges(evidence, "gpu_samples") if uuids else None
    if samples is None:
        return []
    return samples.frame.filter(pl.col("gpu_uuid").is_in(list(uuids))).select(name=GPU_NAME)["name"].unique().to_list()


def _host(evidence: Evidence) -> Iterator[Chart]:
    memory = _Gauge(
        ("memory_available_bytes",), "Host memory available", "GiB", _GIB, "memory_total_bytes", "installed"
    )
    yield from _sampled(evidence, "host_samples", pl.col("node"), (memory,))
    cgroup = pl.format("{} {}", pl.col("node"), pl.col("cgroup").fill_null("/").str.split("/").list.last())
    charged = _Gauge(("memory_used_bytes",), "Memory charged to the job's cgroup", "GiB", _GIB, "memory_limit_bytes")
    yield from _sampled(evidence, "cgroup_samples", cgroup, (charged,))


_GROWING: Final = {
    "net_samples": ("interface", (("rx_bytes", "Network received"), ("tx_bytes", "Network sent"))),
    "nvlink_samples": ("gpu_index", (("rx_bytes", "NVLink received"),)),
    "disk_samples": ("device", (("written_bytes", "Written to disks"), ("read_bytes", "Read from disks"))),
}
"""Of each table: what tells several of a node apart, columns that count up, and their titles."""

_PACES: Final = (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0))


def _grown(evidence: Evidence, table: str) -> Iterator[Chart]:
    of, columns = _GROWING[table]
    held = growth(evidence, table)
    what = pl.col(of).cast(pl.String)
    named = pl.format("{} {}{}", "node", pl.lit("GPU " if of == "gpu_index" else ""), what.fill_null("?"))
    for column, title in columns:
        grown = held.rates[column]
        # What moved nothing at all is left out: a node has a dozen interfaces, and uses two.
        moving = (
            grown.filter(what.ne_missing("lo"))
            .select("x", "y", series=named)
            .filter(pl.col("y").max().over("series") > 0)
        )
        if moving.is_empty():
            continue
        drawn = _draw(moving.lazy())
        note = f"Means of {duration(held.width)}. {drawn.note}" if held.width > 1 else drawn.note
        most = float(moving.select(pl.col("y").max()).item())
        unit, scale = next((row for row in _PACES if most >= row[1]), _PACES[-1])
        yield Chart(title, unit, "time", drawn.lines, drawn.bands, note=note.strip(), scale=scale, from_zero=True)


_MOST_COMMS: Final = 3


def _arrivals(evidence: Evidence) -> Iterator[Chart]:
    """How far apart the ranks of one collective came to it, and who came last."""
    begin, rank = pl.col("begin"), pl.col("rank")
    joined = (
        seen(evidence)
        .drop_nulls(["coll_seq", "rank", "begin"])
        .group_by(GROUP)
        .agg(
            lowest=rank.min(),
            highest=rank.max(),
            first=begin.min(),
            x=begin.max(),
            last=rank.filter(begin == begin.max()).max(),
        )
        .filter(pl.col("lowest") < pl.col("highest"))
        .select(
            "last", "x", series=pl.coalesce("comm_desc", "comm", pl.lit("?")), y=(pl.col("x") - pl.col("first")) / 1e6
        )
        .collect(engine="streaming")
    )
    busiest = joined.group_by("series").agg(pl.len()).sort("len", "series", descending=[True, False])
    kept = busiest.head(_MOST_COMMS)["series"].to_list()
    if not kept:
        return
    drawn = _draw(joined.lazy().filter(pl.col("series").is_in(kept)).select("series", "x", "y"))
    lasts = joined.group_by("last").agg(times=pl.len()).sort("times", "last", descending=[True, False])
    who, times = lasts.row(0)
    notes = [
        f"Rank {who} came last to {times:,} of {lasts['times'].sum():,} collectives.",
        drawn.note,
        _clocks(evidence),
    ]
    note = " ".join(filter(None, notes))
    yield Chart("Collectives: last rank after the first", "ms", "time", drawn.lines, drawn.bands, note=note)


def _clocks(evidence: Evidence) -> str:
    """How much of a difference between nodes the clocks alone may make."""
    bounds = list(evidence.info.offline_bound_ns.values())
    if len(bounds) < 2:
        return ""
    known = [bound for bound in bounds if bound is not None]
    if len(known) < len(bounds):
        return "Clocks of some nodes are not bounded against others: between nodes all of it may be the clocks'."
    return f"Between nodes, less than {number(_three(2 * max(known) / 1e6))} ms may be the clocks'."


_WORDED: Final = {"engine_active": "engine", "sm_active": "SM"}


@dataclass(frozen=True, slots=True)
class _Gauge:
    """A chart of columns of a table of gauges, and the column that limits them."""

    columns: tuple[str, ...]
    title: str
    unit: str
    scale: float = 1.0
    limit: str | None = None
    limit_name: str = "limit"


def _sampled(
    evidence: Evidence, table: str, series: pl.Expr, shown: Sequence[_Gauge], culprits: Collection[str] = ()
) -> Iterator[Chart]:
    """Charts of gauges of one table, of the series that are told apart by their name ``series``."""
    samples = gauges(evidence, table)
    if samples is None:
        return
    crowd = _crowd(samples.together([name for gauge in shown for name in gauge.columns], series))
    for gauge in shown:
        lines: list[Line] = []
        bands: list[Band] = []
        notes: list[str] = []
        for index, column in enumerate(gauge.columns):
            few, tone, prefix = FEW // len(gauge.columns), 1 + index * 3, _WORDED.get(column, "")
            if crowd.count(column) > few:
                drawn = _drawn(crowd, column, culprits, tone, prefix)
            else:
                drawn = _draw(samples.readings(column, series), few=few, tone=tone, prefix=prefix)
            lines += drawn.lines
            bands += drawn.bands
            notes += [drawn.note] if drawn.note and drawn.note not in notes else []
        if not lines:
            continue
        levels: tuple[Level, ...] = ()
        if gauge.limit:
            least = samples.limits.get(gauge.limit)
            highest = max(y for line in lines for run in line.runs for _, y in run)
            if least is not None and least < highest * 50:
                levels = (Level(least, f"{gauge.limit_name} {number(_three(least / gauge.scale))} {gauge.unit}"),)
        note, content = " ".join(notes), (tuple(lines), tuple(bands), levels)
        yield Chart(gauge.title, gauge.unit, "time", *content, note=note, scale=gauge.scale, from_zero=True)


def _three(value: float) -> float:
    return float(f"{value:.3g}")


# --- reduction ---------------------------------------------------------------------------------------------------
def _draw(
    readings: pl.LazyFrame, culprits: Collection[str] = (), *, few: int = FEW, tone: int = 1, prefix: str = ""
) -> _Drawn:
    """Reduce (series, x, y) without nulls or NaN to lines and bands.

    A reading that stands for several, from ``first`` to ``x``, has their ``y.least`` and ``y.most`` beside their mean.
    """
    held = readings.filter(pl.col("y").abs() <= _LARGEST).collect()
    if held.is_empty():
        return _Drawn((), (), "")
    if "first" not in held.columns:
        held = held.with_columns(pl.col("x").alias("first"), pl.col("y").alias("y.least"), pl.col("y").alias("y.most"))
    if held["series"].n_unique() > few:
        return _drawn(_crowd(held), "y", culprits, tone, prefix)
    ends = [held.select("series", x="first", y="y.least"), held.select("series", "x", y="y.most")]
    parts = extremes(pl.concat(ends).lazy(), *_stretches(held)).collect()
    return _Drawn(tuple(_each(parts, tone, prefix)), (), "")


def _stretches(readings: pl.DataFrame) -> tuple[int, int]:
    """Where the first stretch of the axis begins, and how long each is."""
    low, high = readings.select(low=pl.col("x").min(), high=pl.col("x").max()).row(0)
    return low, max(1, -(-(high - low + 1) // BUCKETS))


def _each(readings: pl.DataFrame, tone: int, prefix: str) -> Iterator[Line]:
    for index, part in enumerate(readings.partition_by("series", maintain_order=True)):
        name = " ".join(word for word in (prefix, one_line(part["series"][0], 40)) if word)
        yield Line(name, _runs(_points(part, "y")), (tone + index - 1) % 6 + 1)


@dataclass(frozen=True, slots=True)
class _Crowd:
    """Readings of many series by stretches of the axis.

    Attributes:
        frame: ``of`` (number of a series) and ``bucket`` (of a stretch); of each column ``c`` of readings the columns
            ``c`` (median), ``c.least`` and ``c.most``, null where there was none.
        series: Number (``of``) and name (``series``) of each.
        low: Where the first stretch begins.
        width: How long each is.
    """

    frame: pl.DataFrame
    series: pl.DataFrame
    low: int
    width: int

    def count(self, column: str) -> int:
        """How many series have readings."""
        return self.frame.filter(pl.col(column).is_not_null())["of"].n_unique()


def _crowd(readings: pl.DataFrame) -> _Crowd:
    """Readings by series and stretch, all columns at once: groups cost more than what is told of each."""
    low, width = _stretches(readings)
    rows, series = in_order(readings.drop("first"), ("series",), "of", ("x",))
    medians = [name for name in readings.columns if f"{name}.least" in readings.columns]
    frame = (
        rows.lazy()
        .with_columns(bucket=(pl.col("x") - low) // width)
        .group_by(numbered(pl.col("bucket"), "of").alias("group"), maintain_order=True)
        .agg(
            pl.col("of", "bucket").first(),
            pl.col(medians).quantile(0.5, "lower"),
            pl.col([f"{name}.least" for name in medians]).min(),
            pl.col([f"{name}.most" for name in medians]).max(),
        )
        .collect(engine="in-memory")
    )
    return _Crowd(frame, series, low, width)


def _drawn(crowd: _Crowd, column: str, culprits: Collection[str], tone: int, prefix: str) -> _Drawn:
    least, most = f"{column}.least", f"{column}.most"
    frame = crowd.frame.select("of", "bucket", y=column, least=least, most=most).drop_nulls("y")
    across = (
        frame.group_by("bucket")
        .agg(
            p05=pl.col("y").quantile(0.05, "lower"),
            p50=pl.col("y").quantile(0.5, "lower"),
            p95=pl.col("y").quantile(0.95, "higher"),
            least=pl.col("least").min(),
            most=pl.col("most").max(),
        )
        .sort("bucket")
        .with_columns(x=crowd.low + pl.col("bucket") * crowd.width + crowd.width // 2)
    )
    xs = across["x"].to_list()
    median = Line(f"{prefix} median".strip(), _runs(_points(across, "p50")), tone)
    edges = tuple(
        Line(f"{prefix} {name} of all".strip(), _runs(_points(across, column)), tone, faint=True)
        for name, column in (("least", "least"), ("greatest", "most"))
    )
    band = Band(f"{prefix} 5-95 %".strip(), tuple(zip(xs, across["p05"], across["p95"], strict=True)), tone)
    named = []
    for index, (of, name) in enumerate(_outliers(frame, across, crowd.series, culprits)):
        part = frame.filter(pl.col("of") == of).join(across.select("bucket", "x"), on="bucket").sort("bucket")
        label = f"{prefix} {one_line(name, 40)}".strip()
        named.append(Line(label, _runs(_points(part, "y")), (tone + index) % 6 + 1))
    count = plural(frame["of"].n_unique(), "series", "series")
    note = f"{count}: median, band of 5-95 %, thin lines at the least and greatest reading."
    return _Drawn((*edges, median, *named), (band,), note)


def _outliers(
    frame: pl.DataFrame, across: pl.DataFrame, series: pl.DataFrame, culprits: Collection[str]
) -> list[tuple[int, str]]:
    """The series, number and name, that stray farthest from the band, the verdict's culprits first."""
    spread = pl.max_horizontal(pl.col("p95") - pl.col("p05"), pl.col("p50").abs() * 0.02, pl.lit(1e-12))
    scores = (
        frame.join(across.select("bucket", "p05", "p50", "p95"), on="bucket")
        .with_columns(stray=(pl.col("y") - pl.col("p50")).abs() / spread)
        .group_by("of")
        .agg(score=pl.col("stray").quantile(0.5, "lower"))
        .join(series, on="of")
        .with_columns(named=pl.col("series").is_in(list(culprits)))
        .filter(pl.col("named") | (pl.col("score") > 1.0))
        .sort("named", "score", "of", descending=[True, True, False])
    )
    return list(scores.select("of", "series").head(_NAMED_OUTLIERS).iter_rows())


def _points(frame: pl.DataFrame, column: str) -> list[Point]:
    return list(zip(frame["x"].to_list(), frame[column].to_list(), strict=True))


def _runs(points: Sequence[Any]) -> tuple[tuple[Point, ...], ...]:
    """Break a line where readings are missing for more than five times the usual distance."""
    gaps = sorted(b[0] - a[0] for a, b in itertools.pairwise(points))
    widest = 5 * gaps[len(gaps) // 2] if gaps else 0
    runs: list[list[Point]] = []
    for point in points:
        if not runs or (widest and point[0] - runs[-1][-1][0] > widest):
            runs.append([])
        runs[-1].append((float(point[0]), float(point[1])))
    return tuple(tuple(run) for run in runs)
