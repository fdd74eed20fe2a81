"""G1: healthy, on positive evidence: work done, loss fell, ended as planned, and nothing captured against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.analyze.families import _doubts, _end_doubts, _learning_doubts
from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._curve import curve
from inquest.analyze.families._end import planned_end
from inquest.analyze.families._ended import Ended
from inquest.analyze.families._lost_node import failed_nodes
from inquest.analyze.families._resumes import unproved_continuation
from inquest.analyze.families._rows import told_by
from inquest.analyze.families._several_starts import ends_another
from inquest.analyze.families._start_doubts import start_doubt
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._end import PlannedEnd
    from inquest.analyze.families._ended import Look
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import StoreName

_AGAINST: Final = (
    Kind.TIME_LIMIT,
    Kind.PREEMPTED,
    Kind.NODE_FAILURE,
    Kind.CANCELLED,
    Kind.SCHEDULER_TERM,
    Kind.SLURM_OOM,
    Kind.COLLECTIVE_TIMEOUT,
    Kind.COLLECTIVE_MISMATCH,
    Kind.USER_INTERRUPT,
    Kind.HANG_UP,
    Kind.LAUNCHER_FAILURE,
    Kind.TASK_EXIT,
    Kind.LOSS_SCALE_COLLAPSE,
)


@dataclass(frozen=True, slots=True)
class Healthy:
    """See the module."""

    id: str = "G1"
    name: str = "healthy"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("steps", "exits", "logs")
    helps: tuple[str, ...] = ("exits", "steps", "gpu_samples", "scheduler", "kernel")

    def judge(self, ev: Evidence) -> Finding:
        """Positive signs only; an absence of errors is none."""
        story = tell(ev)
        against = _against(ev, story)
        if against is not None:
            return RuledOut(
                because=f"Something went wrong: {against}.",
                would_change_if="the same run without it",
                stores=("logs",) if ev.has("logs") else ("processes",),
            )
        if (left_open := start_doubt(ev, story)) is not None:
            return left_open
        end, losses = planned_end(ev, story), curve(story)
        if (untold := _untold(story, end, losses)) is not None:
            return untold
        if end is None:
            return CannotDecide(
                because="Training advanced, but how and whether it ended is not known.",
                missing=("the exit status of the job", "the rest of the output"),
            )
        if (other := ends_another(story, losses, end.row)) is not None:
            return CannotDecide(
                because=f"What tells of an end stands in {other}, which tells of another training.",
                missing=("which of the trainings this is about: name its files alone",),
            )
        if not end.firm and story.uncounted:
            return CannotDecide(
                because="Losses fell, but nothing counts them: how far it came of what it was to do is not told.",
                missing=("the number of a step or an epoch", "an end-of-training line"),
            )
        if losses.bad_at_end:
            return RuledOut(
                because="The last reported losses are not numbers.",
                would_change_if="finite losses at the end",
                stores=("logs",),
            )
        run = Ended(ev, story, end, losses)
        found = next((found for look in _LOOKS if (found := look(run)) is not None), None)
        return self._healthy(run) if found is None else found

    def _healthy(self, run: Ended) -> RuledIn:
        """No doubt is left: what was done, how it ended and what improved, each with its claim."""
        ev, story, end = run.ev, run.story, run.end
        claims = Claims(ev, self.id)
        support = _of_the_end(run, claims)
        fall = _of_the_loss(run, claims, support) + _of_the_gain(run, claims, support)
        later = ""
        if story.after_all is not None:
            claims.row("Exit code of the script", "fact_exits", story.after_all.row, "exit_code")
            later = f"; exit code {story.after_all.exit_code} is of what its script ran after that"
        named = ev.run_chosen()
        whose = "" if named is None else f" of {named}"
        steps = _what_was_done(story)
        return RuledIn(
            because=f"{steps[0].upper()}{steps[1:]}{fall}, and {end.text}{later}.",
            would_change_if="any captured store showing a failure, or a loss that is wrong for the task",
            headline=f"No evidence of failure in what was captured{whose}: {steps}{fall}, and {end.text}{later}.",
            claims=claims.all,
            support=tuple(support),
            attribution="none",
            scope="allocation",
            severity="none",
            next=Next(None, "Nothing to repair. Keep this run as a baseline to compare others with."),
            cannot_decide=_open_questions(run),
        )


_LOOKS: Final[tuple[Look, ...]] = (*_end_doubts.LOOKS, *_learning_doubts.LOOKS, *_doubts.LOOKS)


def _untold(story: Story, end: PlannedEnd | None, losses: Curve) -> CannotDecide | None:
    """Nothing tells what was learned, or that anything was done at all."""
    if losses.blind:
        return CannotDecide(
            because="Every validation loss reported is NaN, so what was learned cannot be told.",
            missing=("a validation metric that is a number",),
        )
    if not story.progressed and not losses.finite and not _announced(story):
        return CannotDecide(
            because="No training progress was reported, and an absence of errors proves no health: what the job"
            " computed is unverifiable.",
            missing=("training progress (steps with a loss)", *(() if end else ("the exit status",))),
        )
    return None


def _of_the_end(run: Ended, claims: Claims) -> list[Support]:
    """Claims of the planned end and of how far the run came, and who tells of the end."""
    story, end = run.story, run.end
    if end.row is not None:
        claims.row("Sign of the planned end", end.table, end.row, end.column)
        if end.column == "lr":
            told = f"{run.losses.where} AND lr - lr = 0"
            claims.over("Highest learning rate reported", "MAX", "lr", "fact_steps", told)
    if story.last_step is not None:
        unit = story.counted_in
        claims.over(f"Highest {unit} reported", "MAX", "step", "fact_steps", unit=f"{unit}s")
    support = [Support(end.store, end.text, decisive=end.firm)]
    status = story.end_status
    if story.ended_well and status is not None and end.row is not None:
        store: StoreName = "metrics" if told_by(status.row) == "metrics" else "processes"
        support.append(Support(store, "exit status 0"))
    return support


def _of_the_loss(run: Ended, claims: Claims, support: list[Support]) -> str:
    """Claims of the first and the last loss, and in words that it fell, where it did."""
    losses = run.losses
    if not losses.finite:
        return ""
    first, last = losses.numbers.row(0, named=True), losses.numbers.row(-1, named=True)
    claims.row("First loss reported", "fact_steps", first, "loss")
    claims.row("Last loss reported", "fact_steps", last, "loss")
    if not losses.fell:
        return ""
    support.append(Support(losses.store, "the loss fell"))
    # It fell by its levels; the two reports that are cited may lie the other way round.
    lower = last["loss"] < first["loss"]
    return ", the loss fell" + (f" from {first['loss']:.4g} to {last['loss']:.4g}" if lower else "")


def _of_the_gain(run: Ended, claims: Claims, support: list[Support]) -> str:
    """The claim of what improved beside the loss, and the same in words."""
    gain, losses = run.gain, run.losses
    if gain is None:
        return ""
    best = "Highest" if gain.measure == "MAX" else "Lowest"
    told = f"{gain.column} - {gain.column} = 0"
    claims.over(f"{best} {gain.name} reported", gain.measure, gain.column, "fact_steps", told)
    support.append(Support(losses.store if losses.finite else gain.store, gain.text.split(" from ")[0]))
    return f", {gain.text}"


def _what_was_done(story: Story) -> str:
    """How much training was done, as far as its steps were told."""
    if story.last_step is None or story.first_step is None:
        return "training was done"
    unit, count = story.counted_in, story.last_step + story.from_zero
    # Of a run that went on from a checkpoint, the count tells of more than it did.
    goes_on = story.first_step * 2 > story.last_step
    # Which of its samples was reported last is not how many there were.
    if goes_on or unit == "sample":
        return f"training came to {unit} {story.last_step}"
    return f"{count} {unit}{' was' if count == 1 else 's were'} done"


def _open_questions(run: Ended) -> tuple[Missing, ...]:
    """What a healthy verdict leaves open."""
    found = []
    if not run.losses.fell and run.gain is None:
        found.append(Missing("Whether the model learned", "the loss at several steps, or a validation metric"))
    if (other := unproved_continuation(run.ev, run.story)) is not None:
        found.append(Missing("Whether the run should have continued the job it waited for", f"{other} (--parent)"))
    return tuple(found)


def _announced(story: Story) -> bool:
    """True when the framework itself says that the planned steps or epochs were done (Lightning's max_steps=12)."""
    return any(str(row["subject"] or "").startswith("max_") for row in story.of(Kind.TRAINING_END))


def _against(ev: Evidence, story: Story) -> str | None:
    """What speaks against health, in words; None when nothing does."""
    if story.ended_well is False:
        end = story.end_status
        return f"the command ended with {end.signal_name if end and end.term_signal else 'a non-zero exit code'}"
    # A command may swallow the failure of a part of it: its exit status 0 is no excuse for a fatal traceback.
    if story.crashed_unseen:
        return "the kernel saw a process of the job die after the last report"
    if story.last_word is not None:
        return "the log ends with a crash, which a status of 0 hides"
    if story.first is not None:
        return story.first.crash.title if story.first.crash else "a process died by a signal"
    if story.crashes_of(Cause.LAUNCHER, Cause.INTERRUPT, Cause.PEER_LOST):
        return story.crashes[0].title
    # A controller tells of all its nodes: of the job's own, near its end, alone.
    nodes = failed_nodes(ev, story)[1] if story.ended_well else story.of(Kind.NODE_FAILURE)
    rows = [
        row
        for row in story.of(*_AGAINST)
        if row["role"] != "progress" and not _side_step(story, row) and (row["pattern"] != "slurm.node" or row in nodes)
    ]
    return f"{rows[0]['kind'].replace('_', ' ')} is reported" if rows else None


def _side_step(story: Story, row: Row) -> bool:
    """True for a step that was cancelled while its job went on to end well: a monitor, a sidecar."""
    return bool(story.ended_well) and row["kind"] == Kind.CANCELLED and "." in str(row["subject"] or "")


FAMILY: Final = Healthy()
