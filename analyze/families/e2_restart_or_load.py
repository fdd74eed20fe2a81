"""E2: a checkpoint that could not be loaded, or a restart that silently began from scratch."""

from __future__ import annotations

import difflib
import itertools
import re
import statistics
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._compared import dependencies, unlike
from inquest.analyze.families._curve import curve
from inquest.analyze.families._rows import Row, failing, told_by, who
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
            r"|ZeRORuntimeException",
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


_ASKED: Final = re.compile(
    r"(?i)\b(?:resum\w*|restor\w*|continu\w*|load\w*)\b.{0,40}\b(?:requested|asked|wanted|given|specified|passed|expected|set|true)\b"
    r"|\b(?:requested|asked|told|wanted|expected|supposed|meant|trying|tried) (?:to (?:be )?)?"
    r"(?:resum|restor|continu|load)"
    r"|\b(?:could not|couldn't|cannot|can't|failed to|unable to) (?:resume|restore|continue)\b"
    r"|--\w{0,20}[-_]?resum|\bresum\w*\s?=\s?(?!(?:none|null|no|false|off|0|auto)\b)\S"
    r"|\bresum\w* from:? \S*[/.]\S*\w.*\b(?:not found|no such|missing|does(?: not|n't) exist|not there)\b"
)
"""Words of a line that say that a load was asked for; a loop looks by itself for what there may be to resume from."""

_NAMED_STEP: Final = re.compile(
    r"(?:step|iter(?:ation)?|epoch|checkpoint|ckpt)s?[_=-]?0*[1-9]\d*[^ ]*[\"']? (?:was )?not found"
    r"|(?:could not|couldn't|cannot|can't|unable to|failed to) (?:open|load|read|find|restore|access) "
    r"[\"']?[^ ]*(?:step|iter(?:ation)?|epoch|checkpoint|ckpt)s?[_=-]?0*[1-9]\d*",
    re.IGNORECASE,
)
"""A checkpoint of one step was asked for by its name: nobody looks for that at every start."""

_PROBE: Final = re.compile(r"There were no checkpoints found|No checkpoint was provided")
"""NeMo and torchtitan look into their own output folder at every start: finding nothing there is normal."""

_AUTOMATIC: Final = re.compile(r"\bauto(?:matic(?:ally)?)?[-_ ]?resum", re.IGNORECASE)
"""Nobody asked for it: where there is a checkpoint it is taken, and at the first start there is none."""


_TAIL: Final = 5
"""Reports whose median says where a loss had come to."""

_STRIDES: Final = 3
"""Reports that tell how many steps lie between two."""

_OTHER_LOG: Final = re.compile(r"the log of job [\w.+-]{1,40}$")
"""How an import says that a log is another job's (bundle/imports/core.py)."""

