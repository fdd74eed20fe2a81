"""Phases that a log tells begin and end of: rendezvous, NCCL's start, checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.render.moments import MOST_A_KIND
from inquest.render.tables import lazy
from inquest.render.timeline.canvas import Lanes, cited

if TYPE_CHECKING:
    from inquest.render.timeline.canvas import Canvas

_PHASES: Final = {
    "rendezvous": (Kind.RENDEZVOUS_START, Kind.RENDEZVOUS_DONE),
    "process group init": (Kind.PROCESS_GROUP_INIT, Kind.PROCESS_GROUP_READY),
    "NCCL init": (Kind.NCCL_INIT_BEGIN, Kind.NCCL_INIT_DONE),
    "checkpoint load": (Kind.CHECKPOINT_LOAD_BEGIN, Kind.CHECKPOINT_LOADED),
    "checkpoint save": (Kind.CHECKPOINT_SAVE_BEGIN, Kind.CHECKPOINT_SAVED),
}
"""Phases by name, with the facts that begin and end them."""


def draw(canvas: Canvas) -> None:
    """Draw a slice from the line that began a phase to the line that ended it, in the same source.

    A begin without an end stays an instant: a log that does not say "done" does not say "hung" either.
    """
    kinds = [str(kind) for pair in _PHASES.values() for kind in pair]
    marks = (
        lazy(canvas.evidence, "fact_events", "ts_ns", "node", "seq", "rank", "source", "kind")
        .filter(pl.col("ts_ns").is_not_null(), pl.col("kind").is_in(kinds))
        .sort("ts_ns", "node", "seq")
        .head(MOST_A_KIND)
        .collect()
    )
    end_of = {str(begin): str(end) for begin, end in _PHASES.values()}
    name_of = {str(end): name for name, (_, end) in _PHASES.items()}
    begun: dict[tuple[str, int | None, str | None, str], tuple[int, int]] = {}
    whole: list[tuple[int, int, int, str, int]] = []
    for row in marks.iter_rows(named=True):
        kind, node, rank = row["kind"], row["node"], row["rank"]
        if kind in end_of:
            begun[node, rank, row["source"], end_of[kind]] = (row["ts_ns"], row["seq"])
            continue
        begin = begun.pop((node, rank, row["source"], kind), None)
        parent = canvas.home(node, rank)
        if begin is not None and parent is not None:
            whole.append((begin[0], row["ts_ns"], parent, name_of[kind], begin[1]))
    lanes: dict[tuple[int, str], Lanes] = {}
    for begin_ns, end_ns, parent, name, seq in sorted(whole):
        lane = lanes.setdefault((parent, name), Lanes(canvas, name, parent, order=1))
        track = lane.at(begin_ns, end_ns)
        canvas.trace.begin(track, begin_ns, name, "phase", cited("fact_events", {"seq": seq}))
        canvas.trace.end(track, end_ns)
