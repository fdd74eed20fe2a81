"""The log of a later job below that of one which the scheduler had ended, in one file: ``--open-mode=append``.

A later job that reports steps begins where these begin anew. One that died before its first step is told by what it
prints: the words the file begins with, once more, or lines of a time at which the job before it had long been gone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inquest.analyze.logs.attempts import Place
    from inquest.bundle.store import Store

_ENDS: Final = frozenset({Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.NODE_FAILURE, Kind.CANCELLED})
_OF_A_JOB: Final = re.compile(
    r"slurmstepd: error: \*\*\* (?:JOB|STEP) \S+ ON \S+ CANCELLED AT "
    r"|^=>> PBS: job killed: |^TERM_\w{4,24}: job killed "
)
"""What Slurm and PBS write when they begin to end a job; what it still says comes within the time it is then given.

And LSF, when it is over.
"""
_GONE_NS: Final = 300_000_000_000
"""Slurm's KillWait is 30 s, as a rule, and what does not obey is killed then."""
_HEAD: Final = 24
_LETTERS: Final = 8
"""Characters of the first line, and letters among them, that tell it from other lines."""


def later_jobs(
    store: Store, events: Iterable[dict[str, Any]], errors: Sequence[dict[str, Any]], steps: pl.DataFrame
) -> dict[Place, int]:
    """Lines at which a later job begins that reported no step and met an error, by the stream they stand in.

    Of one whose end is not told the job before it tells more.
    """
    ended: dict[Place, dict[str, Any]] = {}
    for event in events:
        if event["kind"] in _ENDS and _OF_A_JOB.search(str(event["text"])):
            place = (event["node"], event["capture"], event["source"])
            if place not in ended or event["line_seq"] > ended[place]["line_seq"]:
                ended[place] = event
    found = {}
    for place, event in ended.items():
        here = pl.all_horizontal(
            pl.col(name).eq_missing(pl.lit(value, pl.String))
            for name, value in zip(("node", "capture", "source"), place, strict=True)
        )
        if not steps.filter(here & (pl.col("line_seq") > event["line_seq"])).is_empty():
            continue
        line = _begins(store.scan("log_lines").filter(here).select("seq", "ts_ns", "text"), event)
        if line is not None and any(_below(error, place, line) for error in errors):
            found[place] = line
    return found


def _below(error: dict[str, Any], place: Place, line: int) -> bool:
    return (error["node"], error["source"]) == (place[0], place[2]) and (error["line_seq"] or 0) > line


def _begins(lines: pl.LazyFrame, event: dict[str, Any]) -> int | None:
    first = lines.sort("seq").head(1).collect()
    if first.is_empty() or first["seq"][0] >= event["line_seq"]:
        return None
    form = re.sub(r"\d+", "#", first["text"][0] or "")[:_HEAD]
    below = lines.filter(pl.col("seq") > event["line_seq"])
    if sum(map(str.isalpha, form)) >= _LETTERS:
        said = pl.col("text").str.replace_all(r"\d+", "#").str.starts_with(form)
        again = below.filter(said).select(pl.col("seq").min()).collect().item()
        if again is not None:
            return int(again)
    if event["ts_ns"] is None:
        return None
    late = below.filter(pl.col("ts_ns") > event["ts_ns"] + _GONE_NS).select(pl.col("seq").min()).collect().item()
    return None if late is None else int(late)
