"""The scheduler's track: what it said, and each run and step of the job as a slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from inquest.render.tables import lazy
from inquest.render.timeline.canvas import cited
from inquest.render.wording import one_line

if TYPE_CHECKING:
    from inquest.render.timeline.canvas import Args, Canvas


def draw(canvas: Canvas) -> None:
    """Draw events, jobs and steps."""
    told = [moment for moment in canvas.story.moments if moment.kind == "scheduler"]
    jobs = lazy(canvas.evidence, "slurm_jobs", "node", "seq", "job_id", "state", "restarts", "start_ns", "end_ns")
    steps = lazy(canvas.evidence, "slurm_steps", "node", "seq", "step_id", "step_name", "state", "start_ns", "end_ns")
    runs = jobs.filter(pl.col("start_ns").is_not_null()).sort("start_ns", "node", "seq").collect()
    parts = steps.filter(pl.col("start_ns").is_not_null()).sort("start_ns", "node", "seq").collect()
    if not told and runs.is_empty() and parts.is_empty():
        return
    slurm = canvas.trace.track("Slurm", order=1)
    for moment in told:
        args: Args = {"table": moment.table, "seq": moment.seq}
        canvas.trace.instant(slurm, moment.ts_ns, moment.text or "event", "scheduler", args)
    for row in runs.iter_rows(named=True):
        track = canvas.trace.track(f"job {one_line(row['job_id'] or '')}", slurm, order=1)
        _stretch(canvas, track, f"{one_line(row['state'] or 'job')}", "slurm_jobs", row)
    for row in parts.iter_rows(named=True):
        track = canvas.trace.track(f"step {one_line(row['step_id'] or '')}", slurm, order=2)
        _stretch(canvas, track, one_line(row["step_name"] or row["state"] or "step"), "slurm_steps", row)


def _stretch(canvas: Canvas, track: int, name: str, table: str, row: dict[str, Any]) -> None:
    args: Args = {"state": one_line(row["state"] or ""), **cited(table, row)}
    canvas.trace.begin(track, row["start_ns"], name, "scheduler", args)
    if row["end_ns"] is not None:
        canvas.trace.end(track, max(row["end_ns"], row["start_ns"]))
