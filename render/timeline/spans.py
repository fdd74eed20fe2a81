"""Spans of a torch profiler's trace, on the threads and CUDA streams they ran on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from inquest.render.tables import lazy
from inquest.render.timeline import canvas as limits
from inquest.render.timeline.canvas import cited
from inquest.render.wording import duration, one_line

if TYPE_CHECKING:
    from inquest.render.timeline.canvas import Args, Canvas


def draw(canvas: Canvas) -> None:
    """Draw spans; of too many the longest."""
    columns = ("ts_ns", "node", "seq", "rank", "pid", "tid", "cuda_device", "cuda_stream", "name", "category")
    spans = (
        lazy(canvas.evidence, "trace_spans", *columns, "duration_ns", "bytes")
        .filter(pl.col("ts_ns").is_not_null() & pl.col("duration_ns").is_not_null())
        .with_columns(pl.col("name", "category").cast(pl.String))
    )
    total = spans.select(pl.len()).collect(engine="streaming").item()
    if total > limits.MOST_SPANS:
        spans = spans.sort("duration_ns", "ts_ns", "node", "seq", descending=[True, False, False, False])
        spans = spans.head(limits.MOST_SPANS)
        shortest = spans.select(pl.col("duration_ns").min()).collect().item()
        canvas.notes.append(
            f"of {total:,} spans of profiler traces the longest {limits.MOST_SPANS:,} are drawn, none under"
            f" {duration(shortest)}"
        )
    where = ["node", "rank", "pid", "cuda_device", "cuda_stream", "tid"]
    ordered = spans.sort(
        *where, "ts_ns", "duration_ns", "seq", descending=[False] * 7 + [True, False], nulls_last=True
    ).collect()
    for part in ordered.partition_by(where, maintain_order=True):
        first = part.row(0, named=True)
        parent = canvas.home(first["node"], first["rank"])
        if parent is not None:
            _thread(canvas, part, _Nest(canvas, _name(first), parent))


def _name(row: dict[str, object]) -> str:
    if row["cuda_stream"] is not None:
        return f"profiler: GPU {row['cuda_device']} stream {row['cuda_stream']}"
    return f"profiler: thread {row['tid']}"


def _thread(canvas: Canvas, part: pl.DataFrame, nest: _Nest) -> None:
    for row in part.iter_rows(named=True):
        args: Args = {"bytes": row["bytes"], **cited("trace_spans", row)}
        track = nest.begin(row["ts_ns"], row["ts_ns"] + max(row["duration_ns"], 0))
        name, category = one_line(row["name"] or "span", 120), one_line(row["category"] or "span", 60)
        canvas.trace.begin(track, row["ts_ns"], name, category, args)
    nest.close()


class _Nest:
    """Spans of one thread: each lies within what is open, or on a lane of its own where it would cut it."""

    def __init__(self, canvas: Canvas, name: str, parent: int) -> None:
        self._canvas = canvas
        self._name = name
        self._parent = parent
        self._lanes: list[tuple[int, list[int]]] = []

    def begin(self, begin_ns: int, end_ns: int) -> int:
        """The track of a span; spans come in order of begin, of equal ones the longest first."""
        for track, open_ends in self._lanes:
            while open_ends and open_ends[-1] <= begin_ns:
                self._canvas.trace.end(track, open_ends.pop())
            if not open_ends or open_ends[-1] >= end_ns:
                open_ends.append(end_ns)
                return track
        track = self._canvas.track(self._name, self._parent, order=4)
        self._lanes.append((track, [end_ns]))
        return track

    def close(self) -> None:
        """End what is still open."""
        for track, open_ends in self._lanes:
            while open_ends:
                self._canvas.trace.end(track, open_ends.pop())
