"""Whether progress stopped while the job was still held, judged by the job's own cadence."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._pace import clocked
from inquest.analyze.families._window import run_span
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

AT_LEAST_S: Final = 10
"""A silence that a limit ended is told from this on: bars tell whole seconds, and ends take some."""


@dataclass(frozen=True, slots=True)
class Stall:
    """A silence before the end. ``factor`` is its length in usual steps, ``row`` the last word before it."""

    since_ns: int
    silent_ns: int
    factor: float
    row: Row
    table: str = "fact_steps"


def cadence_ns(story: Story) -> int | None:
    """Usual time between two reports of progress of one source: the median over the last attempt; None if unknown.

    Where several share a time, as below a line of somebody else's that has a clock, it is no more than their mean.
    """
    timed = clocked(story)
    if timed.height < 3:
        return None
    place = ["node", "source"]
    apart = timed.sort(*place, "ts_ns", "seq", nulls_last=True).select(*place, gap=pl.col("ts_ns").diff().over(place))
    apart = apart.drop_nulls("gap")
    gaps = apart.filter(pl.col("gap") > 0)["gap"].sort()
    if gaps.is_empty():
        return None
    mean = apart.group_by(place).agg(pl.col("gap").mean()).filter(pl.col("gap") > 0)["gap"].max()
    usual = int(gaps[len(gaps) // 2])
    return min(usual, round(mean)) if isinstance(mean, float) else usual


def stall(ev: Evidence, story: Story, least_s: float | None = None, until_ns: int | None = None) -> Stall | None:
    """The silence between the last sign of work and the end of the job, if it is far longer than the usual step.

    Saving and evaluating are signs of work. None when times are unknown, or when the silence is in the usual range.
    It must outlast the pauses that the job came out of, too. Where a tracker told the last step, it must also outlast
    what its writer had yet to write. With ``least_s`` a silence may be shorter than what tells of a stall by itself,
    with ``until_ns`` it ends sooner than the job.
    """
    cadence, end_ns = cadence_ns(story), until_ns or _end_ns(ev)
    timed = clocked(story)
    if cadence is None or end_ns is None or timed.is_empty() or _before_the_job(ev, timed):
        return None
    last = timed.sort("ts_ns", "node", "seq").row(-1, named=True)
    signs = [
        row["ts_ns"]
        for row in story.of(Kind.EVAL, Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN, Kind.TRAIN_SUMMARY)
        if row["ts_ns"] is not None
    ]
    since = max([last["ts_ns"], *signs])
    silent = end_ns - since
    longest = max(
        cadence * ev.threshold("stall.cadence_factor"),
        (ev.threshold("stall.least_silence") if least_s is None else least_s) * 1e9,
        _longest_pause(sorted({*timed["ts_ns"], *signs})) * ev.threshold("stall.own_pauses"),
    )
    if last["line_seq"] is None and since == last["ts_ns"]:
        longest += ev.threshold("stall.tracker_delay") * 1e9
    return Stall(since, silent, silent / cadence, last) if silent > longest else None


def fell_silent(ev: Evidence, until_ns: int | None = None) -> Stall | None:
    """The silence before the end of a job whose progress nobody can read, by its output as it was read."""
    end_ns = until_ns or _end_ns(ev)
    lines = ev.scan("log_lines").filter(pl.col("stream").is_in(["stdout", "stderr"]) & pl.col("ts_ns").is_not_null())
    last = lines.sort("ts_ns", "seq").tail(_LINES).collect()
    times = last["ts_ns"].unique().sort()
    if end_ns is None or len(times) < _MANY:
        return None
    gaps = times.diff().drop_nulls().sort()
    cadence, silent = int(gaps[len(gaps) // 2]), end_ns - int(times[-1])
    longest = max(cadence * ev.threshold("c3.host_cadences"), AT_LEAST_S * 1e9, 2 * int(gaps[-1]))
    row = last.row(-1, named=True)
    return Stall(int(times[-1]), silent, silent / cadence, row, "log_lines") if silent > longest else None


_LINES: Final = 400
_MANY: Final = 10
"""Lines, each read at a time of its own, that tell how often a job prints."""


def _end_ns(ev: Evidence) -> int | None:
    """When the job ended: telemetry is often gathered for longer than the run that accounting tells of."""
    end_ns, ended = ev.end_ns(), run_span(ev)[1] if ev.has("slurm_jobs") else None
    return end_ns if ended is None or end_ns is None else min(end_ns, ended)


def _before_the_job(ev: Evidence, timed: pl.DataFrame) -> bool:
    """Whether reports bear times from before the job began: by another zone's clock no silence can be measured."""
    starts = ev.scan("slurm_jobs").select(pl.col("start_ns").min()).collect().item() if ev.has("slurm_jobs") else None
    first = timed["ts_ns"].min()
    return starts is not None and isinstance(first, int) and first < starts - int(ev.threshold("run.margin") * 1e9)


