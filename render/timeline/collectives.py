"""Collectives as each rank saw them, joined across ranks by arrows.

A slice begins where the collective was enqueued and ends where it was seen to be complete. Where only the call was
seen, the slice is the call itself and says so: enqueued is not done. One that a flight recorder still held as not
complete stays open.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.render.collectives import GROUP, seen
from inquest.render.perfetto import Arrows
from inquest.render.timeline import canvas as limits
from inquest.render.timeline.canvas import Lanes
from inquest.render.wording import one_line

if TYPE_CHECKING:
    from inquest.render.timeline.canvas import Args, Canvas

_TAIL: Final = 20
"""Of every communicator and rank the last so many are always drawn: there a job stops."""


def draw(canvas: Canvas) -> None:
    """Draw collectives of probes, traces and flight recorders."""
    kept = _thinned(canvas, seen(canvas.evidence)).sort(
        "begin", "node", "rank", "comm", "coll_seq", "table", "seq", nulls_last=True
    )
    rows = kept.collect()
    joined = (
        rows.with_row_index("at")
        .drop_nulls(["coll_seq", "rank"])
        .group_by(GROUP, maintain_order=True)
        .agg(pl.col("at"), ranks=pl.col("rank").n_unique())
        .filter(pl.col("ranks") > 1)
    )
    flow_of: dict[int, tuple[int, bool]] = {}
    for places in joined["at"]:
        flow = canvas.flow()
        flow_of.update({place: (flow, place != places[-1]) for place in places})
    lanes: dict[tuple[int, str], Lanes] = {}
    for at, row in enumerate(rows.iter_rows(named=True)):
        parent = canvas.home(row["node"], row["rank"])
        if parent is None:
            continue
        name = f"collectives {one_line(row['comm_desc'] or row['comm'] or '', 60)}".rstrip()
        lane = lanes.setdefault((parent, name), Lanes(canvas, name, parent, order=1))
        _slice(canvas, lane, row, *flow_of.get(at, (None, False)))


def _slice(canvas: Canvas, lane: Lanes, row: dict[str, Any], flow: int | None, more: bool) -> None:
    begin, end = row["begin"], row["end"]
    label = one_line(row["op"] or "collective", 60) + (f" #{row['coll_seq']}" if row["coll_seq"] is not None else "")
    args: Args = {
        "seq_in_comm": row["coll_seq"],
        "bytes": row["bytes"],
        "sizes": one_line(row["sizes"] or "", 200) or None,
        "comm": one_line(row["comm"] or ""),
        "comm_size": row["comm_size"],
        "ends_with": row["ends_with"],
        "table": row["table"],
        "seq": row["seq"],
    }
    track = lane.at(begin, math.inf if end is None else max(end, begin))
    arrows = Arrows(to=flow) if more else Arrows(ends=flow)
    canvas.trace.begin(track, begin, label, "collective", args, arrows)
    if end is not None:
        canvas.trace.end(track, max(end, begin))


def _thinned(canvas: Canvas, found: pl.LazyFrame) -> pl.LazyFrame:
    """All of them; of too many every n-th, the same of all ranks, with the last and the open ones kept."""
    total = found.select(pl.len()).collect(engine="streaming").item()
    if total <= limits.MOST_COLLECTIVES:
        return found
    every = -(-2 * total // limits.MOST_COLLECTIVES)
    # What has no number is numbered here; windows over all rows would hold all of them in memory.
    of = ("table", "node", "rank", "comm")
    told = found.filter(pl.col("coll_seq").is_not_null()).with_columns(number="coll_seq")
    rest = found.filter(pl.col("coll_seq").is_null())
    rest = rest.with_columns(number=pl.col("begin").rank("ordinal").over(of).cast(pl.Int64))
    numbered = pl.concat([told, rest])
    last = numbered.group_by(of).agg(last=pl.col("number").max())
    number = pl.col("number")
    keep = (number % every == 0) | (number > pl.col("last") - _TAIL) | pl.col("end").is_null()
    canvas.notes.append(
        f"of {total:,} collectives those whose number divides by {every}, the last {_TAIL} of each rank in each"
        " communicator and those left open are drawn"
    )
    kept = numbered.join(last, on=of, nulls_equal=True).filter(keep).collect(engine="streaming")
    beyond = kept.height - limits.MOST_COLLECTIVES
    if beyond > 0:
        canvas.notes.append(f"of these the earliest {beyond:,} are left out")
        kept = kept.sort("begin", "node", "rank", "comm", "seq").tail(limits.MOST_COLLECTIVES)
    return kept.lazy()
