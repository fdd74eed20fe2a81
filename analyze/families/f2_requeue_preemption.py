"""F2: the scheduler took the job off its nodes: preempted or requeued; recovered, pending or lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._case import Claims
from inquest.analyze.families._resumes import from_scratch, outlived
from inquest.analyze.families._rows import failing
from inquest.analyze.families._settings import grace, preemption
from inquest.analyze.families._story import saved_above, when
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class RequeuePreemption:
    """See the module."""

    id: str = "F2"
    name: str = "requeue or preemption"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("scheduler",)
    helps: tuple[str, ...] = ("slurm_jobs", "slurm_events", "steps")

    def judge(self, ev: Evidence) -> Finding:
        """Preemption or requeue, said by accounting, by events, or by the step's own message."""
        story = tell(ev)
        rows = [row for row in story.all_events if row["kind"] in (Kind.PREEMPTED, Kind.REQUEUED)]
        if not rows and (again := _second_run(ev)) is not None:
            return self._several_runs(ev, story, again)
        if not rows and (counted := _counted_restart(ev, story)) is not None:
            return self._restarted(ev, counted)
        if not rows:
            return RuledOut(
                because="The scheduler reports neither preemption nor requeue.",
                would_change_if="a state PREEMPTED or REQUEUED, or several accounting rows of the job",
                stores=("scheduler",),
            )
        preempted = [row for row in rows if row["kind"] == Kind.PREEMPTED]
        row = (preempted or rows)[0]
        claims = Claims(ev, self.id)
        claims.row("What says so", "fact_events", row, "text")
        if ev.has("slurm_jobs"):
            claims.over("Accounting rows of the job", "COUNT", "*", "slurm_jobs", unit="rows")
        failed = _failed_again(ev, story, row["ts_ns"])
        went_on = _WENT_ON if all(outlived(ev, story, each) for each in rows) else None
        if went_on is None and not failed and _completed_later(story, rows[-1]):
            went_on = ("recovered", "a later attempt of it completed", "low")
        what = "preempted" if preempted else "requeued"
        back = None if went_on or failed else _runs_again(ev, story, rows[-1])
        if back is not None and back.mostly:
            return CannotDecide(because=f"The scheduler {what} the job; {back.text}.", missing=("how that run ended",))
        went_on = went_on or (None if back is None else ("recovered", back.text, "low"))
        outcome, text, severity = failed or went_on or _outcome(ev, story, str(row["subject"]).split(" ", 1)[0])
        later = went_on is not None or (outcome == "recovered" and row["ts_ns"] is None)
        implies = (*preemption(ev, claims), *grace(ev, claims)) if preempted else ()
        lost_node = not preempted and any(event["kind"] == Kind.NODE_FAILURE for event in story.all_events)
        return RuledIn(
            because=f"The scheduler {what} the job; {text}.",
            would_change_if="a failure of the job before the scheduler acted",
            # The curve's last step is then that of the attempt after.
            headline=f"The scheduler {what} the job{'' if later else _when(story, row)}; {text}.",
            claims=claims.all,
            support=(Support("scheduler", f"the job was {what}", decisive=True),),
            attribution="infrastructure" if lost_node else "scheduler",
            scope="allocation",
            severity="low" if severity == "low" else "high",
            onset_ns=row["ts_ns"],
            sub_mode=outcome,
            first_failing=replace(failing(row), rank=None),
            explains_end=failed is None,
            implies=implies,
            next=Next(
                "scheduler" if outcome == "pending" else "job",
                _WAIT if outcome == "pending" else _NEXT_RUN,
            ),
        )

    @staticmethod
    def _several_runs(ev: Evidence, story: Story, first: Row) -> Finding:
        claims = Claims(ev, "F2")
        claims.row("State of the job's earlier run", "slurm_jobs", first, "state")
        claims.over("Accounting rows of the job", "COUNT", "*", "slurm_jobs", unit="rows")
        failed = _failed_again(ev, story, first["end_ns"])
        outcome, text, severity = failed or _outcome(ev, story, str(first["job_id"]))
        return RuledIn(
            because=f"The accounting holds several runs of job {first['job_id']}: {first['state']} first; {text}.",
            would_change_if="a single accounting row of the job",
            headline=f"The job was started again after {first['state']}; {text}.",
            claims=claims.all,
            support=(Support("scheduler", "several accounting rows are one run", decisive=True),),
            attribution="infrastructure" if "NODE_FAIL" in str(first["state"]) else "scheduler",
            scope="allocation",
            severity="low" if severity == "low" else "high",
            onset_ns=first["end_ns"],
            sub_mode=outcome,
            explains_end=failed is None,
            next=Next("job", _NEXT_RUN),
        )

    @staticmethod
    def _restarted(ev: Evidence, job: Row) -> Finding:
        claims = Claims(ev, "F2")
        claims.row("How often the scheduler had started the job again", "slurm_jobs", job, "restarts")
        claims.row("State of its last run", "slurm_jobs", job, "state")
        waits = str(job["state"]) == "PENDING"
        text = "it waits to run again" if waits else "its last run went on from what was saved, and completed"
        times = "once" if job["restarts"] == 1 else f"{job['restarts']} times"
        return RuledIn(
            because=f"The scheduler counts {job['restarts']} restarts of job {job['job_id']}; {text}.",
            would_change_if="a failure of the job before it was put back into the queue",
            headline=f"The scheduler put the job back into the queue {times}; {text}.",
            claims=claims.all,
            support=(Support("scheduler", "it counts restarts of the job", decisive=True),),
            attribution="scheduler",
            scope="allocation",
            severity="high" if waits else "low",
            onset_ns=None if waits else job["start_ns"],
            sub_mode="pending" if waits else "recovered",
            next=Next("scheduler" if waits else "job", _WAIT if waits else _NEXT_RUN),
        )


