"""G1: healthy, on positive evidence: work done, loss fell, ended as planned, and nothing captured against it."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._curve import LANGUAGE, Curve, curve, ends, series
from inquest.analyze.families._doubts import doubt
from inquest.analyze.families._end import PlannedEnd, planned_end, reached_its_setting, stops_short
from inquest.analyze.families._margins import (
    nothing_to_learn,
    plan_in_its_own_word,
    replaced,
    trouble_below,
    unmatched,
)
from inquest.analyze.families._pace import clocked, paces, slowdown
from inquest.analyze.families._resumes import found_nothing, from_scratch, unproved_continuation
from inquest.analyze.families._rows import told_by
from inquest.analyze.families._signs import above_its_best, least_rise, level_throughout
from inquest.analyze.families._swallowed import failed_program
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.families.d3_straggler import idles_unexplained
from inquest.analyze.families.e3_undertrained import BY_RULE, FOR_NOW, epochs_done
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.metrics import column_of
from inquest.analyze.model import Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
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


_STOOD: Final = 0.0005
"""What batches alone make a loss move by, at the least."""
_ENOUGH: Final = 20
"""Reports among which chance alone hides no fall worth the name."""


_SURELY: Final = 3
"""Errors of a median by which a loss has to come down before it is said to have fallen."""
_LAST: Final = 3
"""Reports in a row that no single hard batch explains."""


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
        against = _against(story)
        if against is not None:
            return RuledOut(
                because=f"Something went wrong: {against}.",
                would_change_if="the same run without it",
                stores=("logs",) if ev.has("logs") else ("processes",),
            )
        if found_nothing(story):
            return CannotDecide(
                because="Training looked for a checkpoint and found none; whether work was lost is not known.",
                missing=("whether earlier runs of this job had saved (--parent)",),
            )
        if (torn := _unread_state(story)) is not None:
            return CannotDecide(
                because=f"A saved state could not be read ({torn.title}), and training began at step"
                f" {story.first_step}; whether work was lost is not known.",
                missing=("what that state held (--parent)",),
            )
        if (named := unmatched(ev, story)) is not None:
            return CannotDecide(
                because=f'Of what it loaded it said: "{named}"; whether any of it was taken is not known.',
                missing=("the first loss against the one that was saved",),
            )
        if (lacked := replaced(ev, story)) is not None:
            return CannotDecide(
                because=f'It said at its start: "{lacked}"; whether what it learned is of any use is not known.',
                missing=("a run with what was asked for",),
            )
        if (other := unproved_continuation(ev, story, left_out=True)) is not None:
            return CannotDecide(
                because="It ended as planned, but it waited for another job and began anew; whether work was lost is"
                " not known.",
                missing=(f"{other} (--parent)",),
            )
        if story.left_behind:
            return CannotDecide(
                because=f"One of several trainings crashed ({story.left_behind[0].title}), and others ended well.",
                missing=("whether that one was run again",),
            )
        if behind := story.of(Kind.LEFT_BEHIND):
            return CannotDecide(
                because=f"{behind[0]['subject']} fell silent at step {behind[0]['num']:.0f}, and others went on.",
                missing=(f"how the process of {behind[0]['subject']} ended",),
            )
        if unknown := story.deaths_of_whom:
            return CannotDecide(
                because=f"A process ended by {unknown[0].signal_name} behind a status of 0; whether it trained is not"
                " known.",
                missing=("which command reported the steps, and how it ended",),
            )
        if story.ended_well and (failed := failed_program(ev)) is not None:
            return CannotDecide(
                because=f"The status of the whole is 0, but {failed}.",
                missing=("what that program said at its end",),
            )
        end = planned_end(ev, story)
        losses = curve(story)
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
        if end is None:
            return CannotDecide(
                because="Training advanced, but how and whether it ended is not known.",
                missing=("the exit status of the job", "the rest of the output"),
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
        if (gone := _validation_lost(story)) is not None:
            return CannotDecide(
                because=f"The last {gone} validation losses are NaN, and those before were numbers.",
                missing=("a validation metric of what was saved",),
            )
        if (silent := _without_a_loss(ev, losses)) is not None:
            return CannotDecide(
                because=f"The last loss told is of step {silent[0]}, and training was reported to step {silent[1]}.",
                missing=("the losses after it: a blank may stand for a number that was none",),
            )
        if (beside := _broken_beside(story, losses)) is not None:
            return CannotDecide(
                because=f"Of several trainings that ended, the losses of one ({beside}) are no numbers at its end.",
                missing=("which of the trainings this is about: name its files alone",),
            )
        if (stood_beside := _stood_beside(ev, story, losses)) is not None:
            return CannotDecide(
                because=f"Of several trainings, the loss of one ({stood_beside[0]}) stood at {stood_beside[1]:.4g}"
                " throughout.",
                missing=("which of the trainings this is about: name its files alone",),
            )
        if (back := losses.hardly_back) is not None:
            return CannotDecide(
                because=f"{back[0]} reports in a row had a loss that is no number, and only {back[1]} after them one"
                " that is.",
                missing=("a validation metric of what was saved",),
            )
        score = ends(series(story, "score"))
        if score is not None and _collapsed(ev, *score):
            return CannotDecide(
                because=f"The reward had come to {score[1]:.4g}, and ended at {score[2]:.4g}.",
                missing=("a validation of what was saved",),
            )
        if (unsaved := _last_save_failed(story)) is not None:
            return CannotDecide(
                because=f'The last that is told of a save is that it failed: "{str(unsaved["text"]).strip()[:120]}".',
                missing=("whether the model was written",),
            )
        if skipped := _skipped_to_the_end(story, losses):
            return CannotDecide(
                because=f"Updates were skipped in each of the last {skipped} reports, since a number was none.",
                missing=("the loss of the last batches", "a validation of what was saved"),
            )
        if losses.ends_broken:
            return CannotDecide(
                because="The very last loss that was reported is no number.",
                missing=("a validation metric of what was saved",),
            )
        if story.of(Kind.NAN_PART):
            return CannotDecide(
                because="A part of the loss is NaN in the last reports, and the whole is not told.",
                missing=("a validation of what was saved", "the loss that the gradient is taken of"),
            )
        if (plan := _far_from_settings(ev, story, end)) is not None:
            return CannotDecide(
                because=f"It was planned by {plan[0]} to come to {plan[1]:.0f}, and the reports end at {plan[2]}.",
                missing=("what ended it: a rule of its own, or its data",),
            )
        if (short := _short_of_its_word(ev, story)) is not None:
            return CannotDecide(
                because=f"It said at its start that it would do {short[1]} {short[0]}, and the reports end at"
                f" {story.last_step}.",
                missing=("what ended it: a rule of its own, or its data",),
            )
        if (waits := _mostly(story)) is not None:
            return CannotDecide(
                because=f"By its own clocks {waits[1]:.0%} of a step {waits[0]}; what its GPUs did meanwhile was not"
                " captured.",
                missing=("samples of the GPUs' activity", "the step time of a run that is known to be good"),
            )
        if (pauses := _stood_for_most(ev, story)) is not None:
            return CannotDecide(
                because=f"Nothing was reported for most of the time: {pauses[0]} pauses of {pauses[1]:.0f} s and more"
                f" lie between reports that else come every {pauses[2]:.3g} s.",
                missing=("what the job did in these pauses", "samples of the GPUs' activity, storage and network"),
            )
        if (slower := _slowed_unseen(ev, story)) is not None:
            return CannotDecide(
                because=f"Steps came to take {slower:.1f} times as long, to the end, and what held them back was not"
                " sampled.",
                missing=("clocks, power and SM activity of the GPUs", "what changed in the job at that time"),
            )
        if (idles := idles_unexplained(ev, story)) is not None:
            return CannotDecide(
                because=f"{idles}, and how much work each did was not sampled: its host may keep the others waiting.",
                missing=(
                    "SM activity or memory traffic of every GPU",
                    "the step time of a run that is known to be good",
                ),
            )
        if (not end.firm or story.after_all) and (trouble := trouble_below(ev, story)) is not None:
            return CannotDecide(
                because=f'Below the last report stands "{trouble}"; whether all was done is open.',
                missing=("what was to be done", "whether what failed there was needed"),
            )
        if (said := nothing_to_learn(ev, story)) is not None and not losses.fell:
            return CannotDecide(
                because=f'It said at its start: "{said}", and no loss came down.',
                missing=("what was trained, and on what",),
            )
        if _nothing_but_zero(losses) and score is None:
            return CannotDecide(
                because="Every loss reported is exactly 0: there was nothing to learn from, or it is not told.",
                missing=("a validation metric", "the norm of the gradients"),
            )
        if (level := _zero_all_at_once(losses)) is not None:
            return CannotDecide(
                because=f"The loss was {level:.4g}, and all at once exactly 0 in each report to the end.",
                missing=("a validation metric of what was saved", "whether a loss that is no number is told as 0"),
            )
        if not losses.fell and (apart := _repeats(losses)) is not None:
            return CannotDecide(
                because=f"The losses are the same, number by number, after every {apart} reports: nothing was learned"
                " between them.",
                missing=("the norm of the gradients, or whether the optimizer's step is called",),
            )
        if (above := above_its_best(ev, losses)) is not None:
            return CannotDecide(
                because=f"The loss had come down to {above[0]:.4g}, and ended at {above[1]:.4g} without falling again.",
                missing=("a validation metric of what was saved", "whether data or objective changed on the way"),
            )
        if (burst := _bursts(losses)) is not None:
            return CannotDecide(
                because=f"The loss leapt again and again, to {burst:.4g} at the most, far above where it had come to.",
                missing=("a validation metric of what was saved",),
            )
        if (lost := _above_what_was_saved(ev, story, losses)) is not None:
            return CannotDecide(
                because=f"It went on from a state whose loss was {lost[0]:.4g}, and its own began at {lost[1]:.4g}.",
                missing=("whether the weights that were saved were taken",),
            )
        headed = any(row["kind"] == Kind.NEXT_RUN for row in story.all_events)
        if not headed and (anew := _learned_anew(losses)) is not None:
            return CannotDecide(
                because=f"The loss had come to {anew[0]:.4g}, stood at {anew[1]:.4g} again, where it had begun, and was"
                " learned anew: whether weights were lost is not told.",
                missing=("what was loaded or begun there", "a validation metric of what was saved"),
            )
        if (high := _ends_high(ev, losses)) is not None:
            return CannotDecide(
                because=f"The loss had come down to {high[0]:.4g}, and its last reports stand at {high[1]:.4g}.",
                missing=("a validation metric of what was saved",),
            )
        if (risen := _never_validated(ev, story)) is not None:
            return CannotDecide(
                because=f"The validation loss never came down: it began at {risen[0]:.4g} and ended at {risen[1]:.4g}.",
                missing=("a validation metric of what was saved",),
            )
        gain = _gain(ev, story, losses)
        if gain is None and from_scratch(story) and (level := _stood(ev, losses)) is not None:
            return CannotDecide(
                because=f"The loss stood at {level:.4g} from the first report to the last, and nothing was loaded.",
                missing=("a metric of the model that improved",),
            )
        if gain is None and from_scratch(story) and (same := _no_lower(losses.finite)) is not None:
            return CannotDecide(
                because=f"The loss came from {same[0]:.4g} to {same[1]:.4g}, less than its reports lie apart by"
                " chance, and nothing was loaded.",
                missing=("a metric of the model that improved",),
            )
        if gain is None and from_scratch(story) and (hardly := _hardly_fell(ev, story, losses)) is not None:
            return CannotDecide(
                because=f"The loss came from {hardly[0]:.4g} to {hardly[1]:.4g} only, and validation gained nothing.",
                missing=("a metric of the model that improved",),
            )
        if gain is None and not losses.finite and (stood := _never_better(ev, story)) is not None:
            return CannotDecide(
                because=f"No loss was reported, and the {stood[0]} came from {stood[1]:.4g} to {stood[2]:.4g} only.",
                missing=("a metric of the model that improved",),
            )
        if gain is None and _only_evaluates(ev, story, losses):
            return CannotDecide(
                because="The output speaks of an evaluation and not of training, and no loss came down.",
                missing=("what the job was to do",),
            )
        if (guess := _frequencies(ev, losses)) is not None:
            return CannotDecide(
                because=f"The loss came to {guess:.4g} early and stayed: a language model knows no more by then than"
                " how often each token comes.",
                missing=("a validation metric, or the loss of a run known to be good",),
            )
        if (guess := _guessing(ev, losses)) is not None:
            return CannotDecide(
                because=f"The loss ended at {guess:.4g}, which for a language model is the level of guessing.",
                missing=("a validation metric, or the loss of a run known to be good",),
            )
        fell = losses.fell if end.table == "fact_events" else losses.fell is not None
        if not end.firm and (not (fell or gain) or (story.last_step or 0) < (story.total_steps or 0)):
            if (fell or gain) and story.total_steps is not None:
                return CannotDecide(
                    because=f"It was to come to {story.unit} {story.total_steps}, and the reports end at"
                    f" {story.last_step}.",
                    missing=("what ended it", "an end-of-training line"),
                )
            told = f"{end.text[0].upper()}{end.text[1:]}"
            return CannotDecide(
                because=f"{told}, but neither a planned end nor a falling loss was reported.",
                missing=("an end-of-training line, or the loss at several steps",),
            )
        if (found := doubt(ev, story, losses)) is not None:
            return CannotDecide(because=found[0], missing=(found[1],))
        return self._healthy(ev, story, end, losses, gain)

    def _healthy(self, ev: Evidence, story: Story, end: PlannedEnd, losses: Curve, gain: _Gain | None) -> Finding:
        claims = Claims(ev, self.id)
        if end.row is not None:
            claims.row("Sign of the planned end", end.table, end.row, end.column)
            if end.column == "lr":
                claims.over(
                    "Highest learning rate reported", "MAX", "lr", "fact_steps", f"{losses.where} AND lr - lr = 0"
                )
        if story.last_step is not None:
            claims.over("Highest step reported", "MAX", "step", "fact_steps", unit="steps")
        support = [Support(end.store, end.text, decisive=end.firm)]
        status = story.end_status
        if story.ended_well and status is not None and end.row is not None:
            store: StoreName = "metrics" if told_by(status.row) == "metrics" else "processes"
            support.append(Support(store, "exit status 0"))
        fall = ""
        if losses.finite:
            first, last = losses.numbers.row(0, named=True), losses.numbers.row(-1, named=True)
            claims.row("First loss reported", "fact_steps", first, "loss")
            claims.row("Last loss reported", "fact_steps", last, "loss")
            if losses.fell:
                fall = ", the loss fell"
                if last["loss"] < first["loss"]:
                    fall += f" from {first['loss']:.4g} to {last['loss']:.4g}"
                support.append(Support(losses.store, "the loss fell"))
        if gain is not None:
            fall += f", {gain.text}"
            claims.over(
                f"{'Highest' if gain.measure == 'MAX' else 'Lowest'} {gain.name} reported",
                gain.measure,
                gain.column,
                "fact_steps",
                f"{gain.column} - {gain.column} = 0",
            )
            support.append(Support(losses.store if losses.finite else gain.store, gain.text.split(" from ")[0]))
        later = ""
        if story.after_all is not None:
            claims.row("Exit code of the script", "fact_exits", story.after_all.row, "exit_code")
            later = f"; exit code {story.after_all.exit_code} is of what its script ran after that"
        steps = "training was done"
        if story.last_step is not None and story.first_step is not None:
            # Of a run that went on from a checkpoint, the count tells of more than it did.
            goes_on = story.first_step * 2 > story.last_step
            # Epochs or trials that are counted from 0 are one more than the last one's number.
            count = story.last_step + (story.unit != "step" and story.first_step == 0)
            done = f"{count} {story.unit}{' was' if count == 1 else 's were'} done"
            steps = f"training came to {story.unit} {story.last_step}" if goes_on else done
        return RuledIn(
            because=f"{steps[0].upper()}{steps[1:]}{fall}, and {end.text}{later}.",
            would_change_if="any captured store showing a failure, or a loss that is wrong for the task",
            headline=f"No evidence of failure in what was captured: {steps}{fall}, and {end.text}{later}.",
            claims=claims.all,
            support=tuple(support),
            attribution="none",
            scope="allocation",
            severity="none",
            next=Next(None, "Nothing to repair. Keep this run as a baseline to compare others with."),
            cannot_decide=_open_questions(ev, story, losses, learned=gain is not None),
        )


@dataclass(frozen=True, slots=True)
class _Gain:
    """What improved beside the training loss, or in its place."""

    name: str
    column: str
    measure: Literal["MAX", "MIN"]
    first: float
    last: float
    store: StoreName

    @property
    def text(self) -> str:
        """In words."""
        went = "rose" if self.measure == "MAX" else "fell"
        return f"the {self.name} {went} from {self.first:.4g} to {self.last:.4g}"


def _gain(ev: Evidence, story: Story, losses: Curve) -> _Gain | None:
    """A reward that rose; or, where no training loss was told, a validation loss that fell, an accuracy that rose."""
    score = ends(scores := series(story, "score"))
    trial = story.unit == "trial"
    rose = score is not None and (trial or not level_throughout(ev, [-each for each in scores], _SURELY))
    if score is not None and score[2] > score[0] and rose:
        row = story.steps.filter(pl.col("score").is_finite()).row(-1, named=True)
        return _Gain(_BEST if trial else "score", "score", "MAX", score[0], score[2], told_by(row))
    validated = None if losses.finite else ends(series(story, "eval_loss"))
    if validated is not None and validated[0] != 0 and validated[2] <= ev.threshold("g1.no_fall") * validated[0]:
        row = story.steps.filter(pl.col("eval_loss").is_finite()).row(-1, named=True)
        name = _BEST if story.unit == "trial" else _called(ev, "validation loss", row)
        return _Gain(name, "eval_loss", "MIN", validated[0], validated[2], told_by(row))
    right = None if losses.finite else ends(series(story, "accuracy"))
    if right is not None and right[0] < right[2] <= 1 and 1 - right[2] <= ev.threshold("g1.no_fall") * (1 - right[0]):
        row = story.steps.filter(pl.col("accuracy").is_finite()).row(-1, named=True)
        return _Gain(_called(ev, "accuracy", row), "accuracy", "MAX", right[0], right[2], told_by(row))
    return None


_BEST: Final = "best value found"


def _called(ev: Evidence, usual: str, row: Row) -> str:
    """What a tracker calls the metric that stands for a usual one, as FID or Dice; else the usual name."""
    if told_by(row) != "metrics":
        return "validation figure" if row["framework"] == "judged" else usual
    names = ev.scan("metrics").select(pl.col("name").unique()).collect()["name"].drop_nulls().to_list()
    column, stand_in = _STAND_INS[usual]
    if any(column_of(name) == column for name in names):
        return usual
    others = [name for name in names if column_of(name) == stand_in]
    return others[0] if len(others) == 1 else usual


_STAND_INS: Final = {"validation loss": ("eval_loss", "judged"), "accuracy": ("accuracy", "quality")}


def _ends_high(ev: Evidence, losses: Curve) -> tuple[float, float] | None:
    """The level before the last reports, and theirs, where all of them stand far above it; None where they do not."""
    values = losses.finite
    tenth = max(1, len(values) // 10)
    if len(values) < ev.threshold("e1.plateau_losses"):
        return None
    level, last = statistics.median(values[-_LAST - tenth : -_LAST]), values[-_LAST:]
    far = min(last) >= ev.threshold("e1.climbed") * level and min(last) - level > least_rise(ev, values)
    return (level, statistics.median(last)) if far else None


def _never_validated(ev: Evidence, story: Story) -> tuple[float, float] | None:
    """First and last validation loss where none was lower than the first ones, and the last is far above them."""
    values = series(story, "eval_loss")
    told = ends(values)
    if told is None or told[0] <= 0:
        return None
    begin, _, last = told
    fell = min(values) < (1 - _FELL) * min(values[: max(2, len(values) // 10)])
    return None if fell or last < ev.threshold("g1.above_best") * begin else (begin, last)


_FELL: Final = 0.01


def _collapsed(ev: Evidence, first: float, highest: float, last: float) -> bool:
    """Whether a reward gave back most of what it had won."""
    won = highest - first
    return won > 0 and highest - last >= ev.threshold("parent.forgotten") * won


def _open_questions(ev: Evidence, story: Story, losses: Curve, *, learned: bool) -> tuple[Missing, ...]:
    """What a healthy verdict leaves open."""
    found = []
    if not losses.fell and not learned:
        found.append(Missing("Whether the model learned", "the loss at several steps, or a validation metric"))
    if (other := unproved_continuation(ev, story)) is not None:
        found.append(Missing("Whether the run should have continued the job it waited for", f"{other} (--parent)"))
    return tuple(found)


def _announced(story: Story) -> bool:
    """True when the framework itself says that the planned steps or epochs were done (Lightning's max_steps=12)."""
    return any(str(row["subject"] or "").startswith("max_") for row in story.of(Kind.TRAINING_END))


def _guessing(ev: Evidence, losses: Curve) -> float | None:
    """The final loss where it is that of guessing among the tokens of any usual vocabulary: ln(8000) is 9.

    Of a loop that does not say what it trains, only where the loss has not come down from there.
    """
    tail = losses.tail
    language = not losses.frame.is_empty() and losses.frame["framework"][-1] in LANGUAGE
    still = losses.head is not None and tail is not None and tail > losses.head * ev.threshold("g1.no_fall")
    language = language or (still and len(losses.finite) >= ev.threshold("e1.plateau_losses"))
    return tail if language and tail is not None and tail >= ev.threshold("g1.guessing_loss") else None


def _last_save_failed(story: Story) -> Row | None:
    """The last word on a save, where that is that it failed."""
    told = story.of(Kind.CHECKPOINT_SAVE_ERROR, Kind.CHECKPOINT_SAVED, Kind.MODEL_SAVED, Kind.CHECKPOINT_SAVE_BEGIN)
    return told[-1] if told and told[-1]["kind"] == Kind.CHECKPOINT_SAVE_ERROR else None


def _skipped_to_the_end(story: Story, losses: Curve) -> int:
    """How many reports, where in each of the last ones an update was skipped; 0 where training had come out of it."""
    lines = losses.frame["line_seq"].drop_nulls().to_list()[-_LAST - 1 :]
    source = None if losses.frame.is_empty() else losses.frame["source"][-1]
    said = [row["line_seq"] for row in story.of(Kind.UPDATE_SKIPPED) if row["source"] == source]
    held = [any(low < at <= high for at in said) for low, high in itertools.pairwise(lines)]
    return _LAST if len(held) == _LAST and all(held) else 0


def _unread_state(story: Story) -> Crash | None:
    """What was caught when a saved state was read that is there, and training began anew."""
    first, last = story.first_step, story.last_step
    if first is None or last is None or first * _ANEW > last or story.of(Kind.CHECKPOINT_LOADED):
        return None
    torn = (crash for crash in story.handled if crash.cause.cause is Cause.CHECKPOINT)
    return next((crash for crash in torn if "No such file" not in str(crash.shown["message"])), None)


_ANEW: Final = 10


def _mostly(story: Story) -> tuple[str, float] | None:
    """What takes most of a step that is no computing, by the loop's own clocks, and what part of it."""
    clocked = story.steps.filter(pl.col("step_time_s") > 0)
    for column, what in (("data_time_s", "is waiting for data"), ("save_time_s", "is saving")):
        told = clocked.filter(pl.col(column).is_not_null())
        wait, part = told[column].median(), (told[column] / told["step_time_s"]).median()
        if not isinstance(wait, float) or not isinstance(part, float):
            continue
        if told.height < (_LAST if wait >= _LONG_S else _ENOUGH):
            continue
        if wait >= _FELT_S and part >= _MOSTLY:
            return what, min(part, 1.0)
    return None


_LONG_S: Final = 1.0
"""A wait of every step that a few reports are enough to tell."""
_FELT_S: Final = 0.05
"""Loops of toys spend most of a few milliseconds on their data."""
_MOSTLY: Final = 0.75


def _stood_for_most(ev: Evidence, story: Story) -> tuple[int, float, float] | None:
    """Pauses between reports that take most of the time: how many, the least of them, and the usual interval.

    Those within which something else is told that takes long, as a save or an evaluation, are its.
    """
    told = clocked(story).filter(pl.col("kind").ne_missing(str(Kind.VALIDATION)) & pl.col("line_seq").is_not_null())
    if told.height < _ENOUGH or told.select("node", "source", "rank").n_unique() > 1:
        return None
    reports = told.unique("ts_ns", keep="first").sort("ts_ns").select("ts_ns", "line_seq").rows()
    gaps = [(after[0] - before[0], before[1], after[1]) for before, after in itertools.pairwise(reports)]
    usual = statistics.median(gap for gap, *_ in gaps) if gaps else 0
    least = max(_LONG_PAUSES * usual, _PAUSE_NS)
    long = [each for each in gaps if each[0] >= least]
    if len(long) < _LAST or 2 * sum(gap for gap, *_ in long) < reports[-1][0] - reports[0][0]:
        return None
    lines = ev.scan("log_lines").filter(same_stream(told.row(0, named=True)) & pl.col("text").str.contains(_ELSE))
    other = lines.select("seq").collect()["seq"].to_list()
    pauses = [gap for gap, low, high in long if not any(low < at <= high for at in other)]
    if len(pauses) < _LAST or 2 * sum(pauses) < reports[-1][0] - reports[0][0]:
        return None
    return len(pauses), min(pauses) / 1e9, usual / 1e9


_ELSE: Final = (
    r"(?i)\b(?:eval|valid|test|sav|checkpoint|ckpt|generat|sampl|compil|stage|phase|epoch \d+ (?:done|end|finish))"
)
"""Words of what takes long beside the steps."""
_LONG_PAUSES: Final = 10
_PAUSE_NS: Final = 60_000_000_000
"""What is shorter may be a save or an evaluation of which nothing is told."""


def _slowed_unseen(ev: Evidence, story: Story) -> float | None:
    """How many times as long steps took from some report on, where what was sampled of the GPUs tells no why."""
    if not ev.has("gpu_samples"):
        return None
    told = ev.scan("gpu_samples").select(pl.col("sm_clock_mhz", "sm_active", "throttle_reasons").is_not_null().any())
    seconds = paces(story)["seconds"]
    change = slowdown(seconds)
    if change is None or len(seconds) < _ENOUGH or any(told.collect().row(0)):
        return None
    ratio, since = change
    return ratio if ratio >= _TWICE and 4 * since <= 3 * len(seconds) else None


_TWICE: Final = 2


def _short_of_its_word(ev: Evidence, story: Story) -> tuple[str, int] | None:
    """What the program said at its start that it would do, where it did less than half, and no rule tells why."""
    ended = any(row["pattern"] in BY_RULE for row in story.of(Kind.TRAINING_END)) or story.of(*FOR_NOW)
    validated = series(story, "eval_loss")
    if ended or story.last_step is None or (len(validated) > 1 and min(validated) < validated[-1]):
        return None
    plan = plan_in_its_own_word(ev, story)
    return plan if plan is not None and story.last_step <= _HALF * plan[1] else None


def _without_a_loss(ev: Evidence, losses: Curve) -> tuple[int, int] | None:
    """Steps of the last loss and of the last report of a tracker's table in which only the loss fell silent."""
    if losses.store != "metrics" or not ev.has("metrics"):
        return None
    names = {
        name: column_of(name)
        for name in ev.scan("metrics").select(pl.col("name").drop_nulls().unique()).collect()["name"]
    }
    column = pl.col("name").replace_strict(names, default=None, return_dtype=pl.String)
    told = ev.scan("metrics").filter(pl.col("step").is_not_null()).select("source", "run", "step", column=column)
    table = told.filter(pl.col("column").is_in(("loss", *_TRAINS_ON))).collect()
    of = table.filter(pl.col("column") == "loss").group_by("source", "run").len().sort("len", "source", "run")
    own = table.join(of.tail(1), on=("source", "run"), nulls_equal=True, how="semi")
    steps = own.filter(pl.col("column") == "loss")["step"].unique().sort()
    beside = own.filter(pl.col("column") != "loss").group_by("column").agg(pl.col("step").unique())["step"]
    for on in beside:
        after, together = on.filter(on > steps[-1]), on.filter(on <= steps[-1]).is_in(steps.implode())
        if len(after) >= _SILENT and together.all() and len(together) >= _SILENT:
            return int(steps[-1]), int(after.max())
    return None


_TRAINS_ON: Final = ("lr", "grad_norm", "loss_scale")
"""What a loop tells of each step beside its loss, and of nothing but steps."""
_SILENT: Final = 5
"""Reports without a loss that are no chance, where each before them told one."""


def _broken_beside(story: Story, losses: Curve) -> str | None:
    """The file of another training than the one judged, whose losses end as no numbers; None where there is none."""
    told = story.steps.filter(
        pl.col("kind").ne_missing("validation") & pl.col("loss").is_not_null() & pl.col("source").is_not_null()
    ).sort("line_seq", "seq", nulls_last=True)
    judged = set(losses.frame["source"])
    for (source, *_), frame in told.group_by("source", "node", "rank", maintain_order=True):
        other = Curve(frame)
        if source not in judged and other.finite and other.bad_at_end:
            return str(source)
    return None


def _stood_beside(ev: Evidence, story: Story, losses: Curve) -> tuple[str, float] | None:
    """The file of another training than the one judged, whose loss never moved, far above the judged one's end."""
    told = story.steps.filter(
        pl.col("kind").ne_missing("validation") & pl.col("loss").is_finite() & pl.col("source").is_not_null()
    ).sort("line_seq", "seq", nulls_last=True)
    judged = set(losses.frame["source"])
    for (source, *_), frame in told.group_by("source", "node", "rank", maintain_order=True):
        if source in judged or losses.tail is None or losses.tail <= 0:
            continue
        level = _stood(ev, Curve(frame))
        if level is not None and frame.height >= _ENOUGH and level > ev.threshold("e1.climbed") * losses.tail:
            return str(source), level
    return None


def _nothing_but_zero(losses: Curve) -> bool:
    """Whether every loss is exactly 0 and no gradient tells of more; GRPO's loss is 0 while it learns.

    A single one, as Lightning's last bar has it, is a small loss of three digits as a rule.
    """
    values, norms = losses.finite, losses.frame["grad_norm"].drop_nulls() if losses.finite else None
    return norms is not None and len(values) > 1 and not any(values) and not (norms > 0).any()


def _zero_all_at_once(losses: Curve) -> float | None:
    """The level from which a loss fell to exactly 0 between two reports, and stayed; None where it came there."""
    values = losses.finite
    zeros = sum(1 for _ in itertools.takewhile(lambda value: value == 0, reversed(values)))
    if zeros < _LAST or len(values) - zeros < _LAST:
        return None
    level = statistics.median(values[-zeros - _LAST : -zeros])
    return level if level > _NEAR_NOTHING * values[0] > 0 else None


_NEAR_NOTHING: Final = 0.1


def _repeats(losses: Curve) -> int | None:
    """After how many reports losses that differ begin again, digit by digit, to the end; None where they do not.

    The least period, by the prefix function of Knuth, Morris and Pratt: linear, as flat losses agree nearly everywhere.
    """
    values = losses.finite
    borders = [0] * len(values)
    for at in range(1, len(values)):
        border = borders[at - 1]
        while border and values[at] != values[border]:
            border = borders[border - 1]
        borders[at] = border + (values[at] == values[border])
    apart = len(values) - borders[-1] if borders else 0
    return apart if 2 * apart <= len(values) and len(set(values[:apart])) > _LAST else None


def _far_from_settings(ev: Evidence, story: Story, end: PlannedEnd) -> tuple[str, float, int] | None:
    """What a setting, a word or the reports wanted many more of than were done.

    Its name, how many it wanted, and how many were done. It is a limit, as a rule; of a run that says it is done, and
    of one that was stopped by a rule, another came first.
    """
    if story.of(Kind.EARLY_STOP):
        return None
    if story.total_steps is not None and story.last_step is not None:
        all_but = end.firm and story.last_step >= _NEARLY * story.total_steps
        short = not all_but and _stops_short(story)
        return ("its own reports", float(story.total_steps), story.last_step) if short else None
    if not story.steps.filter(pl.col("score").is_not_null()).is_empty():
        return None  # of episodes, too, a limit of steps is set
    if reached_its_setting(story) is not None:
        return None  # of several limits the first to come
    validated = series(story, "eval_loss")
    past_best = len(validated) > 1 and min(validated) < validated[-1]
    steps = story.last_step if story.unit == "step" else None
    for kind, done in ((Kind.PLANNED_STEPS, steps), (Kind.PLANNED_EPOCHS, epochs_done(story))):
        least = min((row for row in story.of(kind) if row["num"]), key=lambda row: row["num"], default=None)
        if least is None or done is None:
            continue
        own = str(least["pattern"]).startswith("settings.")  # it was set for this run, and not quoted
        part = ev.threshold("e3.of_plan") if past_best else _ALL_BUT if own and not end.firm else _HALF
        if done <= part * least["num"]:
            return str(least["subject"]), float(least["num"]), done
    return None


def _only_evaluates(ev: Evidence, story: Story, losses: Curve) -> bool:
    """Whether words tell of an evaluation or of predictions, and neither a word nor a report of training."""
    if losses.head and losses.tail is not None and losses.tail <= (1 - ev.threshold("e1.learned")) * losses.head:
        return False
    reported = story.steps.select(pl.col("lr", "grad_norm", "epoch").is_not_null().any())
    if not ev.has("log_lines") or any(reported.row(0)):
        return False
    text = pl.col("text").fill_null("")
    says = (
        ev.scan("log_lines")
        .head(_WORDS)
        .select(text.str.contains(_EVALUATES).any(), trains=text.str.contains(_TRAINS).any())
    )
    evaluates, trains = says.collect().row(0)
    return bool(evaluates and not trains)


_WORDS: Final = 20_000
_EVALUATES: Final = (
    r"(?i)\b(?:evaluat(?:e|ing|ion)|inference|infer(?:ring)?|predict(?:ing|ions)?|benchmark(?:ing)?|scoring)\b"
)
_TRAINS: Final = r"(?i)train|epoch|optimi[sz]|fine-?tun|\bfit|\blr\b|learning[ _]rate|backward|grad|learn"


def _stops_short(story: Story) -> bool:
    """Whether further reports were due before the planned end, and nothing tells of a rule that came first.

    A validation that was past its best is such a rule, which says nothing; a trainer sums up what a callback stopped.
    """
    validated = series(story, "eval_loss")
    past_best = len(validated) > 1 and min(validated) < validated[-1]
    rule = any(row["pattern"] in BY_RULE for row in story.of(Kind.TRAINING_END))
    return stops_short(story) and not (past_best or rule or story.of(Kind.TRAIN_SUMMARY, *FOR_NOW))


_HALF: Final = 0.5
_ALL_BUT: Final = 0.95
_NEARLY: Final = 0.98
"""What a run came to that says that it is done: its last reports may be missing, or not due."""


def _stood(ev: Evidence, losses: Curve) -> float | None:
    """The loss where it never moved, far from nothing, by more than its printed digits round or its batches differ."""
    values = losses.finite
    if len(values) < ev.threshold("e1.least_third"):
        return None
    level, ordered, edge = statistics.median(values), sorted(values), len(values) // 20
    still = ordered[-1] - ordered[0] <= _STOOD * level
    if len(values) >= _ENOUGH:
        still |= ordered[-1] - ordered[0] <= ev.threshold("e1.plateau_spread") * level
        noise = ordered[-1 - edge] - ordered[edge] <= _WIDE * ev.threshold("e1.noisy_plateau") * level
        still |= noise and (level_throughout(ev, values, _SURELY) or _within_its_scatter(ev, values))
    return level if still and level >= ev.threshold("e1.plateau_level") else None


def _no_lower(values: list[float]) -> tuple[float, float] | None:
    """Level of the first and the last third, where no more than chance parts them; None where a fall is told."""
    third = len(values) // 3
    if len(values) < _ENOUGH:
        return None
    parts = [values[:third], values[-third:]]
    begin, end = (statistics.median(part) for part in parts)
    apart = statistics.median(
        abs(value - level) for part, level in zip(parts, (begin, end), strict=True) for value in part
    )
    error = _OF_A_MEDIAN * apart * math.sqrt(2 / third)
    if values[0] - end > _NO_CHANCE * apart or min(values[:_LAST]) - end > _LAST * apart:
        return None  # it fell in the first reports
    tenth = len(values) // 10
    levels = [statistics.median(values[at : at + tenth]) for at in range(0, len(values) - tenth + 1, tenth)]
    fell = max(high - min(levels[at:]) for at, high in enumerate(levels))
    if fell > _NO_CHANCE * _OF_A_MEDIAN * apart / math.sqrt(tenth):
        return None  # it fell, and harder data came
    # However few reports tell it, a loss that ends so far below its first third fell.
    return (begin, end) if begin - end < 2 * error and end > _MUCH_LEFT * begin else None


_MUCH_LEFT: Final = 0.75
_NO_CHANCE: Final = 6
"""Median deviations that a single report is from its median by no chance."""
_OF_A_MEDIAN: Final = 1.86
"""Error of the median of normal values, in median deviations from it, times the root of their number."""


def _validation_lost(story: Story) -> int | None:
    """How many validation losses to the end are NaN, of several that were numbers before."""
    told = story.steps["eval_loss"].drop_nulls().to_list()
    lost = sum(1 for _ in itertools.takewhile(math.isnan, reversed(told)))
    return lost if lost >= _LAST and lost < len(told) else None


def _hardly_fell(ev: Evidence, story: Story, losses: Curve) -> tuple[float, float] | None:
    """First and last level of a loss that came down by a few per cent only, where its validation did not come down."""
    told, validated = ends(losses.finite), ends(series(story, "eval_loss"))
    if told is None or validated is None or len(losses.finite) < ev.threshold("e1.plateau_losses") or told[0] <= 0:
        return None
    right = ends(series(story, "accuracy"))
    if right is not None and right[2] > right[0]:
        return None
    hardly = told[2] >= (1 - ev.threshold("e1.noisy_plateau")) * told[0]
    return (told[0], told[2]) if hardly and validated[2] >= (1 - _FELL) * validated[0] else None


def _never_better(ev: Evidence, story: Story) -> tuple[str, float, float] | None:
    """A reward, or a share of right answers, that did not rise and leaves much to learn: name, first and last level."""
    for name, column in (("score", "score"), ("accuracy", "accuracy")):
        told = ends(values := series(story, column))
        if told is None or not from_scratch(story):
            continue
        if column == "accuracy" and told[2] > _MUCH_TO_LEARN:
            continue
        if told[2] <= told[0] or level_throughout(ev, [-value for value in values], _SURELY):
            return name, told[0], told[2]
    return None


_MUCH_TO_LEARN: Final = 0.75
"""A share of right answers below which no classifier stays that learns."""


def _within_its_scatter(ev: Evidence, values: list[float]) -> bool:
    """Whether a curve came down by no more than half of its reports lie apart, and by next to nothing of its level."""
    third, ordered = len(values) // 3, sorted(values)
    fell = statistics.median(values[:third]) - statistics.median(values[-third:])
    apart = ordered[3 * len(values) // 4] - ordered[len(values) // 4]
    return fell <= min(apart, ev.threshold("e1.noisy_plateau") * statistics.median(values))


_WIDE: Final = 2
"""How much wider than a plateau's the scatter of batches may be in which a fall has to show."""


def _bursts(losses: Curve) -> float | None:
    """The highest loss, where several reports stand far above all that came early; None where they do not."""
    values = losses.finite
    early = values[1 : max(_LAST, len(values) // 4)]
    if not early or min(early) <= 0:
        return None
    level = max(_BURST**2 * statistics.median(values), _BURST * max(early))
    found = [value for value in values[1 + len(early) :] if value > level]
    return max(found) if len(found) > 1 and len(found) * _ENOUGH >= len(values) else None


_BURST: Final = 10


def _learned_anew(losses: Curve) -> tuple[float, float] | None:
    """Losses before and after the one place where all that was learned was gone, and took as long again to learn.

    A spike comes back faster; where it happens often, or the counter begins anew as well, these are trainings in turn.
    """
    values, steps = losses.finite, losses.numbers["step"].to_list()
    if len(values) < 2 * _SIDE or (losses.numbers["kind"] == "bar").any():  # bars begin anew with each epoch
        return None
    start, found, at = statistics.median(values[:_LAST]), [], _SIDE
    near = start - (start - min(values)) / 10
    while at <= len(values) - _SIDE:
        if max(values[at : at + 2]) < near:
            at += 1
            continue
        low, high = statistics.median(values[at - _LAST : at]), statistics.median(values[at : at + _LAST])
        half = (start + low) / 2
        if start - low < abs(start) / 2 or high < start - (start - low) / 10:
            at += 1
            continue
        first, again = (
            next((n - begin for n in range(begin, len(values)) if values[n] <= half), 0) for begin in (0, at)
        )
        around = [step for step in steps[at - _LAST : at + _LAST] if step is not None]
        if again >= max(_LAST, 3 * first / 4) and around == sorted(around):
            found.append((low, high))
        at += max(1, again)
    return found[0] if len(found) == 1 else None


_SIDE: Final = 20
"""Reports on either side of a place that show a loss falling."""


def _above_what_was_saved(ev: Evidence, story: Story, losses: Curve) -> tuple[float, float] | None:
    """The loss that a line tells of the state a run goes on from, and the first ones after it, far above it."""
    began = losses.finite[:_LAST]
    for row in story.of(Kind.CHECKPOINT_LOAD_BEGIN, Kind.CHECKPOINT_LOADED):
        told = _SAVED_LOSS.search(str(row["text"]))
        if told is not None and began:
            saved, first = float(told[1]), statistics.median(began)
            if first > saved * ev.threshold("e1.climbed") and first - saved > ev.threshold("e1.divergence_rise"):
                return saved, first
    return None


_SAVED_LOSS: Final = re.compile(r"(?i)\bloss\W{1,3}(\d{1,9}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)\b")


def _frequencies(ev: Evidence, losses: Curve) -> float | None:
    """The final loss where it began as guessing, and stands for the last two thirds where the tokens' entropy is."""
    values = losses.finite
    rest = values[len(values) // 3 :]
    if len(rest) < ev.threshold("e1.plateau_losses") or values[0] < ev.threshold("g1.guessing_loss"):
        return None
    level = statistics.median(rest)
    moved = abs(statistics.median(rest[: len(rest) // 2]) - statistics.median(rest[len(rest) // 2 :]))
    still = moved <= ev.threshold("e1.plateau_spread") * level
    return level if still and level >= ev.threshold("g1.frequencies_loss") else None


def _against(story: Story) -> str | None:
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
    rows = [row for row in story.of(*_AGAINST) if row["role"] != "progress" and not _side_step(story, row)]
    return f"{rows[0]['kind'].replace('_', ' ')} is reported" if rows else None


def _side_step(story: Story, row: Row) -> bool:
    """True for a step that was cancelled while its job went on to end well: a monitor, a sidecar."""
    return bool(story.ended_well) and row["kind"] == Kind.CANCELLED and "." in str(row["subject"] or "")


FAMILY: Final = Healthy()
