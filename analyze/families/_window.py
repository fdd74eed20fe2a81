"""When the run was on: what came long before it or long after it did not happen to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence


def run_span(ev: Evidence) -> tuple[int | None, int | None]:
    """Begin and end of the run, UTC ns: by its processes, else the scheduler's last run, else its log; None: unknown.

    Telemetry and kernel logs are not asked: they are often gathered for far longer than the run.
    """
    began, ended = recorded_span(ev)
    if began is None and ev.has("log_lines"):
        return ev.scan("log_lines").select(pl.col("ts_ns").min(), pl.col("ts_ns").max().alias("last")).collect().row(0)
    return began, ended


def recorded_span(ev: Evidence) -> tuple[int | None, int | None]:
    """The same by processes and the scheduler alone: the lines of a log may tell of a part of the run only."""
    if ev.has("processes"):
        tasks = ev.scan("processes").filter(pl.col("ts_ns").is_not_null()).select("event", "ts_ns").collect()
        began = tasks.filter(pl.col("event") == "start")["ts_ns"].min()
        ended = tasks.filter(pl.col("event") == "exit")["ts_ns"].max()
        if isinstance(began, int):
            return began, ended if isinstance(ended, int) else None
    if ev.has("slurm_jobs"):
        runs = ev.scan("slurm_jobs").filter(pl.col("start_ns").is_not_null())
        last = runs.sort("start_ns", "seq").select("start_ns", "end_ns").tail(1).collect()
        if last.height:
            return last.row(0)
    return None, None


def every_run(ev: Evidence) -> tuple[int, int] | None:
    """First begin and last end of the job's runs by the scheduler, with a margin, UTC ns; None: it does not say."""
    if not ev.has("slurm_jobs"):
        return None
    runs = ev.scan("slurm_jobs").filter(pl.col("start_ns").is_not_null()).select("start_ns", "end_ns").collect()
    first, last = runs["start_ns"].min(), runs["end_ns"].max()
    if not isinstance(first, int) or not isinstance(last, int) or runs["end_ns"].null_count():
        return None
    margin = int(ev.threshold("run.margin") * 1e9)
    return first - margin, last + margin


def within(ev: Evidence, ts_ns: int | None) -> bool:
    """Whether an instant lies in the run, or shortly after it; True where neither is known."""
    began, ended = run_span(ev)
    margin = int(ev.threshold("run.margin") * 1e9)
    if ts_ns is None:
        return True
    return (began is None or ts_ns >= began - margin) and (ended is None or ts_ns <= ended + margin)


def beside_run(ev: Evidence, ts_ns: int) -> bool:
    """Whether an instant lies outside the run, and so near its end that a wrong zone of its clock may be why."""
    ended = run_span(ev)[1]
    return ended is not None and not within(ev, ts_ns) and abs(ts_ns - ended) <= FARTHEST_NS


FARTHEST_NS: Final = 15 * 3_600_000_000_000
"""Zones lie 14 hours apart at most."""
