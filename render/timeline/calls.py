"""Calls that were entered and never returned from, on the clock of their node: slices without an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from inquest.render.tables import lazy
from inquest.render.timeline.canvas import cited
from inquest.render.wording import one_line

if TYPE_CHECKING:
    from inquest.render.timeline.canvas import Args, Canvas


def draw(canvas: Canvas) -> None:
    """Draw the calls still open at the end."""
    begin = pl.col("ts_ns") - pl.col("ts_mono_ns") + pl.col("since_mono_ns")
    columns = ("ts_ns", "ts_mono_ns", "since_mono_ns", "node", "seq", "pid", "rank", "api", "comm", "coll_seq")
    calls = (
        lazy(canvas.evidence, "inflight_calls", *columns, "seen_at")
        .with_columns(begin_ns=begin)
        # What was seen open while the job ran may have returned later.
        .filter(pl.col("begin_ns").is_not_null() & pl.col("seen_at").ne_missing("tick"))
        .sort("begin_ns", "node", "seq")
        .collect()
    )
    for row in calls.iter_rows(named=True):
        parent = canvas.home(row["node"], row["rank"])
        if parent is None:
            continue
        track = canvas.track("never returned", parent, order=0)
        args: Args = {"pid": row["pid"], "coll_seq": row["coll_seq"]}
        args |= {"comm": one_line(row["comm"] or ""), **cited("inflight_calls", row)}
        canvas.trace.begin(track, row["begin_ns"], one_line(row["api"] or "call"), "in_flight", args)