def _counted_restart(ev: Evidence, story: Story) -> Row | None:
    """The accounting row of a job that was started again by the scheduler's count, and did not fail by itself.

    One that completed counts where its log shows that it went on from what a run before had saved: a run that was put
    back before it did anything lost nothing.
    """
    if not ev.has("slurm_jobs") or story.first is not None or story.crashes:
        return None
    jobs = ev.frame("slurm_jobs").filter(pl.col("restarts") > 0)
    if jobs.height != 1:
        return None
    job = jobs.row(0, named=True)
    went_on = story.progressed and not from_scratch(story)
    return job if job["state"] == "PENDING" or (job["state"] == "COMPLETED" and went_on) else None


def _completed_later(story: Story, row: Row) -> bool:
    """Whether the service that started a job again says below, in the same answer, that it succeeded."""
    return any(
        (event["node"], event["source"]) == (row["node"], row["source"]) and event["line_seq"] > row["line_seq"]
        for event in story.all_events
        if event["pattern"] == "batch.service_success" and row["line_seq"] is not None
    )


_GRACE_NS: Final = 600_000_000_000
"""More than Slurm leaves a job between its word and the SIGKILL: KillWait and GraceTime are seconds to minutes."""
_REPORTS: Final = 3
_WENT_ON: Final = ("recovered", "training was resumed after it, and came to its end", "low")
_WAIT: Final = "Wait for the job to start again, or ask for a partition that is not preempted."
_NEXT_RUN: Final = "Save often and resume at every start, so that a requeue costs little."


@dataclass(frozen=True, slots=True)
class _Back:
    """That the job is back: in words, and whether that is most of what is told of it."""

    text: str
    mostly: bool


def _runs_again(ev: Evidence, story: Story, row: Row) -> _Back | None:
    """That accounting has the job running once more, or that its log ends in the midst of a later run."""
    if story.ended_well is not None or story.failures:
        return None
    if ev.has("slurm_jobs") and _state(ev, str(row["subject"]).split(" ", 1)[0]) == "RUNNING":
        return _Back("it runs again", mostly=True)
    if row["line_seq"] is None:
        return None
    mine, line = story.all_steps.filter(same_stream(row) & pl.col("step").is_not_null()), pl.col("line_seq")
    above = mine.filter(line < row["line_seq"])["step"].to_list()
    below = mine.filter(line > row["line_seq"])["step"].to_list()
    if not above or not below:
        return None
    if min(below) <= max(above):
        return _further_epochs(mine.filter(line < row["line_seq"]), mine.filter(line > row["line_seq"]))
    text = f"it ran again, and had come to {story.counted_in} {max(below)} where its log ends"
    return _Back(text, mostly=max(below) > 2 * max(above))


