"""F2: the scheduler took the job off its nodes: preempted or requeued; recovered, pending or lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._case import Claims
from inquest.analyze.families._story import failing, tell, when
from inquest.analyze.families.base import Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
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
        if not rows:
            return RuledOut(
                because="The scheduler reports neither preemption nor requeue.",
                would_change_if="a state PREEMPTED or REQUEUED, or several accounting rows of the job",
                stores=("scheduler",),
            )
        preempted = [row for row in rows if row["kind"] == Kind.PREEMPTED]
        row = (preempted or rows)[0]
        claims = Claims(ev, self.id)
        claims.row("What the scheduler says", "fact_events", row, "text")
        if ev.has("slurm_jobs"):
            claims.sql("Accounting rows of the job", "SELECT COUNT(*) FROM slurm_jobs", "slurm_jobs", "rows")
        outcome, text, severity = _outcome(ev, story)
        what = "preempted" if preempted else "requeued"
        return RuledIn(
            because=f"The scheduler {what} the job; {text}.",
            would_change_if="a failure of the job before the scheduler acted",
            headline=f"The scheduler {what} the job{when(story) if story.progressed else ''}; {text}.",
            claims=claims.all,
            support=(Support("scheduler", f"the job was {what}", decisive=True),),
            attribution="scheduler",
            scope="allocation",
            severity="low" if severity == "low" else "high",
            onset_ns=row["ts_ns"],
            sub_mode=outcome,
            first_failing=replace(failing(row), rank=None),
            next=Next(
                "scheduler" if outcome == "pending" else "job",
                "Wait for the job to start again, or ask for a partition that is not preempted."
                if outcome == "pending"
                else "Save often and resume at every start, so that a requeue costs little.",
            ),
        )


def _outcome(ev: Evidence, story: Story) -> tuple[str, str, str]:
    state = _state(ev)
    if state == "PENDING":
        return "pending", "it waits to run again", "high"
    if state == "COMPLETED" or (state is None and story.ended_well):
        return "recovered", "a later run of it completed", "low"
    return "lost", "it did not complete afterwards", "high"


def _state(ev: Evidence) -> str | None:
    """The scheduler's last word on the job, without what follows it ("CANCELLED by 1000")."""
    states = ev.frame("slurm_jobs").sort("restarts", "start_ns", "seq", nulls_last=False)["state"].drop_nulls()
    return str(states[-1]).split()[0] if len(states) else None


FAMILY: Final = RequeuePreemption()
