"""A GPU that is sampled no more while the others of its node are, since a process met an error that CUDA cannot name.

Who falls off the bus is not asked any more, until somebody resets it. Without a kernel log these two are what can be
seen of it; without the job's output, too, that the job failed at that moment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.each_gpu import Question, together
from inquest.analyze.evidence import literal
from inquest.analyze.families._gpu import span
from inquest.analyze.families._where import node_of
from inquest.analyze.families._window import recorded_span, run_span
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.imports import tenants

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
    from inquest.analyze.families._story import Story

UNTOLD: Final = re.compile(
    r"CUDA error: (?:unknown error|unspecified launch failure|the launch timed out|no CUDA-capable device)"
    r"|CUDA_ERROR_(?:UNKNOWN|LAUNCH_FAILED|LAUNCH_TIMEOUT|NO_DEVICE)\b"
    r"|CU(?:BLAS|DNN)_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR)"
)
"""Errors by which CUDA says no more than that the GPU does not answer as it should."""
_MISSED: Final = 2.5
"""Samples that are lost in a row by no chance, with half a one for their clocks."""
_ENOUGH: Final = 10
_AROUND_NS: Final = 1_800 * 10**9
"""How far from the end of the run samples are looked at: who waits for a lost rank does so for half an hour at most."""
_OTHER_SIZE: Final = 0.9
"""Share of its memory below which a GPU is another than before: it was divided, which resets it, too."""


@dataclass(frozen=True, slots=True)
class Silent:
    """The GPU, its last sample, the crash that met it (None: no output was captured), and SQL for its samples.

    ``back_ns`` is when it was sampled again; None where it was not.
    """

    node: str
    gpu_uuid: str
    last_ns: int
    back_ns: int | None
    crash: Crash | None
    where: str


@together
def _sampled(ev: Evidence) -> Question:
    at, size = pl.col("ts_ns"), pl.col("fb_total_bytes")
    hole = at.diff()
    told = {"n": at.count(), "first": at.min(), "last": at.max(), "hole": hole.max()}
    told |= {"back": at.filter(hole == hole.max()).first(), "least": size.min(), "most": size.max()}
    began, ended = run_span(ev)
    if ended is None or ended == began:
        return Question(told)
    return Question(told, at.is_between(ended - _AROUND_NS, ended + _AROUND_NS))


def gone_silent(ev: Evidence, story: Story) -> Silent | None:
    """The one GPU of its node whose samples end when a process met such an error; None where none, or several, do."""
    met = [crash for crash in story.crashes if UNTOLD.search(str(crash.shown["message"]))]
    unheard = not ev.has("logs") and _failed_by_itself(story)
    if not (met or unheard) or not ev.has("gpu_samples"):
        return None
    ended, late = _end(ev, story)
    told = _sampled(ev).filter((pl.col("n") >= _ENOUGH) & pl.col("gpu_uuid").is_not_null())
    # The usual time between samples, the longest one aside.
    interval = (pl.col("last") - pl.col("first") - pl.col("hole")) / (pl.col("n") - 2)
    away = pl.col("last").max().over("node") - pl.col("last")
    told = told.with_columns(interval=interval, away=away >= _MISSED * interval).with_columns(
        since=pl.when("away").then("last").otherwise(pl.col("back") - pl.col("hole"))
    )
    gone = told.filter(pl.col("away") | _came_back(ended, late))
    if gone.height != 1 or told.filter(pl.col("node") == gone["node"][0]).height <= 2 * gone.height:
        return None
    node, uuid, since = (gone[name][0] for name in ("node", "gpu_uuid", "since"))
    back, step = None if gone["away"][0] else int(gone["back"][0]), int(gone["interval"][0])
    if _is_anothers(ev, node, uuid) or (back and not _others_were_seen(ev, node, uuid, (since, back), step)):
        return None
    lag = int(ev.threshold("b2.report_lag") * 1e9) + step
    where = f"node = {literal(node)} AND gpu_uuid = {literal(uuid)}"
    for crash in met if ended is None or since <= ended + late + step else ():
        whose = node_of(ev, crash.ranks[0]) if crash.ranks else None
        # The clock of a traceback may be that of a line long before it; without one it came as the job ended.
        met_ns = crash.root["ts_ns"] or ended
        if met_ns is not None and met_ns - lag <= since and whose in (None, node):
            return Silent(node, uuid, since, back, crash, where)
    # A GPU that goes while others work on, or after them, is taken from the node by whoever manages it.
    if unheard and ended is not None and ended - lag <= since <= ended:
        return Silent(node, uuid, since, back, None, where)
    return None


def _end(ev: Evidence, story: Story) -> tuple[int | None, int]:
    """When the run ended, and how much later it may have been: a log tells no more than its last word's time.

    Without any of these, when GPUs ran their last kernel.
    """
    lag = int(ev.threshold("b2.report_lag") * 1e9)
    if (ended := recorded_span(ev)[1]) is not None:
        return ended, 0
    began, ended = run_span(ev)
    return span(ev, story)[1] if ended is None or ended == began else ended, lag


def _came_back(ended: int | None, late_ns: int) -> pl.Expr:
    """Condition for a GPU that was not sampled when the run ended, and was again later, as large as before."""
    if ended is None:
        return pl.lit(value=False)
    spans = (pl.col("since") <= ended + late_ns + pl.col("interval")) & (pl.col("back") > ended)
    same = (pl.col("least") >= _OTHER_SIZE * pl.col("most")).fill_null(value=True)
    return (pl.col("hole") - pl.col("interval") >= _MISSED * pl.col("interval")) & spans & same


def _others_were_seen(ev: Evidence, node: str, uuid: str, hole: tuple[int, int], step: int) -> bool:
    """Whether the other GPUs of a node were sampled in a hole of one: else the exporter was away."""
    inside = pl.col("ts_ns").is_between(hole[0] + step // 2, hole[1] - step // 2)
    here = ev.scan("gpu_samples").filter((pl.col("node") == node) & (pl.col("gpu_uuid") != uuid))
    seen = here.group_by("gpu_uuid").agg(inside.sum().alias("n")).collect()["n"]
    return bool((seen >= max(1.0, (hole[1] - hole[0]) / step / 2 - 1)).all())


def _is_anothers(ev: Evidence, node: str, uuid: str) -> bool:
    """Whether one GPU of a node worked before the job began and held its memory while it did, and not all did so."""
    began = recorded_span(ev)[0]
    if began is None:
        return False
    at, used = pl.col("ts_ns"), pl.col("fb_used_bytes")
    before = (at < began - tenants.EDGE_NS) & (pl.col("engine_active") > tenants.BUSY)
    held = used.filter(at.is_between(began - tenants.EDGE_NS, began + tenants.EDGE_NS)).min() >= tenants.CONTEXT
    here = ev.scan("gpu_samples").filter((pl.col("node") == node) & (at <= began + tenants.EDGE_NS))
    theirs = here.group_by("gpu_uuid").agg(theirs=held & (before.sum() >= tenants.SEEN)).collect()
    others = theirs.filter(pl.col("theirs"))["gpu_uuid"]
    return uuid in others.to_list() and len(others) < theirs.height


def _failed_by_itself(story: Story) -> bool:
    """Whether the job left with a bad exit code, and neither a signal nor anybody else is known to have ended it."""
    end = story.end_status
    if end is None or not end.exit_code or end.term_signal or story.failures:
        return False
    return not story.of(Kind.TIME_LIMIT, Kind.CANCELLED, Kind.PREEMPTED, Kind.NODE_FAILURE)