def _further_epochs(above: pl.DataFrame, below: pl.DataFrame) -> _Back | None:
    """The same by the epochs that are told, where a bar counts within each and so begins low after a resumption."""
    ended: list[float] = above["epoch"].drop_nulls().to_list()
    again: list[float] = below["epoch"].drop_nulls().to_list()
    if not ended or not again or not min(ended) < max(ended) <= min(again) < max(again):
        return None
    text = f"it ran again, and had come to epoch {max(again):g} where its log ends"
    return _Back(text, mostly=max(again) > 2 * max(ended))


def _when(story: Story, row: Row) -> str:
    """The step that the run had come to when the scheduler acted: a later run of the job may have come further."""
    steps = story.all_steps.drop_nulls("step")
    after = steps.filter(pl.col("ts_ns") > row["ts_ns"]) if row["ts_ns"] is not None else steps.clear()
    if after.is_empty():
        return when(story) if story.progressed and _one_run(story) else ""
    before = steps.filter(pl.col("ts_ns") <= row["ts_ns"]).sort("ts_ns", "seq")
    if before.is_empty():
        return ""
    # A state that is saved as it is told to leave lies beyond the last report.
    kinds = (str(Kind.PREEMPTED), str(Kind.REQUEUED))
    said = next((each for each in story.all_events if each["kind"] in kinds and each["source"] is not None), row)
    step = int(before["step"][-1])
    return f" at {story.counted_in} {max(step, saved_above(story, said, step))}"


def _one_run(story: Story) -> bool:
    return story.steps.height == story.all_steps.height


def _second_run(ev: Evidence) -> Row | None:
    """The first of several accounting rows of one job: each restart leaves one."""
    if not ev.has("slurm_jobs"):
        return None
    jobs = ev.frame("slurm_jobs").drop_nulls("job_id").sort("job_id", "start_ns", "restarts", "seq", nulls_last=True)
    again = jobs.filter(pl.len().over("job_id") > 1)
    return None if again.is_empty() else again.row(0, named=True)


def _failed_again(ev: Evidence, story: Story, acted_ns: int | None) -> tuple[str, str, str] | None:
    """The outcome where a later run of the job began, and failed by itself: who had ended the one before did not."""
    first = None if story.first is None else story.first.row["ts_ns"]
    if first is None or acted_ns is None:
        return None
    later = ev.scan("slurm_jobs").filter(pl.col("start_ns").is_between(acted_ns, first)).select(pl.len())
    began = ev.has("slurm_jobs") and bool(later.collect().item())
    if not began:  # no run reports for so long after the scheduler has ended it
        told = story.all_steps.filter(pl.col("ts_ns").is_between(acted_ns + _GRACE_NS, first))
        began = told["ts_ns"].n_unique() >= _REPORTS
    return ("recovered", "it ran again, and failed by itself", "low") if began else None


def _outcome(ev: Evidence, story: Story, job_id: str) -> tuple[str, str, str]:
    state = _state(ev, job_id)
    if state is None and story.ended_well and _one_run(story) and not story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY):
        return "lost", "it left in order, and nothing captured tells of a later run", "high"
    if state == "PENDING":
        return "pending", "it waits to run again", "high"
    if state == "COMPLETED" or (state is None and story.ended_well):
        return "recovered", "a later run of it completed", "low"
    return "lost", "it did not complete afterwards", "high"


def _state(ev: Evidence, job_id: str) -> str | None:
    """The scheduler's last word on the job, without what follows it ("CANCELLED by 1000")."""
    jobs = ev.frame("slurm_jobs")
    mine = jobs.filter(pl.col("job_id") == job_id)
    jobs = jobs if mine.is_empty() else mine
    # A run that has not begun comes after those that have. Of restarts accounting may not tell, and others do.
    states = jobs.sort("start_ns", "restarts", "seq", nulls_last=[True, False, False])["state"].drop_nulls()
    return str(states[-1]).split()[0] if len(states) else None


FAMILY: Final = RequeuePreemption()
