"""Heat maps: what every rank or GPU did over time, on one picture that never hides a bad one.

Up to ``MOST_ROWS`` have a row each. Beyond that neighbours share one, and each of its cells shows the reading of theirs
that lies furthest from the median of all at that time; whom the verdict names keeps a row of its own, on top. So one
bad rank of 512 is a line one can see. A cell is the mean of its stretch of time; a blank one had no reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl
from markupsafe import Markup

from inquest.analyze.each_gpu import in_order, numbered
from inquest.bundle.by_node import extent
from inquest.render.charts import time_label, time_ticks
from inquest.render.rates import LAUNCH, Tally, calls_once, tallied
from inquest.render.reduced import gauges
from inquest.render.series import GPU_NAME, gpu_names
from inquest.render.tables import lazy
from inquest.render.wording import number, one_line, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict
    from inquest.render.reduced import Reduced

MOST_ROWS: Final = 48
COLUMNS: Final = 150
LEVELS: Final = 8
WIDTH: Final = 1040
_LABEL: Final = 24
_TEXT: Final = 12  # how tall a row has to be for text of the usual size
_LEFT, _RIGHT, _TOP, _BOTTOM = 160, 14, 6, 22
_FEW_COLUMNS: Final = 20
_MOST_NAMED: Final = 12
_OUTLIERS_TOLD: Final = 3
_BEYOND: Final = 5.0
"""Readings above this many times the median share the last colour: one stall would leave all else in the first."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """One map, drawn.

    Attributes:
        title: What is shown.
        unit: Its unit.
        picture: The SVG.
        scale: Reading at the lower edge of each colour and at the upper edge of the last, as printed.
        note: What to know about it.
    """

    title: str
    unit: str
    picture: Markup
    scale: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class _Source:
    title: str
    unit: str
    what: str
    """What a row is: rank or GPU."""

    readings: pl.LazyFrame
    """Columns series, order, x (ns), y."""

    whole: bool = False
    """The scale is a share: from 0 to 1, printed in percent."""


def heat_maps(verdict: Verdict, evidence: Evidence, hands: Executor) -> Iterator[HeatMap]:
    """Every map that has at least two rows, in the order of the report; each part made by a hand of its own."""

    def drawn(index: int, sources: Callable[[Evidence], Iterator[_Source]]) -> list[HeatMap]:
        maps = (_draw(verdict, evidence, source, f"heat{index}-{at}") for at, source in enumerate(sources(evidence)))
        return [each for each in maps if each is not None]

    parts = [hands.submit(drawn, *part) for part in reversed(list(enumerate((_step_times, _busy, _launches))))]
    return (each for part in reversed(parts) for each in part.result())


def _busy(evidence: Evidence) -> Iterator[_Source]:
    samples = gauges(evidence, "gpu_samples")
    if samples is None:
        return
    filled = {name for name in ("sm_active", "engine_active") if samples.frame[name].count()}
    if "sm_active" in filled:
        yield _Source("SMs busy by GPU", "%", "GPU", _gpus(samples, "sm_active"), whole=True)
    if "engine_active" in filled:
        yield _Source("Engine busy by GPU", "%", "GPU", _gpus(samples, "engine_active"), whole=True)
    if not filled:
        yield _Source("Power by GPU", "W", "GPU", _gpus(samples, "power_w"))


def _step_times(evidence: Evidence) -> Iterator[_Source]:
    steps = (
        lazy(evidence, "fact_steps", "ts_ns", "seq", "rank", "source", "attempt", "step", "step_time_s")
        .filter(pl.col("ts_ns").is_not_null() & pl.col("rank").is_not_null() & pl.col("step").is_not_null())
        .sort("rank", "source", "attempt", "ts_ns", "seq", nulls_last=True)
    )
    passed, counted = (pl.col(name).diff().over("rank", "source", "attempt") for name in ("ts_ns", "step"))
    between = pl.when((counted > 0) & (passed > 0)).then(passed / 1e9 / counted)
    rank = pl.col("rank")
    yield _Source(
        "Step time by rank",
        "s",
        "rank",
        steps.select(
            series=pl.format("rank {}", rank), order=rank, x="ts_ns", y=pl.col("step_time_s").fill_null(between)
        ),
    )


def _gpus(samples: Reduced, column: str) -> pl.LazyFrame:
    return samples.readings(column, GPU_NAME).select("series", "x", "y", order=pl.lit(0, pl.Int64))


def _launches(evidence: Evidence) -> Iterator[_Source]:
    if not evidence.has("cuda_calls"):
        return
    _, low, high = extent(evidence.store, "cuda_calls")
    width = max(1, (high - low) // COLUMNS)
    (rates,) = tallied(evidence, "cuda_calls", [Tally("count", LAUNCH)], ("rank",), low, width, calls_once(evidence))
    told = rates.lazy().drop_nulls("rank")
    series = told.select("x", "y", order="rank", series=pl.format("rank {}", "rank"))
    yield _Source("Kernel launches by rank", "1/s", "rank", series)


def _draw(verdict: Verdict, evidence: Evidence, source: _Source, ident: str) -> HeatMap | None:
    y = pl.col("y").cast(pl.Float64)
    readings = source.readings.with_columns(y).filter(pl.col("x").is_not_null() & y.is_finite()).collect()
    low, high = readings.select(low=pl.col("x").min(), high=pl.col("x").max()).row(0)
    if low is None or high <= low:
        return None
    rows, things = in_order(readings, ("order", "series"), "of", ("x", "y"))
    if things.height < 2:
        return None
    width = max(1, -(-(high - low + 1) // _columns(rows)))
    cells = (
        rows.lazy()
        .with_columns(bucket=(pl.col("x") - low) // width)
        .group_by(numbered(pl.col("bucket"), "of").alias("group"), maintain_order=True)
        .agg(pl.col("of", "bucket").first(), pl.col("y").mean())
        .with_columns(middle=pl.col("y").quantile(0.5, "lower").over("bucket"))
        .collect(engine="in-memory")
        .join(things, on="of")
    )
    order = things["series"].to_list()
    culprits = _named(verdict, evidence, source.what)
    named = [name for name in order if name in culprits][:_MOST_NAMED]
    shown, share = _rows(order, named)
    edges = _edges(cells, whole=source.whole)
    levels = _levels(cells, shown, edges)
    note = _note(cells, source, share)
    picture = _svg(verdict, source, ident, [label for label, _ in shown], levels, low, high, width, note)
    scale = tuple(number(float(f"{100 * edge if source.whole else edge:.3g}")) for edge in edges)
    return HeatMap(source.title, source.unit, picture, scale, note)


def _columns(rows: pl.DataFrame) -> int:
    """As many as leave no column without readings only because they come seldom."""
    most: int = rows.select(pl.col("of").rle().struct.field("len").max()).item()
    return min(COLUMNS, max(most // 2, min(most, _FEW_COLUMNS)))


def _named(verdict: Verdict, evidence: Evidence, what: str) -> set[str]:
    first = verdict.first_failing
    if what == "rank":
        return {f"rank {rank}" for rank in (first.rank, *verdict.culprit_ranks) if rank is not None}
    return set(gpu_names(evidence, [uuid for uuid in (first.gpu_uuid, *verdict.culprit_gpus) if uuid]))


def _rows(order: list[str], named: list[str]) -> tuple[list[tuple[str, list[str]]], int]:
    """Label and series of each row, and how many share one."""
    if len(order) <= MOST_ROWS:
        return [(name, [name]) for name in order], 1
    rest = [name for name in order if name not in named]
    share = -(-len(rest) // (MOST_ROWS - len(named)))
    of_one = [name.rpartition(" GPU ")[0] for name in rest]
    if of_one[0]:  # whole nodes, where they are alike: a row that begins in the middle of one is hard to find again
        share = -(-share // of_one.count(of_one[0])) * of_one.count(of_one[0])
    groups = [rest[at : at + share] for at in range(0, len(rest), share)]
    rows = [(name, [name]) for name in named]
    for group in groups:
        first, more = group[0], f" + {len(group) - 1}" if len(group) > 1 else ""
        rows.append((first + more, group))
    return rows, share


def _edges(cells: pl.DataFrame, *, whole: bool) -> list[float]:
    """Lower edges of the colours, and the upper edge of the last."""
    if whole:
        low, high = 0.0, 1.0
    else:
        least, most, middle = (float(value) for value in cells.select(
            pl.col("y").min(), most=pl.col("y").max(), middle=pl.col("y").quantile(0.5, "lower")
        ).row(0))  # fmt: skip
        low, high = least, min(most, _BEYOND * middle) if middle > 0 else most
        high = max(high, low + abs(low) * 1e-6 + 1e-12)
    return [low + (high - low) * index / LEVELS for index in range(LEVELS + 1)]


def _levels(cells: pl.DataFrame, rows: list[tuple[str, list[str]]], edges: list[float]) -> list[dict[int, int]]:
    """Colour of each cell, by row and column."""
    row_of = pl.DataFrame(
        [(name, index) for index, (_, names) in enumerate(rows) for name in names],
        schema={"series": pl.String, "row": pl.Int64},
        orient="row",
    )
    stray = (pl.col("y") - pl.col("middle")).abs()
    share = (pl.col("y") - edges[0]) / (edges[-1] - edges[0])
    level = (share * LEVELS).floor().clip(0, LEVELS - 1).cast(pl.Int64)
    shown = (
        cells.join(row_of, on="series")
        .with_columns(stray=stray, level=level)
        .sort("stray", "series", descending=[True, False])
        .unique(["row", "bucket"], keep="first", maintain_order=True)
    )
    out: list[dict[int, int]] = [{} for _ in rows]
    for row, bucket, value in shown.select("row", "bucket", "level").iter_rows():
        out[row][bucket] = value
    return out


def _note(cells: pl.DataFrame, source: _Source, share: int) -> str:
    """Who strays most, in words, so that nothing is told by colour alone."""
    medians = cells.group_by("series", "order").agg(y=pl.col("y").quantile(0.5, "lower"))
    middle = float(medians["y"].quantile(0.5, "lower") or 0.0)
    strays = medians.with_columns(stray=(pl.col("y") - middle).abs()).sort(
        "stray", "order", "series", descending=[True, False, False]
    )

    def told(value: float) -> str:
        return f"{number(float(f'{100 * value if source.whole else value:.3g}'))} {source.unit}"

    furthest = [
        f"{one_line(name, 60)} ({told(value)})"
        for name, value, stray in strays.select("series", "y", "stray").head(_OUTLIERS_TOLD).iter_rows()
        if stray > 0
    ]
    words = f"Median of all {told(middle)}"
    words += f"; furthest from it over the whole: {', '.join(furthest)}." if furthest else ", of each alike."
    if share > 1:
        plain = plural(share, source.what)
        words += f" A row is {plain}, named by the first; a cell shows the one furthest from the median of all."
    return words


def _svg(
    verdict: Verdict,
    source: _Source,
    ident: str,
    labels: list[str],
    levels: list[dict[int, int]],
    low: int,
    high: int,
    width: int,
    note: str,
) -> Markup:
    tall = 14 if len(labels) <= 24 else 10
    height = _TOP + tall * len(labels) + _BOTTOM
    across = WIDTH - _LEFT - _RIGHT
    columns = (high - low) // width + 1
    name = f"{source.title}, {plural(len(labels), 'row')}"
    out = [
        f'<svg class="heat" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="{ident}-t {ident}-d">'
        f'<title id="{ident}-t">{_esc(name)}</title><desc id="{ident}-d">{_esc(note)}</desc>'
    ]
    for level, path in enumerate(_paths(levels, tall, across / columns)):
        if path:
            out.append(f'<path class="heat-{level}" stroke-width="{tall - 1}" d="{path}"/>')
    dense = " dense" if tall < _TEXT else ""
    for index, label in enumerate(labels):
        y = _TOP + tall * index + tall // 2 + (3 if dense else 4)
        text = f"<title>{_esc(label)}</title>{_esc(_cut(label))}"
        out.append(f'<text class="tick end{dense}" x="{_LEFT - 6}" y="{y}">{text}</text>')
    base = height - _BOTTOM
    for tick in time_ticks(low, high, 7):
        x = round(_LEFT + (tick - low) / width * across / columns, 1)
        out.append(f'<path class="axis" d="M{x:g} {base}v4"/>')
        anchor = "end" if x > WIDTH - 40 else "mid"
        x = min(x, WIDTH - 2) if anchor == "end" else x
        out.append(f'<text class="tick {anchor}" x="{x:g}" y="{height - 5}">{time_label(tick, high - low)}</text>')
    mark = verdict.first_failing.ts_ns
    if mark is not None and low <= mark <= high:
        x = round(_LEFT + (mark - low) / width * across / columns, 1)
        out.append(f'<path class="mark" d="M{x:g} {_TOP}V{base}"><title>first failure</title></path>')
    out.append("</svg>")
    return Markup("".join(out))


def _paths(levels: list[dict[int, int]], tall: int, wide: float) -> list[str]:
    """One path a colour; neighbouring cells of one colour are one stroke."""
    paths: list[list[str]] = [[] for _ in range(LEVELS)]
    for row, cells in enumerate(levels):
        y = _TOP + tall * row + tall / 2
        for first in sorted(cells):
            level = cells[first]
            if cells.get(first - 1) == level:
                continue  # the stroke that began before it covers it
            last = first
            while cells.get(last + 1) == level:
                last += 1
            paths[level].append(_stroke(first, last, y, wide))
    return ["".join(strokes) for strokes in paths]


def _stroke(first: int, last: int, y: float, wide: float) -> str:
    return f"M{round(_LEFT + first * wide, 1):g} {y:g}h{round((last - first + 1) * wide, 1):g}"


def _cut(label: str) -> str:
    text = one_line(label)
    return text if len(text) <= _LABEL else f"{text[: _LABEL // 2 - 1]}…{text[-_LABEL // 2 :]}"


def _esc(text: str) -> Markup:
    return Markup.escape(one_line(text, 600))