_OTHER_RUN: Final = frozenset({"new_run"})

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
        if (judged := self._after(ev, story)) is not None:
            return judged
        if (silent := _said_scratch(ev, story)) is not None:
            return self._silent_said(ev, story, silent)
        # Any other experiment begins a run of a tracker too: it is a restart where the scheduler knows of one.
        if (back := _went_back(story, but=frozenset() if _dependent(ev) else _OTHER_RUN)) is not None:
            return self._silent(ev, story, back)
        if (emptied := _counted_on(ev, story)) is not None:
            return self._unloaded(ev, emptied)
        if (renewed := _schedule_began_anew(story)) is not None:
            return self._partly(ev, story, renewed)
        if (leapt := _leapt(ev, story)) is not None:
            return self._moments(ev, *leapt)
        if (stale := _stale(story)) is not None:
            return self._set_back(ev, *stale)
        if (again := _again_and_again(story)) is not None:
            return self._set_back(ev, *again)
        if (older := _older_link(story)) is not None:
            return self._set_back(ev, *older)
        loaded = story.of(Kind.CHECKPOINT_LOADED)
        partial = story.of(Kind.CHECKPOINT_PARTIAL)
        warnings = tuple(f"Weights were loaded only in part: {str(row['text'])[:160]}" for row in partial[:1])
        if (other := _went_back(story)) is not None:
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
        resumed = _resume_flag(ev) or not later.is_empty()
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
        after = _After(ev, story, parent)
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

    def _by_steps(self, after: _After) -> Finding | None:
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

    def _forgotten(self, after: _After, *, losses: bool) -> Finding:
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
        return RuledIn(
            because=f"The run {text}, {silence}.",
            would_change_if="a loss that went on where the parent's had come to",
            headline=f"The run {text}{work}.",
            claims=after.claims(self.id, losses=losses),
            support=tuple(support),
            attribution="job",
            scope="allocation",
            onset_ns=row["ts_ns"],
            sub_mode=mode,
            first_failing=failing(row),
            next=Next("job", action, saved),
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
        saved, of_parent = _saved_by_parent(ev, self.id)
        begun = next(iter(story.of(Kind.CHECKPOINT_LOAD_BEGIN)), None)
        path = f" ({begun['subject']})" if begun is not None and begun["subject"] else ""
        return RuledIn(
            because=f"The checkpoint{path} could not be loaded: {crash.title}.",
            would_change_if="the same load succeeding, or an earlier failure",
            headline=f"{who(crash.shown)} crashed while loading a checkpoint{path}: {crash.title.rstrip('.')}.",
            claims=(*claims.all, *of_parent),
            support=tuple(support),
            attribution="job",
            scope="allocation",
            onset_ns=crash.root["ts_ns"],
            sub_mode=mode,
            first_failing=failing(crash.shown),
            culprit_ranks=crash.ranks,
            next=Next("job", action if saved is None else f"{action} The parent saved {saved} last.", saved),
        )

    def _silent_said(self, ev: Evidence, story: Story, row: Row) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("What was printed at the start", "fact_events", row, "text")
        place = f" from {row['subject']}" if row["subject"] else ""
        return RuledIn(
            because="A resume was wanted, nothing was loaded, and training began from scratch.",
            would_change_if="a load that succeeded after this line",
            headline=f"The run silently started from scratch: a resume was wanted, and nothing was loaded{place}.",
            claims=claims.all,
            support=(Support("logs", "training says that it found no checkpoint to resume from", decisive=True),),
            attribution="job",
            scope="allocation",
            onset_ns=row["ts_ns"],
            sub_mode="silent_restart",
            first_failing=failing(row),
            next=Next("job", "Correct the checkpoint path, or make the job stop when a wanted resume finds nothing."),
        )

    def _unloaded(self, ev: Evidence, anew: _CountedOn) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("Last loss before the restart", "fact_steps", anew.before, "loss")
        claims.row("First loss after it", "fact_steps", anew.after, "loss")
        part = "" if anew.whole else "half-way back to " if anew.back >= _HALF_WAY else "part of the way back to "
        where = f"{part}where it had begun at first"
        text = (
            f"counted on at step {anew.after['step']} {anew.how}, but its loss began at {anew.after['loss']:.4g},"
            f" {where}, after {anew.before['loss']:.4g}"
        )
        lost = "the weights were not" if anew.whole else "weights or the optimizer's state were not, or not wholly"
        return RuledIn(
            because=f"The run {text}: the counter was loaded, and {lost}.",
            would_change_if="another loss, or harder data, from this step on",
            headline=f"The run {text}: what it had learned was lost silently{'' if anew.whole else ', in part'}.",
            claims=claims.all,
            support=(
                Support(
                    told_by(anew.after),
                    "the counter went on, and the loss began anew",
                    # Of trainings in turn under one counter the files may say nothing.
                    decisive=anew.how not in (_REPLAYED, _NEXT_FILE),
                ),
            ),
            attribution="job",
            scope="allocation",
            onset_ns=anew.after["ts_ns"],
            sub_mode="load_without_effect",
            first_failing=failing(anew.after),
            next=Next(
                "job", "Check that what is loaded is put into the model that trains, before the optimizer is made."
            ),
        )

    def _partly(self, ev: Evidence, story: Story, row: Row) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("Learning rate at the first report after the resume", "fact_steps", row, "lr")
        claims.over("Highest learning rate reported", "MAX", "lr", "fact_steps", FINITE_LR)
        text = f"The run resumed at epoch {row['epoch']:g}, but its learning rate warmed up anew"
        return RuledIn(
            because=f"{text}: optimizer and schedule were not loaded.",
            would_change_if="a schedule that is meant to rise at this point",
            headline=f"{text}: the checkpoint was loaded without the state of optimizer and schedule.",
            claims=claims.all,
            support=(Support("logs", "the learning rate rose again after a resume in mid-run"),),
            attribution="job",
            scope="allocation",
            severity="low",
            onset_ns=row["ts_ns"],
            sub_mode="partial_resume",
            first_failing=failing(row),
            next=Next(
                "job", "Keep optimizer and scheduler files beside the weights, and check that the resume reads them."
            ),
        )

    def _moments(self, ev: Evidence, said: Row, before: Row, after: Row, end: float, back: int | None) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("What was said of the optimizer's state", "fact_events", said, "text")
        claims.row("Last loss before the leap", "fact_steps", before, "loss")
        claims.row("First loss after it", "fact_steps", after, "loss")
        at = "" if after["step"] is None else f" at step {after['step']}"
        text = (
            f"The weights were loaded without the state of their optimizer; the loss leapt from {before['loss']:.4g} to"
            f" {after['loss']:.4g}{at}"
        )
        course = f"had not come back when it ended ({end:.4g})" if back is None else f"was back after {back} reports"
        return RuledIn(
            because=f"{text}, and {'ended at' if back is None else 'came down to'} {end:.4g}.",
            would_change_if="a loss that came back to where it had been" + ("" if back is None else " at once"),
            headline=f"{text}, and {course}.",
            claims=claims.all,
            support=(
                Support("logs", "the log says that the optimizer's state was not there", decisive=back is None),
                *((Support("metrics", "the loss leapt and stayed"),) if told_by(after) == "metrics" else ()),
            ),
            attribution="job",
            scope="allocation",
            onset_ns=after["ts_ns"],
            sub_mode="partial_resume",
            first_failing=failing(after),
            next=Next("job", "Keep the optimizer's files beside the weights, and check that the resume reads them."),
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
        return RuledIn(
            because=f"{text}.",
            would_change_if="a reason to go back so far on purpose",
            headline=f"{text}: {before['step'] - after['step']} steps of work were lost{each}.",
            claims=claims.all,
            support=(Support(told_by(after), "counter and loss went back to where they had been"),),
            attribution="job",
            scope="allocation",
            severity="low",
            onset_ns=after["ts_ns"],
            sub_mode="silent_restart",
            first_failing=failing(after),
            next=Next("job", "Check which checkpoint is loaded, and which was saved last: a newer one had been due."),
        )

    def _silent(self, ev: Evidence, story: Story, back: tuple[Row, Row]) -> Finding:
        before, after = back
        claims = Claims(ev, self.id)
        claims.row("Last step before the restart", "fact_attempts", before, "last_step", "steps")
        claims.row("First step after it", "fact_attempts", after, "first_step", "steps")
        lost = before["last_step"] - (after["first_step"] or 0)
        saved = [e for e in story.all_events if e["kind"] == Kind.CHECKPOINT_SAVED and e["subject"]]
        text = f"reached step {before['last_step']}, was restarted, and began again at step {after['first_step']}"
        return RuledIn(
            because=f"The run {text}, without a word of a load.",
            would_change_if="a resume marker, or a loss that continued where it had been",
            headline=f"The run {text}{when(story) if story.failures else ''}: {lost} steps of work were lost silently.",
            claims=claims.all,
            # Where nothing had been saved there was nothing to load, and other things set a counter back: on logs that
            # no engine had seen, all five such verdicts were wrong (docs/calibration.md, first contact).
            support=(Support(told_by(after), "the step counter went back, nothing was loaded", decisive=bool(saved)),),
            attribution="job",
            scope="allocation",
            onset_ns=after["ts_ns"],
            sub_mode="silent_restart",
            first_failing=failing(after),
            next=Next(
                "job",
                "Pass the resume option at every start (resume_from_checkpoint), and stop when nothing is found.",
                str(saved[-1]["subject"]) if saved else None,
            ),
            # Where nothing had been saved, what ended the last attempt is what happened to the run.
            explains_end=bool(saved) or story.first is None,
        )


_WHOLE: Final = 0.75
_HALF_WAY: Final = 0.5
_LOADS: Final = frozenset(map(str, (Kind.CHECKPOINT_LOAD_BEGIN, Kind.CHECKPOINT_LOADED, Kind.CHECKPOINT_PARTIAL)))


@dataclass(frozen=True, slots=True)
class _CountedOn:
    """The last report before a restart, the first after it, and how it shows."""

    before: Row
    after: Row
    how: str
    back: float
    """Part of the way to where it had begun that the loss was back."""

    @property
    def whole(self) -> bool:
        """Whether it was all of the way."""
        return self.back >= _WHOLE


def _counted_on(ev: Evidence, story: Story) -> _CountedOn | None:
    """A restart after which the step counter goes on, and the loss is back near where the run had begun."""
    losses = curve(story).numbers
    if losses.is_empty():
        return None
    source, node, rank = (losses[name][0] for name in ("source", "node", "rank"))
    everything = story.all_steps.filter(
        (pl.col("node") == node)
        & pl.col("rank").eq_missing(rank)
        & pl.col("loss").is_finite()
        & pl.col("step").is_not_null()
        & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    ).sort("attempt", "line_seq", "seq", nulls_last=True)
    told = everything.filter(pl.col("source").eq_missing(source))
    attempts = told.partition_by("attempt", maintain_order=True)
    begun = story.attempts.filter((pl.col("node") == node) & pl.col("source").eq_missing(source))
    other = set(begun.filter(pl.col("began_by").is_in(list(_OTHER_RUN)))["attempt"])
    pairs = [pair for pair in itertools.pairwise(attempts) if pair[1]["attempt"][0] not in other]
    # A load that stands between two reports parts them as well.
    loads = {row["line_seq"] for row in story.all_events if row["kind"] in _LOADS and row["source"] == source}
    at, between = pl.col("line_seq"), sorted(loads - {None})
    pairs += [(told.filter(at < line), told.filter(at > line)) for line in between]
    tracked = told["line_seq"].is_null().all() and not begun["ts_ns"].is_not_null().any()
    shown = [_NEXT_FILE if tracked else "after a restart"] * len(pairs)
    for cuts, how in (
        (_warmed_up_anew(told["lr"].to_list()), "while its learning rate warmed up anew"),
        (_replayed(told["loss"].to_list()), _REPLAYED),
    ):
        parted = [(told[:cut], told[cut:]) for cut in cuts]
        parted = [
            pair for pair in parted if not _headed(story, pair[0].row(-1, named=True), pair[1].row(0, named=True))
        ]
        pairs += parted
        shown += [how] * len(parted)
    if source is not None and (following := _next_log(everything, source)) is not None:
        rates = [*told["lr"].to_list(), *following["lr"].to_list()]
        if _warmed_up_anew(rates) == [told.height]:
            pairs.append((told, following))
            shown.append(_NEXT_LOG)
    for how, (earlier, later) in zip(shown, pairs, strict=True):
        if min(earlier.height, later.height) < _TAIL or int(later["step"][0]) <= int(earlier["step"][-1]):
            continue
        begin, reached = float(told["loss"][:_STRIDES].median()), float(earlier["loss"][-_TAIL:].median())  # type: ignore[arg-type]
        again = float(later["loss"][:_STRIDES].median())  # type: ignore[arg-type]
        learned = begin - reached
        if learned < ev.threshold("e1.learned") * begin:
            continue
        rested = how != _REPLAYED and _never_back(ev, later, reached, learned)
        if again - reached >= ev.threshold("parent.forgotten") * learned or rested:
            return _CountedOn(earlier.row(-1, named=True), later.row(0, named=True), how, (again - reached) / learned)
    return None


def _never_back(ev: Evidence, later: pl.DataFrame, reached: float, learned: float) -> bool:
    """Whether a loss that leapt at a restart was still far above where it had come to after many more reports."""
    told = later["loss"].to_list()
    least = reached + max(_PART * learned, min(ev.threshold("e1.divergence_rise"), learned / 2))
    leapt = statistics.median(told[:_STRIDES]) >= least
    return (
        leapt
        and len(told) >= ev.threshold("e1.plateau_losses")
        and min(told) >= ev.threshold("g1.above_best") * reached
    )


_PART: Final = 0.25
"""Part of what was learned that is missed after a restart by more than a change of data explains."""


def _next_log(told: pl.DataFrame, source: str) -> pl.DataFrame | None:
    """Reports of the log of the next number, where its counter goes on where that of ``source`` had come to."""
    mine = told.filter(pl.col("source") == source)
    stride = mine["step"].diff().median()
    others = told.filter(
        (pl.col("source") != source) & (pl.col("source").str.replace_all(r"\d+", "#") == _form(source))
    )
    for other in others.partition_by("source", maintain_order=True):
        gap = int(other["step"][0]) - int(mine["step"][-1])
        if isinstance(stride, float) and 0 < gap <= 2 * stride:
            return other
    return None


def _form(source: str) -> str:
    """The name of a log without its numbers."""
    return re.sub(r"\d+", "#", source)


def _headed(story: Story, before: Row, after: Row) -> bool:
    """Whether a heading between two reports says that the next stage, fold or trial begins."""
    if before["line_seq"] is None or after["line_seq"] is None:
        return False
    return any(
        row["kind"] == Kind.NEXT_RUN
        and row["source"] == after["source"]
        and before["line_seq"] < row["line_seq"] < after["line_seq"]
        for row in story.all_events
    )


def _warmed_up_anew(rates: list[float | None]) -> list[int]:
    """Reports at which the learning rate is at once back where it began, and rises from there as it did at first.

    A schedule with warm restarts leaps up, and one that cycles comes down step by step.
    """
    told = [rate for rate in rates if rate is not None]
    if len(told) < len(rates) or len(told) < 2 * _TAIL or told[0] >= max(told) / 2:
        return []
    return [
        at
        for at in range(_TAIL, len(told) - _TAIL)
        if told[at] <= 2 * told[0] and told[at - 1] >= 3 * told[at] and told[at] < told[at + 1] < told[at + 2]
    ][:1]


def _stale(story: Story) -> tuple[Row, Row] | None:
    """The reports about the one place at which counter and loss went back by half of the way, not to come there again.

    A load of the newest checkpoint costs the steps since it was saved.
    """
    told = curve(story).numbers.filter(pl.col("step").is_not_null())
    steps, losses = told["step"].to_list(), told["loss"].to_list()
    backs = [at for at in range(1, len(steps)) if steps[at] < steps[at - 1]]
    if len(backs) != 1:
        return None
    at = backs[0]
    reached, again = steps[at - 1], steps[at]
    if min(at, len(steps) - at) < 4 * _TAIL or 2 * again > reached or max(steps[at:]) >= reached:
        return None
    there = next(number for number, step in enumerate(steps) if step >= again)
    before, level = statistics.median(losses[at - _TAIL : at]), statistics.median(losses[at : at + _STRIDES])
    as_then = abs(level - losses[there]) <= 2 * _ALIKE * losses[there]
    return (told.row(at - 1, named=True), told.row(at, named=True)) if as_then and level >= 1.1 * before else None


def _again_and_again(story: Story) -> tuple[Row, Row, int] | None:
    """The reports about the first of several places at which counter and loss went back to one step, not the first.

    And how many there are: folds begin at the start, and whoever saves goes on from farther each time.
    """
    losses = curve(story).numbers
    if losses.is_empty():
        return None
    source, node, rank = (losses[name][0] for name in ("source", "node", "rank"))
    told = story.all_steps.filter(
        (pl.col("node") == node)
        & pl.col("source").eq_missing(source)
        & pl.col("rank").eq_missing(rank)
        & pl.col("loss").is_finite()
        & pl.col("step").is_not_null()
        & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    ).sort("attempt", "line_seq", "seq", nulls_last=True)
    steps, values = told["step"].to_list(), told["loss"].to_list()
    backs = [at for at in range(1, len(steps)) if steps[at] < steps[at - 1]]
    if len(backs) < 2 or len({steps[at] for at in backs}) > 1:
        return None
    begin, reached = steps[backs[0]], steps[backs[0] - 1]
    there = next(number for number, step in enumerate(steps) if step >= begin)
    long = min(high - low for low, high in itertools.pairwise([0, *backs]))
    if there < _STRIDES or long < _TAIL or max(steps) > reached:
        return None
    back = all(
        abs(values[at] - values[there]) <= 2 * _ALIKE * values[there] and values[at] >= 1.1 * values[at - 1]
        for at in backs
    )
    first = backs[0]
    return (told.row(first - 1, named=True), told.row(first, named=True), len(backs)) if back else None


def _older_link(story: Story) -> tuple[Row, Row] | None:
    """The last report of a log and the first of the log of the next number, which went on from far behind it.

    Its loss is what it had been at that step, in one of the logs before, and it never came as far again.
    """
    told = story.all_steps.filter(
        pl.col("source").str.contains(r"\d") & pl.col("loss").is_finite() & (pl.col("kind") == str(Kind.STEP))
    ).drop_nulls("step")
    links = told.sort("line_seq", "seq", nulls_last=True).partition_by("source", as_dict=True, maintain_order=True)
    named = sorted((_numbers(str(source)), str(source)) for (source,) in links)
    loaded = {row["source"] for row in story.all_events if row["kind"] == Kind.CHECKPOINT_LOADED}
    for at in range(1, len(named)):
        (_, before), (_, after) = named[at - 1 : at + 1]
        old, new = links[before,], links[after,]
        if _form(before) != _form(after) or after not in loaded or min(old.height, new.height) < 4 * _TAIL:
            continue
        reached, begin = int(old["step"][-1]), int(new["step"][0])
        known = pl.concat([links[name,] for _, name in named[:at] if _form(name) == _form(after)])
        then = known.filter(pl.col("step") <= begin).sort("step")["loss"].tail(_STRIDES).median()
        level, last = new["loss"][:_STRIDES].median(), old["loss"][-_TAIL:].median()
        if (
            not (isinstance(then, float) and isinstance(level, float) and isinstance(last, float))
            or 2 * begin > reached
        ):
            continue
        back = abs(level - then) <= 2 * _ALIKE * then and level >= 1.1 * last
        if back and new["step"].max() < reached:  # type: ignore[operator]
            return old.row(-1, named=True), new.row(0, named=True)
    return None


def _numbers(source: str) -> tuple[int, ...]:
    """The numbers in the name of a log, by which the logs of a chain follow each other."""
    return tuple(int(number) for number in re.findall(r"\d{1,18}", source))


def _leapt(ev: Evidence, story: Story) -> tuple[Row, Row, Row, float, int | None] | None:
    """What was said of an optimizer's state that was not loaded, the reports about a leap of the loss, and its end.

    And after how many reports it was back, where it came back. None where that were few: moments that begin anew cost
    some hundreds of steps, no more.
    """
    said = [row for row in story.all_events if row["kind"] == str(Kind.OPTIMIZER_LOST)]
    told = curve(story).numbers
    losses = told["loss"].to_list()
    if not said or len(losses) < ev.threshold("e1.plateau_losses"):
        return None
    leaps = [
        (losses[at] / max(level, 1e-9), at, level)
        for at in range(_TAIL, len(losses) - _TAIL)
        if (level := statistics.median(losses[at - _TAIL : at])) > 0
    ]
    highest = max((each[0] for each in leaps), default=0.0)
    # The first of those that are as good as the highest: the next report stands as high.
    leap, at, level = next((each for each in leaps if each[0] >= _AS_HIGH * highest), (0.0, 0, 0.0))
    end = statistics.median(losses[-max(_TAIL, len(losses) // 50) :])
    if leap < 1 + ev.threshold("e1.lost"):
        return None
    back = None
    if end < ev.threshold("g1.above_best") * level:
        after = range(at, len(losses) - _TAIL)
        back = next((n - at for n in after if statistics.median(losses[n : n + _TAIL]) <= level), len(after))
        if back < max(_SLOWLY, len(losses) // _SLOWLY):
            return None
    return said[0], told.row(at - 1, named=True), told.row(at, named=True), end, back


_SLOWLY: Final = 20
"""Reports, and one part in as many of them, that are more than moments take to settle."""


_AS_HIGH: Final = 0.8
_NEXT_FILE: Final = "in its next file"
_NEXT_LOG: Final = "in its next log, while its learning rate warmed up anew"
_REPLAYED: Final = "all at once, and fell again as it had at first"
_ALIKE: Final = 0.05
"""How near the losses of two beginnings from the same data are, in parts of them."""


def _replayed(losses: list[float]) -> list[int]:
    """The report from which on the losses are those of the run's own beginning, one by one; several are folds.

    A model that diverged and learns again takes a way of its own.
    """
    long = 4 * _TAIL
    if len(losses) <= 2 * long:
        return []
    first = statistics.median(losses[:_STRIDES])
    cuts = [
        at
        for at in range(long, len(losses) - long)
        if losses[at] >= first * (1 - _ALIKE) and losses[at] >= 1.5 * max(losses[at - _STRIDES : at])
    ]
    if len(cuts) != 1:
        return []
    pairs = list(zip(losses, losses[cuts[0] : 2 * cuts[0]], strict=False))
    apart = sorted(abs(new - old) / max(abs(old), 1e-9) for old, new in pairs)
    fell = statistics.median(old for old, _ in pairs[-_TAIL:]) <= first / 1.5
    alike = apart[9 * len(apart) // 10] <= 3 * _ALIKE and apart[len(apart) // 2] <= _ALIKE
    return cuts if fell and alike else []


def _last_save(story: Story) -> Row | None:
    """The last save of a run that names its path."""
    saves = [row for row in story.all_events if row["kind"] == Kind.CHECKPOINT_SAVED and row["subject"]]
    return saves[-1] if saves else None


def _saved_by_parent(ev: Evidence, family: str) -> tuple[str | None, tuple[Claim, ...]]:
    """What the parent saved last, and the claim of it; nothing where there is no parent or it saved nothing."""
    parent = ev.other("parent")
    row = None if parent is None else _last_save(tell(parent))
    if parent is None or row is None:
        return None, ()
    claims = Claims(parent, family)
    claims.row("Last checkpoint the parent saved", "fact_events", row, "subject")
    return str(row["subject"]), claims.all


@dataclass(frozen=True, eq=False)
class _After:
    """A run and the one it continues."""

    ev: Evidence
    story: Story
    parent: Evidence

    @cached_property
    def before(self) -> Story:
        """What the parent's evidence tells."""
        return tell(self.parent)

    @cached_property
    def _mine(self) -> pl.DataFrame:
        return curve(self.story).numbers

    @cached_property
    def _theirs(self) -> pl.DataFrame:
        return curve(self.before).numbers

    @property
    def first(self) -> Row:
        """The first report of the run, of a loss where there is one."""
        told = self._mine if self._mine.height else self.story.steps.sort("line_seq", "seq", nulls_last=True)
        return told.row(0, named=True)

    @property
    def begin(self) -> float:
        """Loss the parent began with."""
        return float(self._theirs["loss"][0])

    @cached_property
    def reached(self) -> float | None:
        """Loss the parent had come to; None where it tells too few or learned nothing, or the run tells none."""
        if self._mine.is_empty() or self._theirs.height <= _TAIL:
            return None
        tail = float(statistics.median(self._theirs["loss"].tail(_TAIL)))
        return tail if tail < self.begin else None

    @property
    def again(self) -> float:
        """Loss the run began with."""
        return float(self._mine["loss"][0])

    @property
    def _back(self) -> float:
        """How much of what the parent had learned was gone at first, and stayed so: 0 to 1, or a little beyond."""
        settled = float(statistics.median(self._mine["loss"].head(3)))
        least = min(self.again, settled) if self.loaded is not None else self.again
        return (least - (self.reached or 0.0)) / (self.begin - (self.reached or 0.0))

    @property
    def foreign(self) -> bool:
        """True where the loss cannot be the one the parent reported."""
        return self.begin > 0 and self.again > self.begin * self.ev.threshold("parent.unlike")

    @property
    def went_on(self) -> bool:
        """True where the loss went on where the parent's had come to."""
        return self._back <= self.ev.threshold("parent.continued")

    @property
    def forgotten(self) -> bool:
        """True where the loss began anew."""
        return self._back > self.ev.threshold("parent.forgotten")

    @property
    def loaded(self) -> Row | None:
        """The line that says a checkpoint was loaded."""
        return next(iter(self.story.of(Kind.CHECKPOINT_LOADED)), None)

    @property
    def saved(self) -> Row | None:
        """The last save of the parent that names its path."""
        return _last_save(self.before)

    @cached_property
    def waited(self) -> Row | None:
        """The scheduler's row that says this run had to wait for the parent."""
        job = self.parent.info.job_id
        if job is None or job not in dependencies(self.ev):
            return None
        rows = self.ev.frame("slurm_jobs").drop_nulls("dependency").iter_rows(named=True)
        return next((row for row in rows if job in row["dependency"]), None)

    def claims(self, family: str, *, losses: bool) -> tuple[Claim, ...]:
        """What both runs show of it."""
        mine, theirs = Claims(self.ev, family), Claims(self.parent, family)
        if losses:
            mine.row("Loss at the first report", "fact_steps", self.first, "loss")
            theirs.row("Loss at the parent's first report", "fact_steps", self._theirs.row(0, named=True), "loss")
            last = ", ".join(str(seq) for seq in self._theirs["seq"].tail(_TAIL))
            where = f"{curve(self.before).where} AND seq IN ({last})"
            theirs.over("Median loss of the parent's last reports", "MEDIAN", "loss", "fact_steps", where)
        else:
            mine.row("First step reported", "fact_steps", self.first, "step", "steps")
            theirs.over("Last step the parent reported", "MAX", "step", "fact_steps", "kind = 'step'", unit="steps")
        if self.saved is not None:
            theirs.row("Last checkpoint the parent saved", "fact_events", self.saved, "subject")
        if self.waited is not None:
            mine.row("What the scheduler made the run wait for", "slurm_jobs", self.waited, "dependency")
        return (*mine.all, *theirs.all)


def _schedule_began_anew(story: Story) -> Row | None:
    """First report of a run that began in its middle while the learning rate was warming up again.

    Weights were loaded then, but not the state of optimizer and schedule: nothing says so, and only the rate shows it.
    """
    told = story.steps.filter(pl.col("kind") == Kind.STEP).drop_nulls(["lr", "epoch"])
    logged = told.drop_nulls("line_seq")
    told = told if logged.is_empty() else logged  # a tracker beside the log tells the same again
    if told.height < 3 or told.select("node", "source", "rank").n_unique() > 1:
        return None
    told = told.sort("line_seq", "seq", nulls_last=True)
    (first, second, *_), last = told["epoch"].to_list(), told["epoch"][-1]
    (rate, next_rate, *_), last_rate = told["lr"].to_list(), told["lr"][-1]
    in_the_middle = first > 1.5 * (second - first) and first >= last / 4
    return told.row(0, named=True) if in_the_middle and rate < next_rate and last_rate < next_rate else None


def found_nothing(story: Story) -> bool:
    """True when a look for checkpoints found none: only what earlier runs left tells a restart from a start."""
    said = [row for row in story.of(Kind.NO_CHECKPOINT_FOUND) if not _PROBE.search(str(row["text"]))]
    return bool(said) and not story.of(Kind.CHECKPOINT_LOADED)


def unproved_continuation(ev: Evidence, story: Story, *, left_out: bool = False) -> str | None:
    """What would tell whether a run that waited for another job should have gone on from there; None: no such doubt.

    Args:
        ev: The evidence.
        story: What happened.
        left_out: Only where the log of another job lay beside this one's and was left out.
    """
    begun = story.first_step is not None and story.first_step * 10 <= (story.last_step or 0)
    if not begun or story.of(Kind.CHECKPOINT_LOADED, Kind.CHECKPOINT_LOAD_BEGIN) or ev.other("parent") is not None:
        return None
    jobs = ev.frame("slurm_jobs") if ev.has("slurm_jobs") else None
    if jobs is None or not ((jobs["reason"] == "Dependency") | jobs["dependency"].is_not_null()).any():
        return None
    files = ev.frame("artifacts")["reason"].drop_nulls().to_list() if ev.has("artifacts") else []
    beside = sorted({found[0] for text in files if (found := _OTHER_LOG.match(text))})
    if beside:
        return f"{beside[0]}, which lies beside this run's and was left out"
    return None if left_out else "the log and the records of the job it waited for"


def _said_scratch(ev: Evidence, story: Story) -> Row | None:
    """A line that says nothing was loaded, where a resume was wanted."""
    said = story.of(Kind.NO_CHECKPOINT_FOUND, Kind.CHECKPOINT_SKIP)
    if not said or story.of(Kind.CHECKPOINT_LOADED):
        return None
    texts = [(row, str(row["text"])) for row in said]
    asked = [(row, text) for row, text in texts if _ASKED.search(text) or _NAMED_STEP.search(text)]
    explicit = [row for row, text in asked if not (_PROBE.search(text) or _AUTOMATIC.search(text))]
    explicit += [row for row in said if row["pattern"] == "checkpoint.nothing_matched"]  # it was given, and did not fit
    if explicit:
        return explicit[0]
    earlier = story.all_steps.height > story.steps.height
    meant = earlier or _resume_flag(ev) or bool(story.of(Kind.CHECKPOINT_LOAD_BEGIN)) or _dependent(ev)
    return said[0] if meant else _elsewhere(story, said) or _of_a_chain(ev, story, said)


def _elsewhere(story: Story, said: list[Row]) -> Row | None:
    """A line that looks for a checkpoint where its run does not save: nobody looks there for work of its own.

    Or that names a folder like the one in which another log tells of saves, but for a slip of the pen.
    """
    saves = [row for row in story.all_events if row["kind"] in _SAVES and _folder(str(row["subject"]))]
    for row in said:
        place = _PLACE.search(str(row["text"]))
        looked = _folder(place[0]) if place is not None else ""
        own = {_folder(str(save["subject"])) for save in saves if save["source"] == row["source"]}
        others = {_folder(str(save["subject"])) for save in saves if save["source"] != row["source"]}
        if looked and own and not any(_same_folder(looked, folder) for folder in own):
            return row
        if looked and not own and looked not in others and any(_mistyped(looked, folder) for folder in others):
            return row
    return None


_SAVES: Final = frozenset({Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN})
_OF_A_STATE: Final = re.compile(
    r"(?i)/(?:[^/]*\.\w{2,11}|(?:last|latest|best|newest|current|(?:global)?_?step|iter|epoch|ckpt|checkpoint|chk|model|state|snapshot"
    r"|weights|saved)[^/]*|\d+)/?$"
)
"""The end of a path that is one state of a run, or all of them."""


def _folder(path: str) -> str:
    """The folder of a run, told from the path of one of its states; empty where the path is not told whole."""
    path = path.rstrip("/.,:;")
    while path.startswith("/") and (shorter := _OF_A_STATE.sub("", path)) != path:
        path = shorter
    return path if path.startswith("/") else ""


def _same_folder(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _mistyped(one: str, other: str) -> bool:
    """Whether two folders lie side by side, and a word of their names differs by letters swapped, left out or added."""
    (above, _, name), (beside, _, like) = one.rpartition("/"), other.rpartition("/")
    pairs = list(itertools.zip_longest(re.split(r"[-_.]|(?<=\D)(?=\d)", name), re.split(r"[-_.]|(?<=\D)(?=\d)", like)))
    apart = [(word, as_well) for word, as_well in pairs if word != as_well]
    if above != beside or len(apart) != 1 or None in apart[0]:
        return False
    word, as_well = apart[0]
    if not (word + as_well).isalpha() or min(len(word), len(as_well)) < _SHORT:
        return False
    near = difflib.SequenceMatcher(None, word, as_well, autojunk=False).ratio() >= _NEAR
    return sorted(word) == sorted(as_well) or (near and min(len(word), len(as_well)) > _SHORT + 1)


_NEAR: Final = 0.8
_SHORT: Final = 3


def _of_a_chain(ev: Evidence, story: Story, said: list[Row]) -> Row | None:
    """The last of several logs in a row that say the same of one place: the one before it had trained by then."""
    begun = {row["source"]: row for row in story.attempts.iter_rows(named=True) if row["last_step"] is not None}
    told = [row for row in said if row["source"] in begun and _PLACE.search(str(row["text"]))]
    told.sort(key=lambda row: begun[row["source"]]["ts_ns"] or 0)
    if (row := _after_saves(ev, story, said, begun)) is not None:
        return row
    for before, row in reversed(list(itertools.pairwise(told))):
        ended, began = begun[before["source"]]["end_ns"], row["ts_ns"]
        again = before["source"] != row["source"] and _form(before["source"]) == _form(row["source"])
        place, same = (_PLACE.findall(str(each["text"])) for each in (before, row))
        if again and place == same and ended is not None and began is not None and began >= ended:
            return row
    return None


def _after_saves(ev: Evidence, story: Story, said: list[Row], begun: dict[str, Row]) -> Row | None:
    """A log that says so and began anew, where the log of the number before had come farther.

    That one had saved its work, or above the line stands that this one was to resume, and in that one nothing does.
    """
    saved = {row["source"] for row in story.all_events if row["kind"] == Kind.CHECKPOINT_SAVED}
    for row in said:
        mine = begun.get(row["source"])
        chain = [name for name in begun if name and row["source"] and _form(name) == _form(row["source"])]
        before = max((name for name in chain if _numbers(name) < _numbers(row["source"])), key=_numbers, default=None)
        if mine is None or before is None or _NAMELESS.search(str(row["source"])):
            continue
        first = before not in {other["source"] for other in said}
        if before not in saved and not (first and _asked_above(ev, row)):
            continue
        early = (mine["first_step"] or 0) * _EARLY <= begun[before]["last_step"]
        if early and not _TRIED.search(str(row["source"])) and _of_one_run(story, before, row):
            return row
    return None


def _asked_above(ev: Evidence, row: Row) -> bool:
    """Whether a line at the start of the same log asks to resume from a file."""
    lines = ev.scan("log_lines").filter(same_stream(row), pl.col("seq") < row["line_seq"]).sort("seq").head(_BEGIN)
    return any(_ASKED.search(text) for text in lines.select(pl.col("text").fill_null("")).collect()["text"])


_BEGIN: Final = 200


def _of_one_run(story: Story, before: str, row: Row) -> bool:
    """Whether nothing tells the run of a line from that of another log: where they save or look, or what they plan."""
    saves = [save for save in story.all_events if save["kind"] in _SAVES and _folder(str(save["subject"]))]
    looked = {_folder(found) for found in _PLACE.findall(str(row["text"]))} - {""}
    own = {_folder(str(save["subject"])) for save in saves if save["source"] == row["source"]} | looked
    theirs = {_folder(str(save["subject"])) for save in saves if save["source"] == before}
    plans = [
        set(story.all_steps.filter(pl.col("source") == source)["total_steps"].drop_nulls())
        for source in (before, row["source"])
    ]
    beside = all(plans) and plans[0].isdisjoint(plans[1])
    return not beside and (not own or not theirs or any(_same_folder(*pair) for pair in itertools.product(own, theirs)))


_EARLY: Final = 10
_NAMELESS: Final = re.compile(r"(?i)(?:^|/)(?:slurm|job|out|output|log|stdout|stderr|train|run)?[-_.]?\d+\.\w+$")
"""Logs that bear no job's name may be of other jobs."""
_TRIED: Final = re.compile(r"(?i)(?:^|[/_.-])(?:seed|fold|trial|rank|exp|sweep|config|lr|wd|bs)[/_.-]?\d")
_PLACE: Final = re.compile(r"/[^\s'\"()]{2,}")
"""A path: what is looked for there is the same."""


def _went_back(story: Story, but: frozenset[str] = frozenset()) -> tuple[Row, Row] | None:
    """Two attempts of one source, the later one beginning where the earlier one had long been, with nothing loaded.

    Attempts that began by one of ``but`` are no restarts.
    """
    if story.of(Kind.CHECKPOINT_LOADED):
        return None
    rows = story.attempts.sort("node", "source", "attempt").iter_rows(named=True)
    before: Row | None = None
    for row in rows:
        same = before is not None and (before["node"], before["source"]) == (row["node"], row["source"])
        if (
            before is not None
            and same
            and row["began_by"] not in but
            and not _beside(before, row)
            and before["last_step"] is not None
            and row["first_step"] is not None
            and row["first_step"] * 2 <= before["last_step"]
            and not _finished(story, before, restarted=row["began_by"] == "restart_line")
            and not _in_turn(story, before)
            and not _tried_again(story, before)
            and not _copied(story, before, row)
            and _loss_went_back(story, before, row)
        ):
            return before, row
        if row["last_step"] is not None or not same:
            before = row
    return None


def _beside(before: Row, row: Row) -> bool:
    """True for two tasks of one node, each recorded on its own: their sources bear one name, and they ran together."""
    apart = before["end_ns"] is not None and row["ts_ns"] is not None and row["ts_ns"] > before["end_ns"]
    return row["began_by"] == "start" and (before["rank"] != row["rank"] or not apart)


def _in_turn(story: Story, attempt: Row) -> bool:
    """True of three attempts and more that all ended at the same step: folds, or seeds; no chance ends so.

    Unless all of them ended far from their plan: parts of one time, each of which began anew.
    """
    begun = story.attempts.filter((pl.col("node") == attempt["node"]) & pl.col("source").eq_missing(attempt["source"]))
    steps = begun["last_step"].drop_nulls()
    long = len(_losses(story, attempt)) >= _MANY and "restart_line" not in begun["began_by"]
    plans = story.all_steps.filter((pl.col("node") == attempt["node"]) & pl.col("epoch").is_null())["total_steps"]
    least = plans.min()
    if isinstance(least, int) and plans.null_count() == 0 and 2 * int(steps.max() or 0) < least:  # type: ignore[arg-type]
        return False
    return len(steps) >= _STRIDES and steps.n_unique() == 1 and long


_MANY: Final = 10
"""Reports of an attempt whose last one comes at the same step by more than chance."""


def _copied(story: Story, before: Row, row: Row) -> bool:
    """True where an attempt tells what the one before told, loss by loss, and nothing says why: a file put in twice."""
    broke = any(event["kind"] == Kind.EXCEPTION and _within(event, before) for event in story.all_events)
    told = _losses(story, row)
    (_, ended), (began, _) = (_times(story, each) for each in (before, row))
    later = ended is not None and began is not None and began > ended  # it was printed twice
    apart = later or before["ts_ns"] != row["ts_ns"]
    same = row["began_by"] == "step_back" and not (broke or apart)
    return same and len(told) >= _MANY and told == _losses(story, before)


def _times(story: Story, attempt: Row) -> tuple[int | None, int | None]:
    """When the first and the last report of an attempt were made."""
    mine = story.all_steps.filter(same_stream(attempt), pl.col("attempt") == attempt["attempt"])["ts_ns"]
    return mine.min(), mine.max()  # type: ignore[return-value]


def _finished(story: Story, attempt: Row, *, restarted: bool) -> bool:
    """True when an attempt reached its planned end: what follows is another training, a fold or a sweep.

    The last report of a loop that prints every tenth step stands before the end; where something says that the run was
    ``restarted``, that is no end.
    """
    ends = (Kind.TRAIN_SUMMARY, Kind.TRAINING_END, Kind.MODEL_SAVED, Kind.EARLY_STOP)
    if any(event["kind"] in ends and _within(event, attempt) for event in story.all_events):
        return True
    mine = story.all_steps.filter(
        (pl.col("node") == attempt["node"])
        & pl.col("source").eq_missing(attempt["source"])
        & (pl.col("attempt") == attempt["attempt"])
        & pl.col("epoch").is_null()
    )
    steps = mine["step"].drop_nulls().unique().sort()
    stride = 0 if restarted or len(steps) < _STRIDES else int(steps.diff().tail(_STRIDES - 1).max() or 0)  # type: ignore[arg-type]
    return not mine.filter(pl.col("step") + stride >= pl.col("total_steps")).is_empty()


def _tried_again(story: Story, attempt: Row) -> bool:
    """True when the log shows what ended an attempt, and nothing had been saved: the next one had to begin anew."""
    mine = [event for event in story.all_events if _within(event, attempt)]
    crashed = any(event["kind"] == Kind.EXCEPTION and event["role"] == "root" for event in mine)
    return crashed and not any(event["kind"] in {Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN} for event in mine)


def _within(event: Row, attempt: Row) -> bool:
    return all(event[name] == attempt[name] for name in ("node", "source", "attempt"))


def _loss_went_back(story: Story, before: Row, after: Row) -> bool:
    """True when the loss after the restart is nearer to the start of the curve than to where it had come.

    Without losses in both attempts the step counter alone decides, provided that a checkpoint had been saved.
    """
    old = _losses(story, before)
    new = _losses(story, after)
    if len(old) >= 2 and new:
        begin, reached, again = old[0], old[-1], new[0]
        return reached < begin and again - reached > (begin - reached) / 2
    saved = any(
        event["kind"] == Kind.CHECKPOINT_SAVED and event["attempt"] == before["attempt"] for event in story.all_events
    )
    return saved and not old


def _losses(story: Story, attempt: Row) -> list[float]:
    return (
        story.all_steps.filter(
            (pl.col("node") == attempt["node"])
            & pl.col("source").eq_missing(attempt["source"])
            & (pl.col("attempt") == attempt["attempt"])
            & pl.col("loss").is_finite()
        )
        .sort("line_seq", "seq", nulls_last=True)["loss"]
        .to_list()
    )


def _resume_flag(ev: Evidence) -> bool:
    """True when a recorded command line asks for a resume."""
    if not ev.has("processes"):
        return False
    lines = ev.scan("processes").select(pl.col("argv").unique()).collect()["argv"].drop_nulls().to_list()
    return any(re.search(r"--?(auto[-_]?)?resume|resume_from", line) for line in lines)


def _dependent(ev: Evidence) -> bool:
    """True when the scheduler knows of a parent run or a restart of this one."""
    if not ev.has("slurm_jobs"):
        return False
    jobs = ev.frame("slurm_jobs")
    return bool((jobs["restarts"].fill_null(0) > 0).any()) or bool(jobs["dependency"].drop_nulls().len())


FAMILY: Final = RestartOrLoad()
