"""E2: a checkpoint that could not be loaded, or a restart that silently began from scratch."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._began_again import began_anew_longer, went_back
from inquest.analyze.families._by_its_record import behind_its_record, out_of_its_record
from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._chain import BegunAnew, begun_anew
from inquest.analyze.families._compared import unlike
from inquest.analyze.families._continued import After, saved_by_parent
from inquest.analyze.families._lost_state import (
    NotTaken,
    left_aside,
    left_at_the_load,
    told_to_resume,
    without_effect,
)
from inquest.analyze.families._older_state import OlderState, older_state
from inquest.analyze.families._resumes import (
    dependent,
    found_nothing,
    later_link,
    resume_flag,
    said_scratch,
    unproved_continuation,
)
from inquest.analyze.families._rows import Row, failing, told_by, who
from inquest.analyze.families._set_back import (
    HALF_WAY,
    NEXT_FILE,
    OTHER_RUN,
    REPLAYED,
    CountedOn,
    again_and_again,
    counted_on,
    keys_apart,
    loss_leapt,
    older_link,
    schedule_began_anew,
    stale_start,
)
from inquest.analyze.families._story import Story, when
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
    from inquest.analyze.model import Claim

_MODES: Final = (
    (
        "size_mismatch",
        re.compile(
            r"size mismatch|shapes? did not match|ignore_mismatched_sizes|parameter group|could not be loaded|world "
            r"size"
            r"|ZeRORuntimeException|existing parameter it received has shape",
            re.IGNORECASE,
        ),
        "Resume with the model configuration the checkpoint was made with (sizes, vocabulary, adapter rank, world "
        "size).",
    ),
    (
        "missing_keys",
        re.compile(r"missing key|unexpected key|^KeyError", re.IGNORECASE),
        "Strip or add the prefix of the parameter names (module., _orig_mod.), or load into the matching architecture.",
    ),
    (
        "none_valid",
        re.compile(r"no valid checkpoint|not found|no such file|metadata is None", re.IGNORECASE),
        "Point the resume to a checkpoint that exists and was finished, or start anew on purpose.",
    ),
    (
        "corrupt",
        re.compile(r"", re.IGNORECASE),
        "Delete this checkpoint, resume from the one before it, and check how it was written (disk full, killed in "
        "a save).",
    ),
)
FINITE_LR: Final = "lr - lr = 0"
"""Leaves NaN and infinity out: engines order them differently, and DuckDB trusts Parquet statistics, which skip NaN, in
``lr < 'Infinity'::double``."""


@dataclass(frozen=True, slots=True)
class RestartOrLoad:
    """See the module."""

    id: str = "E2"
    name: str = "silent restart, or crash at checkpoint load"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("logs", "steps")
    helps: tuple[str, ...] = ("steps", "scheduler", "exits")

    def judge(self, ev: Evidence) -> Finding:
        """A crash at load first; then where the parent had come to; then the run's own words and steps."""
        story = tell(ev)
        crash = next(iter(story.crashes_of(Cause.CHECKPOINT)), None)
        if crash is not None:
            first = story.first
            if first is None or first.crash is crash or not story.earlier(first.row, crash.root):
                return self._crashed(ev, story, crash)
        if (left := left_at_the_load(ev, story)) is not None:
            return self._left(ev, story, left)
        if (judged := self._after(ev, story)) is not None:
            return judged
        if (silent := said_scratch(ev, story)) is not None:
            return self._silent_said(ev, story, silent)
        if (anew := begun_anew(ev, story)) is not None:
            return self._begun_anew(ev, story, anew)
        if (older_one := older_state(ev, story)) is not None:
            return self._older_state(ev, older_one)
        # Any other experiment begins a run of a tracker too: it is a restart where the scheduler knows of one, or where
        # it was set to go on.
        to_go_on = dependent(ev) or story.of(Kind.RESUME_SET)
        if (back := went_back(ev, story, but=frozenset() if to_go_on else OTHER_RUN)) is not None:
            return self._silent(ev, story, back)
        if (looked := began_anew_longer(story)) is not None:
            return self._silent_said(ev, story, looked)
        if (emptied := counted_on(ev, story) or keys_apart(ev, story)) is not None:
            return self._unloaded(ev, emptied)
        if (aside := left_aside(ev, story) or behind_its_record(ev, story)) is not None:
            return self._left_aside(ev, aside)
        if (effect := without_effect(ev, story) or out_of_its_record(ev, story)) is not None:
            return self._without_effect(ev, effect)
        if (renewed := schedule_began_anew(story)) is not None:
            return self._partly(ev, story, renewed)
        if (leapt := loss_leapt(ev, story)) is not None:
            return self._moments(ev, *leapt)
        if (stale := stale_start(story)) is not None:
            return self._set_back(ev, *stale)
        if (again := again_and_again(story)) is not None:
            return self._set_back(ev, *again)
        if (older := older_link(story)) is not None:
            return self._set_back(ev, *older)
        loaded = story.of(Kind.CHECKPOINT_LOADED)
        partial = story.of(Kind.CHECKPOINT_PARTIAL)
        warnings = tuple(f"Weights were loaded only in part: {str(row['text'])[:160]}" for row in partial[:1])
        if (other := went_back(ev, story)) is not None:
            warnings = (
                *warnings,
                f"An earlier run of the same tracker reached step {other[0]['last_step']}, and the next one began at"
                f" step {other[1]['first_step']}: if it was to continue, that work was lost silently.",
            )
        if loaded:
            return RuledOut(
                because="A checkpoint was loaded, as the log proves.",
                would_change_if="a load that failed, or steps that began again from the start",
                stores=("logs",),
                warnings=warnings,
            )
        if found_nothing(story) and not story.failures:
            return CannotDecide(
                because="No checkpoint was found, and whether there should have been one is not known.",
                missing=("whether earlier runs of this job had saved (--parent)",),
                warnings=warnings,
            )
        if (lacking := unproved_continuation(ev, story)) is not None and not story.failures:
            return CannotDecide(
                because=f"The scheduler made this job wait for another one, and it began at step {story.first_step}"
                " without a word of a load; whether it was to continue that one's work is not known.",
                missing=(f"{lacking} (--parent)",),
                warnings=warnings,
            )
        later = story.attempts.filter((pl.col("attempt") > 0) & pl.col("began_by").ne_missing("new_run"))
        resumed = resume_flag(ev) or not later.is_empty() or told_to_resume(ev, story) is not None
        if resumed and not story.failures:
            return CannotDecide(
                because="The run was meant to resume, but neither a load nor a start from scratch can be seen.",
                missing=("a resume marker at INFO level, or steps and losses before and after the restart",),
                warnings=warnings,
            )
        return RuledOut(
            because="No checkpoint failed to load, and no restart is visible in the captured output.",
            would_change_if="a load error, a resume that found nothing, or steps that began again",
            stores=("logs",),
            warnings=warnings,
        )

    def _after(self, ev: Evidence, story: Story) -> Finding | None:
        """What the parent says, where one was given; None where it does not tell."""
        parent = ev.other("parent")
        if parent is None or not story.progressed or unlike(ev, parent) is not None:
            return None
        after = After(ev, story, parent)
        if after.reached is None:
            return self._by_steps(after)
        if after.foreign:
            return CannotDecide(
                because=f"The loss begins at {after.again:.4g}, far above even where the parent's began"
                f" ({after.begin:.4g}): it is another loss, or another model.",
                missing=("a parent that reports the same loss of the same model",),
                claims=after.claims(self.id, losses=True),
            )
        if after.went_on:
            return RuledOut(
                because=f"The loss went on at {after.again:.4g}, where the parent had come to ({after.reached:.4g}).",
                would_change_if="a loss that began where the parent's had begun",
                claims=after.claims(self.id, losses=True),
                stores=("logs",),
            )
        if not after.forgotten:
            return CannotDecide(
                because=f"The loss began at {after.again:.4g}, between where the parent began ({after.begin:.4g}) and"
                f" where it had come to ({after.reached:.4g}): a part was loaded, or other data came first.",
                missing=("a resume marker at INFO level, or an evaluation on the same data before and after",),
                claims=after.claims(self.id, losses=True),
            )
        return self._forgotten(after, losses=True)

    def _by_steps(self, after: After) -> Finding | None:
        """Without losses of both, the step counter decides, provided that the parent had saved."""
        first, last = after.story.first_step, after.before.last_step
        if after.loaded is not None or first is None or last is None:
            return None
        if first * 2 <= last and after.saved is not None:
            return self._forgotten(after, losses=False)
        if first * 2 > last:
            return RuledOut(
                because=f"The steps went on at {first}; the parent had come to step {last}.",
                would_change_if="steps that began again from the start",
                claims=after.claims(self.id, losses=False),
                stores=("logs",),
            )
        return None

    def _forgotten(self, after: After, *, losses: bool) -> Finding:
        story, row, loaded = after.story, after.first, after.loaded
        steps = after.before.last_step
        work = "" if steps is None else f": {steps} steps of work were lost silently"
        if losses:
            what = f"at a loss of {after.again:.4g}, where its parent had begun ({after.begin:.4g})"
            text = f"began {what}, and not where that one had come to ({after.reached:.4g})"
        else:
            text = f"began at step {story.first_step}, though its parent had come to step {steps}"
        support = [Support(told_by(row), "the run began where its parent had begun", decisive=True)]
        waited = after.waited
        if waited is not None:
            support.append(Support("scheduler", f"the scheduler made it wait for job {after.parent.info.job_id}"))
        saved = None if after.saved is None else str(after.saved["subject"])
        if loaded is None:
            mode, silence = "silent_restart", "and nothing says that a checkpoint was loaded"
            action = f"Resume from {saved}, and" if saved else "Save checkpoints, pass the resume option, and"
            action = f"{action} make the job stop when a wanted resume finds nothing."
        else:
            mode, silence = "load_without_effect", f"although it says: {str(loaded['text']).strip()[:120]}"
            action = "Check that what is loaded is put into the model that trains (names of parameters, strict=False)."
        return _ruled_in(
            mode,
            row,
            after.claims(self.id, losses=losses),
            *support,
            because=f"The run {text}, {silence}.",
            would_change_if="a loss that went on where the parent's had come to",
            headline=f"The run {text}{work}.",
            action=action,
            saved=saved,
        )

    def _crashed(self, ev: Evidence, story: Story, crash: Crash) -> Finding:
        text = f"{crash.speaking['exc_type']}: {crash.speaking['message']}"
        mode, action = next((name, do) for name, pattern, do in _MODES if pattern.search(text))
        claims = Claims(ev, self.id)
        claims.row("Exception at the load", "fact_exceptions", crash.speaking, "message")
        support = [Support("logs", crash.title, decisive=True)]
        end = story.end_status
        if end is not None and end.exit_code:
            claims.row("Exit code of the command", "fact_exits", end.row, "exit_code")
            support.append(Support("processes", f"the command ended with exit code {end.exit_code}"))
        saved, of_parent = saved_by_parent(ev, self.id)
        begun = next(iter(story.of(Kind.CHECKPOINT_LOAD_BEGIN)), None)
        path = f" ({begun['subject']})" if begun is not None and begun["subject"] else ""
        found = _ruled_in(
            mode,
            crash.shown,
            (*claims.all, *of_parent),
            *support,
            because=f"The checkpoint{path} could not be loaded: {crash.title}.",
            would_change_if="the same load succeeding, or an earlier failure",
            headline=f"{who(crash.shown)} crashed while loading a checkpoint{path}: {crash.title.rstrip('.')}.",
            action=action if saved is None else f"{action} The parent saved {saved} last.",
            saved=saved,
        )
        return replace(found, onset_ns=crash.root["ts_ns"], culprit_ranks=crash.ranks)

    def _left(self, ev: Evidence, story: Story, row: Row) -> Finding:
        text = str(row["text"])
        mode, action = next((name, do) for name, pattern, do in _MODES if pattern.search(text))
        lost = story.crashes_of(Cause.PEER_LOST)
        claims = Claims(ev, self.id)
        claims.row("What it says of the load", "log_lines", row, "text")
        claims.row("What a rank that lost it ended with", "fact_exceptions", lost[0].shown, "message")
        said = text.strip()[:160].rstrip(".: ")
        found = _ruled_in(
            mode,
            row,
            claims.all,
            Support("logs", "a rank says that the state did not fit, and the others lost it then", decisive=True),
            because=f'A checkpoint could not be loaded: "{said}"; the others lost the rank that says so.',
            would_change_if="progress after this line, or another reason that the rank left for",
            headline=f'A rank could not load its checkpoint and left: "{said}".',
            action=action,
        )
        return replace(found, implies=("The tracebacks of the ranks that lost it are consequences.",))

    def _silent_said(self, ev: Evidence, story: Story, row: Row) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("What was printed at the start", "fact_events", row, "text")
        if (link := later_link(ev, row)) is not None:
            claims.row("Which link of a chain it says that it is", "log_lines", link, "text")
        place = f" from {row['subject']}" if row["subject"] else ""
        return _ruled_in(
            "silent_restart",
            row,
            claims.all,
            Support("logs", "training says that it found no checkpoint to resume from", decisive=True),
            because="A resume was wanted, nothing was loaded, and training began from scratch.",
            would_change_if="a load that succeeded after this line",
            headline=f"The run silently started from scratch: a resume was wanted, and nothing was loaded{place}.",
            action="Correct the checkpoint path, or make the job stop when a wanted resume finds nothing.",
        )

    def _left_aside(self, ev: Evidence, lost: NotTaken) -> Finding:
        claims = Claims(ev, self.id)
        _of_the_state(claims, "state", "log_lines", lost.said)
        of_a_loss = lost.measure == "loss"
        column = "loss" if of_a_loss else "score"
        claims.row(f"First {lost.measure} below it", "fact_steps", lost.began, column)
        said = str(lost.said["text"]).strip()[:120].rstrip(".: ")
        found = _ruled_in(
            "silent_restart",
            lost.began,
            claims.all,
            Support("logs", "training says that a state could not be taken, and its loss began anew"),
            because=f'A saved state was to be taken and was not: "{said}"; training began from the start below it.',
            would_change_if="a load that succeeded after this line, or a run that was to begin anew",
            headline=f'The run went on without its saved state and began from the start: "{said}".',
            action="Mend that state or take the one before it, and make the job stop when a load fails.",
        )
        return replace(found, onset_ns=lost.said["ts_ns"])

    def _without_effect(self, ev: Evidence, lost: NotTaken) -> Finding:
        claims = Claims(ev, self.id)
        _of_the_state(claims, "state", "log_lines", lost.said)
        of_a_loss = lost.measure == "loss"
        column = "loss" if of_a_loss else "score"
        claims.row(f"First {lost.measure} below it", "fact_steps", lost.began, column)
        if lost.keys is not None:
            claims.row("Keys of it that are not the model's", "log_lines", lost.keys, "text")
        again = "as its keys were not the model's" if lost.keys is not None else lost.shows
        text = (
            f"says that it went on from a state whose {lost.measure} was {lost.saved:.4g}, and its own began at"
            f" {lost.began[column]:.4g} {again}"
        )
        return _ruled_in(
            "load_without_effect",
            lost.began,
            claims.all,
            Support(
                "logs", f"the {lost.measure} began far {'above' if of_a_loss else 'below'} that of the state, {again}"
            ),
            because=f"The run {text}: the weights were not what was saved.",
            would_change_if=f"another {lost.measure}, or harder data, from the first step on",
            headline=f"The run {text}: what had been learned was lost silently.",
            action="Compare the names of what is loaded with the model's parameters; load with strict=True.",
        )

    def _unloaded(self, ev: Evidence, anew: CountedOn) -> Finding:
        claims = Claims(ev, self.id)
        if anew.said is not None:
            _of_the_state(claims, "keys", "log_lines", anew.said)
        claims.row("Last loss before the restart", "fact_steps", anew.before, "loss")
        claims.row("First loss after it", "fact_steps", anew.after, "loss")
        part = "" if anew.whole else "half-way back to " if anew.back >= HALF_WAY else "part of the way back to "
        where = f"{part}where it had begun at first"
        text = (
            f"counted on at step {anew.after['step']} {anew.how}, but its loss began at {anew.after['loss']:.4g},"
            f" {where}, after {anew.before['loss']:.4g}"
        )
        lost = "the weights were not" if anew.whole else "weights or the optimizer's state were not, or not wholly"
        # Of trainings in turn under one counter the files may say nothing.
        told = anew.how not in (REPLAYED, NEXT_FILE)
        return _ruled_in(
            "load_without_effect",
            anew.after,
            claims.all,
            Support(told_by(anew.after), "the counter went on, and the loss began anew", decisive=told),
            because=f"The run {text}: the counter was loaded, and {lost}.",
            would_change_if="another loss, or harder data, from this step on",
            headline=f"The run {text}: what it had learned was lost silently{'' if anew.whole else ', in part'}.",
            action="Check that what is loaded is put into the model that trains, before the optimizer is made.",
        )

    def _partly(self, ev: Evidence, story: Story, row: Row) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("Learning rate at the first report after the resume", "fact_steps", row, "lr")
        claims.over("Highest learning rate reported", "MAX", "lr", "fact_steps", FINITE_LR)
        text = f"The run resumed at epoch {row['epoch']:g}, but its learning rate warmed up anew"
        found = _ruled_in(
            "partial_resume",
            row,
            claims.all,
            Support("logs", "the learning rate rose again after a resume in mid-run"),
            because=f"{text}: optimizer and schedule were not loaded.",
            would_change_if="a schedule that is meant to rise at this point",
            headline=f"{text}: the checkpoint was loaded without the state of optimizer and schedule.",
            action="Keep optimizer and scheduler files beside the weights, and check that the resume reads them.",
        )
        return replace(found, severity="low")

    def _moments(self, ev: Evidence, said: Row, before: Row, after: Row, end: float, back: int | None) -> Finding:
        claims = Claims(ev, self.id)
        _of_the_state(claims, "optimizer's state", "fact_events", said)
        claims.row("Last loss before the leap", "fact_steps", before, "loss")
        claims.row("Loss after it", "fact_steps", after, "loss")
        at = "" if after["step"] is None else f" at step {after['step']}"
        text = (
            f"The weights were loaded without the state of their optimizer; the loss rose from {before['loss']:.4g} to"
            f" {after['loss']:.4g}{at}"
        )
        course = f"had not come back when it ended ({end:.4g})" if back is None else f"was back after {back} reports"
        return _ruled_in(
            "partial_resume",
            after,
            claims.all,
            Support("logs", "the log says that the optimizer's state was not there", decisive=back is None),
            *((Support("metrics", "the loss leapt and stayed"),) if told_by(after) == "metrics" else ()),
            because=f"{text}, and {'ended at' if back is None else 'came down to'} {end:.4g}.",
            would_change_if="a loss that came back to where it had been" + ("" if back is None else " at once"),
            headline=f"{text}, and {course}.",
            action="Keep the optimizer's files beside the weights, and check that the resume reads them.",
        )

    def _set_back(self, ev: Evidence, before: Row, after: Row, times: int = 1) -> Finding:
        each = " each time" if times > 1 else ""
        claims = Claims(ev, self.id)
        claims.row("Last step before the counter went back", "fact_steps", before, "step", "steps")
        claims.row("First step after it", "fact_steps", after, "step", "steps")
        text = (
            f"The run had come to step {before['step']} (loss {before['loss']:.4g}), went on from step {after['step']}"
            f" ({after['loss']:.4g}) as it had been there before, and never came "
            + ("that far again" if times == 1 else f"farther, {times} times")
        )
        found = _ruled_in(
            "silent_restart",
            after,
            claims.all,
            Support(told_by(after), "counter and loss went back to where they had been"),
            because=f"{text}.",
            would_change_if="a reason to go back so far on purpose",
            headline=f"{text}: {before['step'] - after['step']} steps of work were lost{each}.",
            action="Check which checkpoint is loaded, and which was saved last: a newer one had been due.",
        )
        return replace(found, severity="low")

    def _older_state(self, ev: Evidence, old: OlderState) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("Last step before the counter went back", "fact_steps", old.before, "step", "steps")
        claims.row("First step after it", "fact_steps", old.after, "step", "steps")
        _of_the_state(claims, "state that was taken", "log_lines", old.said)
        _of_the_state(claims, "newest state", "log_lines", old.newer)
        measure = old.measure
        text = (
            f"The run had come to step {old.before['step']} ({measure} {old.before[measure]:.4g}) and told of a state"
            f" of step {old.newest}, but went on from that of step {old.taken} ({old.after[measure]:.4g})"
        )
        found = _ruled_in(
            "silent_restart",
            old.after,
            claims.all,
            Support("logs", "the log names a newer state than the one it took", decisive=True),
            Support(told_by(old.after), f"step and {measure} went back to where they had been"),
            because=f"{text}, as it had been there before.",
            would_change_if="a reason to go back so far on purpose",
            headline=f"{text}: {old.before['step'] - old.taken} steps were done twice.",
            action="Check how the newest state is chosen (numbers, not names sorted as text) and why it was not read.",
        )
        return replace(found, severity="low")

    def _begun_anew(self, ev: Evidence, story: Story, anew: BegunAnew) -> Finding:
        before, after, measure = anew.before, anew.after, anew.measure
        claims = Claims(ev, self.id)
        claims.row(f"First {measure} of the job before it", "fact_steps", anew.begun, measure)
        claims.row(f"Last {measure} of the job before it", "fact_steps", before, measure)
        claims.row(f"First {measure} of the last job", "fact_steps", after, measure)
        text = (
            f"The last job of the chain ({after['source']}) began at a {measure} of {after[measure]:.4g}, "
            + ("as the one before it had begun, and " if anew.from_start else "")
            + f"not at the {before[measure]:.4g} where "
            + ("that one" if anew.from_start else "the one before it")
            + " had ended"
        )
        found = _ruled_in(
            "silent_restart",
            after,
            claims.all,
            Support("logs", "a job of a chain did not begin where the one before it had ended", decisive=True),
            because=f"{text}; nothing says that a checkpoint was loaded.",
            would_change_if="a resume marker, or values that went on where they had been",
            headline=f"{text}: its work was lost silently.",
            action="Pass the resume option in each job of the chain, and stop when nothing is found to load.",
        )
        return replace(found, first_failing=replace(failing(after), rank=None))

    def _silent(self, ev: Evidence, story: Story, back: tuple[Row, Row]) -> Finding:
        before, after = back
        claims = Claims(ev, self.id)
        claims.row("Last step before the restart", "fact_attempts", before, "last_step", "steps")
        claims.row("First step after it", "fact_attempts", after, "first_step", "steps")
        lost = before["last_step"] - (after["first_step"] or 0)
        saved = [e for e in story.all_events if e["kind"] == Kind.CHECKPOINT_SAVED and e["subject"]]
        text = f"reached step {before['last_step']}, was restarted, and began again at step {after['first_step']}"
        found = _ruled_in(
            "silent_restart",
            after,
            claims.all,
            # Where nothing had been saved there was nothing to load, and other things set a counter back: on logs that
            # no engine had seen, all five such verdicts were wrong (docs/calibration.md, first contact).
            Support(told_by(after), "the step counter went back, nothing was loaded", decisive=bool(saved)),
            because=f"The run {text}, without a word of a load.",
            would_change_if="a resume marker, or a loss that continued where it had been",
            headline=f"The run {text}{when(story) if story.failures else ''}: {lost} steps of work were lost silently.",
            action="Pass the resume option at every start (resume_from_checkpoint), and stop when nothing is found.",
            saved=str(saved[-1]["subject"]) if saved else None,
        )
        # Where nothing had been saved, what ended the last attempt is what happened to the run.
        return replace(found, explains_end=bool(saved) or story.first is None)


def _ruled_in(
    sub_mode: str,
    row: Row,
    claims: tuple[Claim, ...],
    *support: Support,
    because: str,
    would_change_if: str,
    headline: str,
    action: str,
    saved: str | None = None,
) -> RuledIn:
    """What all of them share: the job's own fault, of all its ranks, that ``row`` shows first, and a load to mend."""
    return RuledIn(
        because=because,
        would_change_if=would_change_if,
        headline=headline,
        claims=claims,
        support=support,
        attribution="job",
        scope="allocation",
        onset_ns=row["ts_ns"],
        sub_mode=sub_mode,
        first_failing=failing(row),
        next=Next("job", action, saved),
    )


def _of_the_state(claims: Claims, part: str, table: str, said: Row) -> None:
    claims.row(f"What was said of the {part}", table, said, "text")


FAMILY: Final = RestartOrLoad()
