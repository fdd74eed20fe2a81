"""Training steps: a slice from one report of a rank to the next, and what came after the last one."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.render.tables import lazy
from inquest.render.timeline import canvas as limits
from inquest.render.timeline.canvas import cited
from inquest.render.wording import one_line

if TYPE_CHECKING:
    from inquest.render.timeline.canvas import Args, Canvas

_END_SLACK_NS: Final = 10**9  # a log that prints whole seconds may put the last step after the end
_LOG: Final = ("rank", "node", "source", "attempt")


def draw(canvas: Canvas) -> None:
    """Draw steps; of too many reports every n-th of a rank, whose slice then covers the steps between."""
    reports = (
        lazy(canvas.evidence, "fact_steps", "ts_ns", "seq", *_LOG, "step", "loss", "grad_norm", "lr")
        .filter(pl.col("ts_ns").is_not_null(), pl.col("step").is_not_null())
        .sort(*_LOG, "ts_ns", "seq", nulls_last=True)
    )
    count = reports.select(pl.len()).collect().item()
    every = -(-count // limits.MOST_STEPS)
    if every > 1:
        place = pl.int_range(pl.len()).over(_LOG)
        reports = reports.filter((place % every == 0) | (place == pl.len().over(_LOG) - 1))
        canvas.notes.append(f"of {count:,} step reports every {every}th of a rank is drawn")
    ends = _ends(canvas)
    home_of: dict[int, tuple[str, str | None]] = {}
    by_log = reports.collect().partition_by(_LOG, maintain_order=True)
    for part, following in itertools.zip_longest(by_log, by_log[1:]):
        _of_log(canvas, part, ends, following, home_of)


def _of_log(
    canvas: Canvas,
    part: pl.DataFrame,
    ends: dict[int, list[int]],
    following: pl.DataFrame | None,
    home_of: dict[int, tuple[str, str | None]],
) -> None:
    first = part.row(0, named=True)
    rank, node = first["rank"], first["node"]
    home = (node, first["source"])
    parent = canvas.home(node, rank)
    if parent is None:
        return
    if canvas.rank(rank) is not None and home_of.setdefault(rank, home) == home:
        track = canvas.track("steps", parent)
    else:
        # A second log of a rank tells the same steps at its own times: slices of both would cut each other.
        track = canvas.track(f"steps in {one_line(first['source'] or 'log', 80)}", parent, order=1)
    before: dict[str, Any] | None = None
    for row in part.iter_rows(named=True):
        args: Args = {key: row[key] for key in ("step", "loss", "grad_norm", "lr")}
        args |= cited("fact_steps", row)
        if before is None:
            canvas.trace.instant(track, row["ts_ns"], f"step {row['step']} reported", "step", args)
        else:
            jump = row["step"] - before["step"]
            span = f"steps {before['step'] + 1}-{row['step']}" if jump > 1 else f"step {row['step']}"
            canvas.trace.begin(track, before["ts_ns"], span, "step", args)
            canvas.trace.end(track, row["ts_ns"])
        before = row
    if before is None or rank not in ends:
        return
    last = before["ts_ns"]
    end = next((end for end in ends[rank] if end >= last - _END_SLACK_NS), None)
    if end is None and following is not None:
        then = following.row(0, named=True)
        if (then["rank"], then["node"], then["source"]) == (rank, *home):
            end = then["ts_ns"]  # the same log went on: with another attempt
    canvas.trace.begin(track, last, f"after step {before['step']}", "step", {"rank": rank})
    if end is not None:
        canvas.trace.end(track, max(end, last))


def _ends(canvas: Canvas) -> dict[int, list[int]]:
    """When processes of each rank ended, ascending.

    A rank that nobody watched is absent; one that was watched and never seen to end has no times.
    """
    ends: dict[int, list[int]] = {}
    for life in canvas.story.lives:
        if life.rank is not None and life.role == "rank":
            ends.setdefault(life.rank, []).extend(() if life.end_ns is None else (life.end_ns,))
    for moment in canvas.story.moments:
        if moment.kind == "exit" and moment.rank is not None:
            ends.setdefault(moment.rank, []).append(moment.ts_ns)
    return {rank: sorted(times) for rank, times in ends.items()}