def _longest_pause(signs: list[int]) -> int:
    """The longest time between two signs of work, after the first two: what was compiled before them is no pause."""
    return max((later - sooner for sooner, later in pairwise(signs[1:])), default=0)


def cpu_used_s(ev: Evidence, since_ns: int) -> float | None:
    """CPU time that processes of the job used since an instant, where all were watched, and did next to nothing."""
    if not ev.has("processes"):
        return None
    cpu_s = pl.col("cpu_user_s") + pl.col("cpu_system_s")
    rows = ev.frame("processes").filter(_own()).with_columns(cpu_s=cpu_s)
    rows = rows.drop_nulls(["cpu_s", "ts_ns"]).sort("ts_ns")
    spent, span = pl.col("cpu_s").last() - pl.col("cpu_s").first(), pl.col("ts_ns").last() - pl.col("ts_ns").first()
    seen = rows.filter(pl.col("ts_ns") > since_ns).group_by("pid").agg(used=spent, ns=span)
    # Who worked most may be the one that is gone.
    worked = rows.filter(pl.col("cpu_s") >= _AS_MUCH * pl.col("cpu_s").max())["pid"].unique().to_list()
    watched_ns, used = seen.filter(pl.col("pid").is_in(worked))["ns"].max(), seen["used"].sum()
    if not isinstance(watched_ns, int) or watched_ns < _WATCHED_S * 1e9 or used > _NOTHING * watched_ns / 1e9:
        return None
    return float(used)


def _own() -> pl.Expr:
    """Rows that tell what processes of the job computed.

    The wrapper tells of its command what all below it used as well; a launcher that is told to end says so at length.
    """
    summed = (pl.col("role") == "task") & (pl.col("event") == "exit")
    return ~(pl.col("role").is_in(["outside", "launcher"]) | summed).fill_null(value=False)


def one_worked(ev: Evidence, since_ns: int) -> bool:
    """Whether one process of the job did most of its computing: several that did as much were ranks, or workers.

    Those that were over before ``since_ns`` came before it, one after the other, as those of a sweep do.
    """
    cpu_s = (pl.col("cpu_user_s") + pl.col("cpu_system_s")).max()
    over = ((pl.col("event") == "exit") & (pl.col("ts_ns") < since_ns)).any()
    each = ev.scan("processes").filter(_own()).group_by("node", "pid").agg(cpu_s=cpu_s, over=over).collect()
    spent = each.filter(~pl.col("over"))["cpu_s"].drop_nulls()
    return len(spent.filter(spent >= _AS_MUCH * (spent.max() or 0.0))) <= 1  # type: ignore[operator]


def named_in_reports(ev: Evidence, story: Story) -> int:
    """How many processes of one kind report, each by a name with a number: ``[site-2] round 4: local loss 0.09``."""
    told = story.steps.filter(pl.col("line_seq").is_not_null() & pl.col("step").is_not_null()).sort("line_seq")
    if told.is_empty():
        return 0
    place = same_stream(told.row(-1, named=True))
    last = told.filter(place)["line_seq"].unique().sort().tail(_LAST_REPORTS)
    lines = ev.scan("log_lines").filter(place, pl.col("seq").is_in(last.implode())).select("text").collect()
    found = [_NAMED.search((text or "")[:_HEAD]) for text in lines["text"]]
    reports = Counter((name[1].lower(), int(name[2])) for name in found if name is not None)
    kinds = Counter(kind for (kind, _), times in reports.items() if times >= _OFTEN)
    return max(kinds.values(), default=0)


_NAMED: Final = re.compile(
    r"(?i)[\[(](site|client|rank|worker|party|agent|peer|trainer|learner|replica|node|silo)[-_ #:]?(\d{1,5})[\])]"
)
_HEAD: Final = 300
_LAST_REPORTS: Final = 200
_OFTEN: Final = 3
"""Reports of a process that takes part."""
_WATCHED_S: Final = 3
"""Of a silence, what processes have to be watched for at the least."""
_AS_MUCH: Final = 0.5
_NOTHING: Final = 0.02
"""Part of a CPU that who only waits uses at the most."""
