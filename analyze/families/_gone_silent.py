"""A GPU that is sampled no more while the others of its node are, since a process met an error that CUDA cannot name.

Who falls off the bus is not asked any more. Without a kernel log these two are what can be seen of it; without the
job's output, too, that the job failed at that moment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.each_gpu import Question, together
from inquest.analyze.evidence import literal
from inquest.analyze.families._window import run_span
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
    from inquest.analyze.families._story import Story

UNTOLD: Final = re.compile(
    r"CUDA error: (?:unknown error|unspecified launch failure|the launch timed out|no CUDA-capable device)"
)
"""Errors by which CUDA says no more than that the GPU does not answer as it should."""
_MISSED: Final = 2.5
"""Samples that are lost in a row by no chance, with half a one for their clocks."""
_ENOUGH: Final = 10


@dataclass(frozen=True, slots=True)
class Silent:
    """The GPU, its last sample, the crash that met it (None: no output was captured), and SQL for its samples."""

    node: str
    gpu_uuid: str
    last_ns: int
    crash: Crash | None
    where: str


@together
def _sampled(_: Evidence) -> Question:
    at = pl.col("ts_ns")
    return Question({"n": at.count(), "first": at.min(), "last": at.max()})


def gone_silent(ev: Evidence, story: Story) -> Silent | None:
    """The one GPU of its node whose samples end when a process met such an error; None where none, or several, do."""
    met = [crash for crash in story.crashes if UNTOLD.search(str(crash.shown["message"])) and crash.root["ts_ns"]]
    unheard = not ev.has("logs") and _failed_by_itself(story)
    if not (met or unheard) or not ev.has("gpu_samples"):
        return None
    told = _sampled(ev).filter((pl.col("n") >= _ENOUGH) & pl.col("gpu_uuid").is_not_null())
    interval = (pl.col("last") - pl.col("first")) / (pl.col("n") - 1)
    told = told.with_columns(missed=(pl.col("last").max().over("node") - pl.col("last")) / interval, interval=interval)
    gone = told.filter(pl.col("missed") >= _MISSED)
    if gone.height != 1 or told.filter(pl.col("node") == gone["node"][0]).height <= 2 * gone.height:
        return None
    node, uuid, last = (gone[name][0] for name in ("node", "gpu_uuid", "last"))
    lag = int(ev.threshold("b2.report_lag") * 1e9 + gone["interval"][0])
    began, ended = run_span(ev)
    ended = None if ended == began else ended  # one instant bounds nothing
    where = f"node = {literal(node)} AND gpu_uuid = {literal(uuid)}"
    for crash in met:
        whose = ev.node_of(crash.ranks[0]) if crash.ranks else None
        # The clock of a traceback may be that of a line long before it.
        while_it_ran = crash.root["ts_ns"] - lag <= last and (ended is None or last <= ended + lag)
        if while_it_ran and whose in (None, UNKNOWN_NODE, node):
            return Silent(node, uuid, last, crash, where)
    # A GPU that goes while others work on, or after them, is taken from the node by whoever manages it.
    if unheard and ended is not None and ended - lag <= last <= ended:
        return Silent(node, uuid, last, None, where)
    return None


def _failed_by_itself(story: Story) -> bool:
    """Whether the job left with a bad exit code, and neither a signal nor anybody else is known to have ended it."""
    end = story.end_status
    if end is None or not end.exit_code or end.term_signal or story.failures:
        return False
    return not story.of(Kind.TIME_LIMIT, Kind.CANCELLED, Kind.PREEMPTED, Kind.NODE_FAILURE)
