"""G1: healthy, on positive evidence: work done, loss fell, ended as planned, and nothing captured against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._curve import Curve, curve, ends, series
from inquest.analyze.families._curve_doubts import (
    above_what_was_saved,
    at_frequencies,
    at_guessing,
    broken_beside,
    bursts,
    ends_high,
    learned_anew,
    no_lower,
    nothing_but_zero,
    repeats,
    skipped_to_the_end,
    standing_beside,
    stood_throughout,
    without_a_loss,
    zero_all_at_once,
)
from inquest.analyze.families._doubts import doubt
from inquest.analyze.families._end import PlannedEnd, planned_end
from inquest.analyze.families._improved import (
    Gain,
    collapsed,
    gain_beside,
    hardly_fell,
    never_better,
    never_validated,
    validation_lost,
)
from inquest.analyze.families._margins import load_failed, nothing_to_learn, replaced, trouble_below, unmatched
from inquest.analyze.families._resumes import found_nothing, from_scratch, unproved_continuation
from inquest.analyze.families._rows import told_by
from inquest.analyze.families._several_starts import ends_another
from inquest.analyze.families._short_of_plan import far_from_settings, only_evaluates, short_of_its_word
from inquest.analyze.families._signs import above_its_best
from inquest.analyze.families._swallowed import failed_program
from inquest.analyze.families._telling import tell
from inquest.analyze.families._time_spent import slowed_unseen, stood_for_most, takes_most
from inquest.analyze.families._unseen_nodes import waits_for_unseen
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.families.d3_straggler import idles_unexplained
from inquest.analyze.logs.kinds import Kind
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
        if (unread := load_failed(ev, story)) is not None:
            return CannotDecide(
                because=f'It said at its start: "{unread}"; whether work was lost is not known.',
                missing=("what that state held (--parent)",),
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
        if story.killed_before:
            return CannotDecide(
                because=f"One of several trainings was ended by {story.killed_before[0].signal_name}, and others ended"
                " well.",
                missing=("whether that one was run again",),
            )
        if story.beside:
            return CannotDecide(
                because=f"Training came to its planned end, and another program crashed ({story.beside[0].title}).",
                missing=(f"what the job needed the program of {story.beside[0].root['source']} for",),
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
        if (gone := validation_lost(story)) is not None:
            return CannotDecide(
                because=f"The last of the validation losses ({gone} in a row) is NaN, and those before were numbers.",
                missing=("a validation metric of what was saved",),
            )
        if (silent := without_a_loss(ev, losses)) is not None:
            return CannotDecide(
                because=f"The last loss told is of step {silent[0]}, and training was reported to step {silent[1]}.",
                missing=("the losses after it: a blank may stand for a number that was none",),
            )
        if (beside := broken_beside(story, losses)) is not None:
            return CannotDecide(
                because=f"Of several trainings that ended, the losses of one ({beside}) are no numbers at its end.",
                missing=("which of the trainings this is about: name its files alone",),
            )
        if (stood_beside := standing_beside(ev, story, losses)) is not None:
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
        if score is not None and collapsed(ev, *score):
            return CannotDecide(
                because=f"The reward had come to {score[1]:.4g}, and ended at {score[2]:.4g}.",
                missing=("a validation of what was saved",),
            )
        if (unsaved := _last_save_failed(story)) is not None:
            return CannotDecide(
                because=f'The last that is told of a save is that it failed: "{str(unsaved["text"]).strip()[:120]}".',
                missing=("whether the model was written",),
            )
        if skipped := skipped_to_the_end(story, losses):
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
        if (plan := far_from_settings(ev, story, end)) is not None:
            return CannotDecide(
                because=f"It was planned by {plan[0]} to come to {plan[1]:.0f}, and the reports end at {plan[2]}.",
                missing=("what ended it: a rule of its own, or its data",),
            )
        if (short := short_of_its_word(ev, story)) is not None:
            return CannotDecide(
                because=f"It said at its start that it would do {short[1]} {short[0]}, and the reports end at"
                f" {story.last_step}.",
                missing=("what ended it: a rule of its own, or its data",),
            )
        if (waits := takes_most(story)) is not None:
            return CannotDecide(
                because=f"By its own clocks {waits[1]:.0%} of a step {waits[0]}; what its GPUs did meanwhile was not"
                " captured.",
                missing=("samples of the GPUs' activity", "the step time of a run that is known to be good"),
            )
        if (pauses := stood_for_most(ev, story)) is not None:
            return CannotDecide(
                because=f"Nothing was reported for most of the time: {pauses[0]} pauses of {pauses[1]:.0f} s and more"
                f" lie between reports that else come every {pauses[2]:.3g} s.",
                missing=("what the job did in these pauses", "samples of the GPUs' activity, storage and network"),
            )
        if (slower := slowed_unseen(ev, story)) is not None:
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
        if (unseen := waits_for_unseen(ev, story)) is not None:
            return CannotDecide(
                because=f"{unseen}: whether one of those keeps the others waiting is not known.",
                missing=("GPU samples of every node of the job", "the step time of a run that is known to be good"),
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
        if nothing_but_zero(losses) and score is None:
            return CannotDecide(
                because="Every loss reported is exactly 0: there was nothing to learn from, or it is not told.",
                missing=("a validation metric", "the norm of the gradients"),
            )
        if (level := zero_all_at_once(losses)) is not None:
            return CannotDecide(
                because=f"The loss was {level:.4g}, and all at once exactly 0 in each report to the end.",
                missing=("a validation metric of what was saved", "whether a loss that is no number is told as 0"),
            )
        if not losses.fell and (apart := repeats(losses)) is not None:
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
        if (burst := bursts(losses)) is not None:
            return CannotDecide(
                because=f"The loss leapt again and again, to {burst:.4g} at the most, far above where it had come to.",
                missing=("a validation metric of what was saved",),
            )
        if (lost := above_what_was_saved(ev, story, losses)) is not None:
            return CannotDecide(
                because=f"It went on from a state whose loss was {lost[0]:.4g}, and its own began at {lost[1]:.4g}.",
                missing=("whether the weights that were saved were taken",),
            )
        headed = any(row["kind"] == Kind.NEXT_RUN for row in story.all_events)
        if not headed and (anew := learned_anew(losses)) is not None:
            return CannotDecide(
                because=f"The loss had come to {anew[0]:.4g}, stood at {anew[1]:.4g} again, where it had begun, and was"
                " learned anew: whether weights were lost is not told.",
                missing=("what was loaded or begun there", "a validation metric of what was saved"),
            )
        if (high := ends_high(ev, losses)) is not None:
            return CannotDecide(
                because=f"The loss had come down to {high[0]:.4g}, and its last reports stand at {high[1]:.4g}.",
                missing=("a validation metric of what was saved",),
            )
        if (risen := never_validated(ev, story)) is not None:
            return CannotDecide(
                because=f"The validation loss never came down: it began at {risen[0]:.4g} and ended at {risen[1]:.4g}.",
                missing=("a validation metric of what was saved",),
            )
        gain = gain_beside(ev, story, losses)
        if gain is None and from_scratch(story) and (level := stood_throughout(ev, losses)) is not None:
            return CannotDecide(
                because=f"The loss stood at {level:.4g} from the first report to the last, and nothing was loaded.",
                missing=("a metric of the model that improved",),
            )
        if gain is None and from_scratch(story) and (same := no_lower(losses.finite)) is not None:
            return CannotDecide(
                because=f"The loss came from {same[0]:.4g} to {same[1]:.4g}, less than its reports lie apart by"
                " chance, and nothing was loaded.",
                missing=("a metric of the model that improved",),
            )
        if gain is None and from_scratch(story) and (hardly := hardly_fell(ev, story, losses)) is not None:
            return CannotDecide(
                because=f"The loss came from {hardly[0]:.4g} to {hardly[1]:.4g} only, and validation gained nothing.",
                missing=("a metric of the model that improved",),
            )
        if gain is None and not losses.finite and (stood := never_better(ev, story)) is not None:
            return CannotDecide(
                because=f"No loss was reported, and the {stood[0]} came from {stood[1]:.4g} to {stood[2]:.4g} only.",
                missing=("a metric of the model that improved",),
            )
        if gain is None and only_evaluates(ev, story, losses):
            return CannotDecide(
                because="The output speaks of an evaluation and not of training, and no loss came down.",
                missing=("what the job was to do",),
            )
        if (guess := at_frequencies(ev, losses)) is not None:
            return CannotDecide(
                because=f"The loss came to {guess:.4g} early and stayed: a language model knows no more by then than"
                " how often each token comes.",
                missing=("a validation metric, or the loss of a run known to be good",),
            )
        if (guess := at_guessing(ev, losses)) is not None:
            return CannotDecide(
                because=f"The loss ended at {guess:.4g}, which for a language model is the level of guessing.",
                missing=("a validation metric, or the loss of a run known to be good",),
            )
        fell = losses.fell if end.table == "fact_events" else losses.fell is not None
        # Whoever takes its leave does so where no further report was due.
        cut_off = (story.last_step or 0) < (story.total_steps or 0) and end.table != "fact_events"
        if not end.firm and (not (fell or gain) or cut_off):
            if (fell or gain) and story.total_steps is not None:
                return CannotDecide(
                    because=f"It was to come to {story.counted_in} {story.total_steps}, and the reports end at"
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

    def _healthy(self, ev: Evidence, story: Story, end: PlannedEnd, losses: Curve, gain: Gain | None) -> Finding:
        claims = Claims(ev, self.id)
        if end.row is not None:
            claims.row("Sign of the planned end", end.table, end.row, end.column)
            if end.column == "lr":
                claims.over(
                    "Highest learning rate reported", "MAX", "lr", "fact_steps", f"{losses.where} AND lr - lr = 0"
                )
        if story.last_step is not None:
            claims.over(
                f"Highest {story.counted_in} reported", "MAX", "step", "fact_steps", unit=f"{story.counted_in}s"
            )
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
        run = ev.run_chosen()
        whose = "" if run is None else f" of {run}"
        steps = "training was done"
        if story.last_step is not None and story.first_step is not None:
            # Of a run that went on from a checkpoint, the count tells of more than it did.
            goes_on = story.first_step * 2 > story.last_step
            count = story.last_step + story.from_zero
            unit = story.counted_in
            done = f"{count} {unit}{' was' if count == 1 else 's were'} done"
            # Which of its samples was reported last is not how many there were.
            steps = f"training came to {unit} {story.last_step}" if goes_on or unit == "sample" else done
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
            cannot_decide=_open_questions(ev, story, losses, learned=gain is not None),
        )


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


def _last_save_failed(story: Story) -> Row | None:
    """The last word on a save, where that is that it failed."""
    told = story.of(Kind.CHECKPOINT_SAVE_ERROR, Kind.CHECKPOINT_SAVED, Kind.MODEL_SAVED, Kind.CHECKPOINT_SAVE_BEGIN)
    return told[-1] if told and told[-1]["kind"] == Kind.CHECKPOINT_SAVE_ERROR else None


def _unread_state(story: Story) -> Crash | None:
    """What was caught when a saved state was read that is there, and training began anew."""
    first, last = story.first_step, story.last_step
    if first is None or last is None or first * _ANEW > last or story.of(Kind.CHECKPOINT_LOADED):
        return None
    torn = (crash for crash in story.handled if crash.cause.cause is Cause.CHECKPOINT)
    return next((crash for crash in torn if "No such file" not in str(crash.shown["message"])), None)


_ANEW: Final = 10


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
