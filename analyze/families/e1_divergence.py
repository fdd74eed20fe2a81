"""E1: the model did not learn: NaN, divergence, a loss scale at its floor, or a curve that never falls."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._beside_loss import (
    gained,
    gave_back,
    guesses_alone,
    never_rewarded,
    never_right,
    rewarded,
    rewarded_as_at_random,
    right_by_chance,
    unrewarded,
    validated_since,
)
from inquest.analyze.families._by_design import by_design
from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._chance import at_chance
from inquest.analyze.families._curve import FLOOR, Curve, curve, ends, gone_astray, held_out, series
from inquest.analyze.families._curve_doubts import LARGEST_GUESS, held_out_falls, stood_throughout
from inquest.analyze.families._end import planned_end
from inquest.analyze.families._resumes import began_in_its_log, from_scratch
from inquest.analyze.families._rows import Row, failing, told_by
from inquest.analyze.families._shape import shape_of, sought_a_rate
from inquest.analyze.families._signs import FIRST, NEARLY_ALL, Sign, falls, halves_agree, hardly_moved, learns_anew
from inquest.analyze.families._stood_where_begun import stood_where_begun
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.families.e3_undertrained import hardly_any_of_plan
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
    from inquest.analyze.families._story import Story

_ACTIONS: Final = {
    "nan": "Restart from the last checkpoint before the first NaN with a lower learning rate, clipping or bf16;"
    " check the batch of that step.",
    "diverged": "Lower the learning rate or lengthen the warm-up, and restart from a checkpoint before the rise.",
    "loss_scale": "Use bf16, or find the layer that overflows: fp16 gradients overflow at the smallest loss scale.",
    "not_learning": "Check learning rate, frozen parameters and labels: the loss does not fall.",
}


_BESIDE: Final = ("score", "eval_loss", "accuracy")
"""What tells of learning beside the loss."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """See the module."""

    id: str = "E1"
    name: str = "divergence or not learning"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("steps", "logs")
    helps: tuple[str, ...] = ("steps", "exits")

    def judge(self, ev: Evidence) -> Finding:
        """The end of the curve decides: a spike that recovered is no failure."""
        story = tell(ev)
        losses = curve(story)
        crash = next(iter(story.crashes_of(Cause.NUMERIC)), None)
        guess = _guesses(ev, story, losses)
        proved = guess if guess is not None and guess.decisive else None
        shape = shape_of(ev, losses, from_scratch=from_scratch(story))
        if shape is not None and shape.mode == "diverged" and validated_since(story, shape.row):
            shape = None
        if shape is not None and shape.column == "loss" and rewarded(story):
            shape = None
        sign = _numeric(ev, story, losses, crash) or proved or shape or _elsewhere(ev, story)
        sign = sign or unrewarded(ev, story) or guess
        sign = (
            sign
            or _nothing_at_all(ev, story, losses)
            or _to_nothing(ev, losses)
            or _worse_than_begun(ev, story, losses)
        )
        sign = sign or gave_back(ev, story, losses) or never_right(ev, story, losses)
        sign = sign or _knows_frequencies(ev, story, losses) or right_by_chance(ev, story, losses)
        sign = sign or _held_out(ev, story, losses) or guesses_alone(ev, story, losses)
        sign = sign or never_rewarded(ev, story, losses) or stood_where_begun(ev, story, losses)
        sign = sign or rewarded_as_at_random(ev, story, losses)
        warnings: tuple[str, ...] = ()
        if any(losses.bad) and not losses.bad_at_end:
            warnings = (f"{sum(losses.bad)} report(s) held NaN or infinity, and training recovered.",)
        if sign is None:
            return self._absent(ev, story, losses, warnings)
        first = story.first
        if first is not None and first.crash is not crash and story.earlier(first.row, sign.row):
            return RuledOut(
                because="The numbers went wrong only after another failure.",
                would_change_if="NaN or divergence before the first failure",
                stores=("logs",),
            )
        if sign.mode == "not_learning" and (part := hardly_any_of_plan(ev, story)) is not None:
            return CannotDecide(
                because=f"{sign.text[0].upper()}{sign.text[1:]}, but {part[0]} of {part[1]} steps were done.",
                missing=("the run as it was planned",),
                warnings=warnings,
            )
        if (meant := by_design(ev, losses, sign)) is not None:
            return CannotDecide(
                because=f"{sign.text[0].upper()}{sign.text[1:]}, but the job {meant}.",
                missing=("a metric of the model that does not depend on what the loss is made of",),
                warnings=warnings,
            )
        claims = Claims(ev, self.id)
        claims.row("First report of it", sign.table, sign.row, sign.column)
        claims.over("Training reports with a loss", "COUNT", "loss", "fact_steps", losses.where, unit="reports")
        support = [Support(told_by(sign.row), sign.text, decisive=sign.decisive)]
        if crash is not None and sign.table != "fact_exceptions":
            claims.row("Exception that ended the run", "fact_exceptions", crash.shown, "message")
            support.append(Support("logs", crash.title, decisive=True))
        step = sign.row.get("step") if sign.table == "fact_steps" else None
        at = f" from step {step} on" if step is not None else ""
        ended = " although the run ended without an error" if story.ended_well else ""
        return RuledIn(
            because=f"{sign.text}{at}.",
            would_change_if="the loss coming back to its former course, or a metric of the model that improved",
            headline=f"Training failed to learn: {sign.text}{at}{ended}.",
            claims=claims.all,
            support=tuple(support),
            attribution="job",
            scope="allocation",
            onset_ns=sign.row["ts_ns"],
            sub_mode=sign.mode,
            first_failing=failing(sign.row),
            next=Next("job", _ACTIONS[sign.mode], _checkpoint_before(story, sign.row)),
            explains_end=not _of_a_trial(story, sign.row)
            and (sign.mode == "nan" or sign.table != "fact_steps" or not _ended_otherwise(story)),
        )

    @staticmethod
    def _absent(ev: Evidence, story: Story, losses: Curve, warnings: tuple[str, ...]) -> Finding:
        if not losses.finite:
            if story.failures and not story.progressed:
                return RuledOut(
                    because="The run failed before any step, so there was nothing to learn.",
                    would_change_if="reports of a loss before the failure",
                    stores=("logs",),
                )
            score = ends(series(story, "score"))
            reward = "" if score is None else f", and the reward went from {score[0]:.4g} to {score[2]:.4g}"
            return CannotDecide(
                because=f"No loss was reported{reward}, so whether the model learned is not known.",
                missing=("training progress with a loss",),
                warnings=warnings,
            )
        went = f"{losses.head:.4g} to {losses.tail:.4g}"
        beside = any(series(story, column) for column in _BESIDE)
        stood = from_scratch(story) and not gained(story) and stood_throughout(ev, losses) is not None
        if stood or (not losses.fell and not beside and len(losses.finite) >= ev.threshold("e1.plateau_losses")):
            moved = "hardly fell" if losses.fell else "did not fall"
            return CannotDecide(
                because=f"The loss is finite, but {moved}: it went from {went}.",
                missing=("a validation metric, or what this run began from",),
                warnings=warnings,
            )
        return RuledOut(
            because=f"The loss is finite and went from {went}.",
            would_change_if="NaN or infinity at the end, a loss far above its start, or a curve that never falls",
            stores=(losses.store,),
            warnings=warnings,
        )


def _of_a_trial(story: Story, row: Row) -> bool:
    """True for one training of several in a file, as of a sweep, in a run that did not fail: others are as good."""
    if story.ended_well is False or row.get("attempt") is None:
        return False
    begun = story.attempts.filter(
        (pl.col("node") == row["node"])
        & pl.col("source").eq_missing(row.get("source"))
        & (pl.col("attempt") == row["attempt"])
    )
    return told_by(row) == "logs" and "new_run" in begun["began_by"].to_list()


def _ended_otherwise(story: Story) -> bool:
    """True where an error that says nothing of numbers ended the run: no curve, however it looks, ends a process."""
    first = story.first
    if first is not None and first.crash is not None:
        return first.cause.cause is Cause.APPLICATION and not _OF_NUMBERS.search(first.crash.title)
    uncaught = [row for row in story.of(Kind.UNCAUGHT) if row["role"] == "root"]
    return story.ended_well is False and bool(uncaught) and not _OF_NUMBERS.search(str(uncaught[-1]["text"]))


_OF_NUMBERS: Final = re.compile(
    r"(?i)\bnan\b|\binf|loss|diverg|explod|overflow|converg|gradient|numeric|probabilit|singular|definite|finite"
    r"|domain error|not learn"
)
"""Words of errors that a curve gone wrong may lead to."""


def _numeric(ev: Evidence, story: Story, losses: Curve, crash: Crash | None) -> Sign | None:
    if losses.bad_at_end:
        row = _first_rank(story, losses.first_of_the_bad_end)
        what = "loss" if row["loss"] is not None and not math.isfinite(row["loss"]) else "loss or gradient norm"
        column = "loss" if what == "loss" else "grad_norm"
        return Sign("nan", f"the {what} is NaN or infinite", row, "fact_steps", column, decisive=True)
    back = losses.hardly_back
    if back is not None and back[0] >= _LONG_LOST * back[1] and back[0] >= ev.threshold("e1.guessing_reports"):
        row = losses.frame.row(len(losses.bad) - sum(back), named=True)
        text = f"the loss is no number in {back[0]} reports in a row, all but the last {back[1]} of the run"
        return Sign("nan", text, row, "fact_steps", "loss" if row["loss"] is not None else "grad_norm", decisive=False)
    collapsed = next((row for row in story.of(Kind.LOSS_SCALE_COLLAPSE) if row["role"] != "progress"), None)
    if collapsed is not None:
        text = "the fp16 loss scale fell to its minimum"
        return Sign("loss_scale", text, collapsed, "fact_events", "text", decisive=True)
    if crash is not None:
        mode = "loss_scale" if re.search("(?:loss|grad)[_ ]scale", str(crash.speaking["message"])) else "nan"
        return Sign(mode, crash.title, crash.speaking, "fact_exceptions", "message", decisive=True)
    if (skipped := losses.skipped) is not None and skipped.height >= ev.threshold("e1.least_third"):
        row = losses.first_skipped or skipped.row(0, named=True)
        text = f"every step is skipped, and the loss scale stands at {skipped['loss_scale'][-1]:g}"
        return Sign("loss_scale", text, row, "fact_steps", "loss_scale", decisive=True)
    lowered = _lowered(story, losses)
    if len(lowered) >= ev.threshold("e1.least_third"):
        further = " and further" if lowered[-1]["num"] < lowered[0]["num"] else ""
        text = f"the fp16 loss scale fell to {lowered[0]['num']:g}{further}, and every step is skipped"
        return Sign("loss_scale", text, lowered[0], "fact_events", "num", decisive=True)
    if (always := _always_lowered(story)) is not None:
        text = f"the fp16 loss scale was lowered at nearly every step, to {always[-1]['num']:.2g}"
        return Sign("loss_scale", text, always[0], "fact_events", "num", decisive=True)
    if (sinking := losses.sinking) is not None:
        text = f"the fp16 loss scale fell to {sinking['loss_scale'][-1]:g}, and never rose again"
        return Sign("loss_scale", text, sinking.row(0, named=True), "fact_steps", "loss_scale", decisive=True)
    skipped_at = {(row["source"], row["line_seq"]) for row in story.of(Kind.UPDATE_SKIPPED)}
    said = [row for row in story.of(Kind.NAN_LOSS) if row["role"] == "root"]
    if losses.frame.is_empty():  # what is left out may be one batch of many
        said = [row for row in said if (row["source"], row["line_seq"]) not in skipped_at]
    sound = losses.frame.filter(pl.col("loss").is_finite())
    later = None if sound.is_empty() else sound.row(-1, named=True)
    if said and (later is None or not story.earlier(said[-1], later)):
        return Sign("nan", "NaN or infinity is reported", said[0], "fact_events", "text", decisive=True)
    return None


def _elsewhere(ev: Evidence, story: Story) -> Sign | None:
    """A rank, seed or fold whose own loss is lost to the end, while that of another one goes on."""
    for losses in itertools.islice(gone_astray(story, ev.threshold("e1.divergence_factor")), _LOOKED_AT):
        if len(losses.finite) < ev.threshold("e1.least_third"):
            continue  # a stage of a pipeline has no loss from the start
        first = losses.frame.row(0, named=True)
        where = f"in {first['source']}" if first["rank"] is None else f"on rank {first['rank']}"
        if losses.bad_at_end:
            row = losses.first_of_the_bad_end
            return Sign("nan", f"{where} the loss is NaN or infinite", row, "fact_steps", "loss", decisive=False)
        found = shape_of(ev, losses, from_scratch=from_scratch(story))
        if found is not None and found.mode == "diverged":
            return replace(found, text=f"{where} {found.text}", decisive=False)
    return None


_LOOKED_AT: Final = 16
"""Curves that are looked at: where more are lost, so are these."""


_LONG_LOST: Final = 10
"""How many times the reports after it a stretch without numbers holds that nothing came back from."""


def _first_rank(story: Story, row: Row) -> Row:
    """The first report of the rank whose loss was the first to be no number for good; ``row`` where it is that."""
    stream = ["node", "source", "rank"]
    told = story.steps.filter(
        pl.col("kind").ne_missing("validation") & pl.all_horizontal(pl.col("loss", "step", "rank").is_not_null())
    )
    sound = pl.when(pl.col("loss").is_finite()).then("step").max().over(stream)
    bad = told.filter(~pl.col("loss").is_finite() & (sound.is_null() | (pl.col("step") > sound))).sort("step", "rank")
    if bad.is_empty() or row["step"] is None or bad["step"][0] >= row["step"]:
        return row
    return bad.row(0, named=True)


def _lowered(story: Story, losses: Curve) -> list[Row]:
    """Steps said to be skipped at the floor of the loss scale, after the last report of a loss."""
    last = None if losses.numbers.is_empty() else losses.numbers.row(-1, named=True)
    return [
        row
        for row in story.of(Kind.LOSS_SCALE_DOWN)
        if row["num"] is not None and row["num"] <= FLOOR and (last is None or story.earlier(last, row))
    ]


def _always_lowered(story: Story) -> list[Row] | None:
    """Steps said to be skipped that are nine of ten of all, down to a scale at which no gradient is left.

    Reports of a loss stand between them: what is printed is of weights that never moved.
    """
    lowered = [row for row in story.of(Kind.LOSS_SCALE_DOWN) if row["num"] is not None]
    first, last = story.first_step, story.last_step
    if first is None or last is None or story.unit != "step" or not lowered or lowered[-1]["num"] > FLOOR:
        return None
    scales = [row["num"] for row in lowered]
    enough = len(lowered) >= max(_SKIPS, _NEARLY_ALL_STEPS * (last - first + 1))
    return lowered if enough and scales == sorted(scales, reverse=True) else None


_SKIPS: Final = 20
_NEARLY_ALL_STEPS: Final = 0.9


def _nothing_at_all(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """A loss that a tracker noted as exactly 0 at every report, and nothing else; a log may print few digits.

    The first update of a policy has no loss: its reward tells.
    """
    norms = losses.frame["grad_norm"].drop_nulls()
    enough = len(losses.finite) >= ev.threshold("e1.guessing_reports")
    beside = (norms > 0).any() or any(series(story, column) for column in _BESIDE)
    if any(losses.finite) or not enough or beside or losses.store != "metrics":
        return None
    text = f"the loss is exactly 0 in all {len(losses.finite)} reports"
    row = losses.numbers.row(0, named=True)
    return Sign("not_learning", text, row, "fact_steps", "loss", decisive=False)


def _to_nothing(ev: Evidence, losses: Curve) -> Sign | None:
    """A loss that fell to exactly 0 from one report to the next, and is that to the end.

    Trainers that leave out what is no number note a mean of nothing; what is learned comes down to 0 step by step.
    """
    values = losses.finite
    still = sum(1 for _ in itertools.takewhile(lambda value: value == 0, reversed(values)))
    before = values[: len(values) - still]
    if still < ev.threshold("e1.guessing_reports") or len(before) < ev.threshold("e1.least_third"):
        return None
    # The one between may be the mean of both.
    if min(before[:-1]) < max(ev.threshold("e1.lost") * statistics.median(before), ev.threshold("e1.plateau_level")):
        return None
    row = losses.numbers.row(len(before), named=True)
    if row["framework"] == "loop":
        return None  # a loop of one's own prints what it is told to
    text = f"the loss went from {before[-2]:.4g} to exactly 0 at once, and is that in the last {still} reports"
    return Sign("nan", text, row, "fact_steps", "loss", decisive=False)


def _worse_than_begun(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """A loss that never was better than untrained, lay far above that most of the time, and ends there.

    Nothing else that was told got better meanwhile.
    """
    values = losses.finite
    soon = len(values) // 10
    if len(values) < ev.threshold("e1.plateau_losses") or not from_scratch(story) or sought_a_rate(losses):
        return None
    begin, rest = statistics.median(values[:FIRST]), sorted(values[soon:])
    low, usual = rest[len(rest) // 10], statistics.median(rest)
    end = statistics.median(values[-len(values) // 3 :])
    far = max(ev.threshold("e1.climbed") * begin, begin + ev.threshold("e1.divergence_rise"))
    above = low >= NEARLY_ALL * begin and min(usual, end) > far
    if begin <= 0 or not above or falls(values[soon:]) or learns_anew(ev, values[soon:], end) or gained(story):
        return None
    row = losses.numbers.row(next(at for at, value in enumerate(values) if value >= far), named=True)
    text = f"the loss began at {begin:.4g}, was hardly ever lower, and ends at {end:.4g}"
    return Sign("diverged", text, row, "fact_steps", "loss", decisive=False)


def _knows_frequencies(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """A language model that began as one that guesses, and soon stood, for good, where its tokens' frequencies are."""
    values = losses.finite
    rest = values[len(values) // 3 :]
    long = len(rest) >= 2 * ev.threshold("e1.plateau_losses") and (story.last_step or 0) >= _LONG_ENOUGH
    if not long or not from_scratch(story) or values[0] < ev.threshold("g1.guessing_loss"):
        return None
    level, known = statistics.median(rest), ev.threshold("g1.frequencies_loss")
    if level < known or gained(story, known) or held_out_falls(story, settled=True) or not hardly_moved(ev, rest):
        return None
    ordered = sorted(rest)
    scatter = ordered[3 * len(rest) // 4] - ordered[len(rest) // 4]
    if statistics.median(values[:FIRST]) > LARGEST_GUESS and scatter > _OF_TOKENS * level:
        return None  # a density of numbers, say
    text = f"the loss came from {values[0]:.4g} to {level:.4g} early, and stood there to the end"
    row = losses.numbers.row(len(values) // 3, named=True)
    return Sign("not_learning", text, row, "fact_steps", "loss", decisive=False)


_OF_TOKENS: Final = 0.05
"""How far, of their level, reports lie apart that are means over the many tokens of a batch."""
_LONG_ENOUGH: Final = 2000
"""Steps in which any language model learns more than how often each token comes."""


def _held_out(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """What a validation loss shows where none of training is told: no number any more, at chance, flat, or a leap.

    One that rises bit by bit may be that of a model that learns its training data by heart.
    """
    if not losses.frame.is_empty():
        return None
    held = held_out(story)
    if not held.finite:
        return None
    if held.bad_at_end:
        row = held.first_of_the_bad_end
        return Sign("nan", "the validation loss is NaN or infinite", row, "fact_steps", "eval_loss", decisive=True)
    found = _guesses(ev, story, held) or shape_of(ev, held, from_scratch=from_scratch(story))
    if found is None or (found.mode == "not_learning" and not halves_agree(ev, held.finite)):
        return None
    right = ends(series(story, "accuracy"))
    if found.mode == "diverged" and not ((right is None or right[2] <= right[0]) and _at_once(held.finite)):
        return None
    sure = found.decisive and found.mode == "not_learning"
    return replace(found, text=f"in validation, {found.text}", column="eval_loss", decisive=sure)


def _at_once(values: list[float]) -> bool:
    """Whether a loss came from next to its lowest to next to where it ended within a twentieth of the reports."""
    best, end = min(values), statistics.median(values[-max(FIRST, len(values) // 10) :])
    lowest = values.index(best)
    high = next((at for at in range(lowest, len(values)) if values[at] >= best + NEARLY_ALL * (end - best)), None)
    if high is None or end <= best:
        return False
    low = max(at for at in range(lowest, high) if values[at] <= best + (1 - NEARLY_ALL) * (end - best))
    return high - low <= max(FIRST, len(values) // 20)


def _guesses(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """A classifier that was trained from scratch and never got beyond guessing, or that fell back to it for good."""
    chance = at_chance(ev, story, losses, ended=planned_end(ev, story) is not None)
    if chance is None or not (chance.since or from_scratch(story) or began_in_its_log(story)):
        return None
    went = "came to stand" if chance.since else "stayed"
    text = f"the loss {went} at {chance.loss:.4g}, which is guessing among {chance.classes}"
    if chance.accuracy is not None:
        text += f", and {chance.accuracy:.3g} of the answers were right"
    row = losses.numbers.row(chance.since, named=True)
    return Sign("not_learning", text, row, "fact_steps", "loss", decisive=chance.accuracy is not None)


def _checkpoint_before(story: Story, row: Row) -> str | None:
    saved = [e for e in story.of(Kind.CHECKPOINT_SAVED) if e["subject"] and story.earlier(e, row)]
    return str(saved[-1]["subject"]) if saved else None


FAMILY: Final = Divergence()
