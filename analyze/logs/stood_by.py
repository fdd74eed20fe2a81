"""Ctrl-C that reached who only stood by, as a script that keeps a pod up, when all was trained that was to be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.logs.tracebacks import Traceback

_WAITS: Final = re.compile(r"^(?:time\.|signal\.)?(?:sleep|pause|input)\(")
"""Calls of who waits for a person, or for nothing; what waits for data or peers does so in a library."""
_LIBRARY: Final = re.compile(r"-packages/|/lib/python\d")
_OVER: Final = frozenset({Kind.TRAINING_END, Kind.TRAIN_SUMMARY})


def stood_by(traceback: Traceback, events: Iterable[dict[str, Any]], steps: pl.DataFrame) -> bool:
    """Whether a traceback is such a Ctrl-C, below the last report and the word that training is over, or its last step.

    Args:
        traceback: What was raised.
        events: What the lines of all streams tell.
        steps: Reports of progress.
    """
    final, first = traceback.final, traceback.first
    if final.exc_type != "KeyboardInterrupt" or len(traceback.chain) > 1 or not final.frames:
        return False
    if any(_LIBRARY.search(frame.file) for frame in final.frames) or not _WAITS.match(final.frames[-1].code):
        return False
    place = {"node": first.node, "capture": first.capture, "source": first.source}
    here = pl.all_horizontal(pl.col(name).eq_missing(pl.lit(value, pl.String)) for name, value in place.items())
    mine = steps.filter(here).sort("line_seq")
    if mine.is_empty() or mine["line_seq"][-1] > first.seq:
        return False
    if not mine.tail(1).filter(pl.col("step") >= pl.col("total_steps")).is_empty():
        return True
    return any(
        event["kind"] in _OVER and mine["line_seq"][-1] <= event["line_seq"] < first.seq
        for event in events
        if all(event[name] == value for name, value in place.items())
    )
