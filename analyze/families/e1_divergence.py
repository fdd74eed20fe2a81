"""E1: the model did not learn: NaN, divergence, a loss scale at its floor, or a curve that never falls."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._chance import at_chance
from inquest.analyze.families._curve import FLOOR, LANGUAGE, Curve, curve, ends, gone_astray, held_out, rated, series
from inquest.analyze.families._end import planned_end
from inquest.analyze.families._rows import Row, failing, told_by
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
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
class _Sign:
    """One sign that learning failed."""

    mode: str
    text: str
    row: Row
    table: str
    column: str
    decisive: bool


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
        shape = _shape(ev, losses, from_scratch=from_scratch(story))
        if shape is not None and shape.mode == "diverged" and _validated_since(story, shape.row):
            shape = None
        if shape is not None and shape.column == "loss" and _rewarded(story):
            shape = None
        sign = _numeric(ev, story, losses, crash) or proved or shape or _elsewhere(ev, story)
        sign = sign or _unrewarded(ev, story) or guess
        sign = sign or _nothing_at_all(ev, story, losses) or _worse_than_begun(ev, story, losses)
        sign = sign or _gave_back(ev, story, losses) or _found_nothing(ev, story, losses)
        sign = sign or _knows_frequencies(ev, story, losses) or _right_by_chance(ev, story, losses)
        sign = sign or _held_out(ev, story, losses) or _guesses_alone(ev, story, losses)
        sign = sign or _never_rewarded(ev, story, losses)
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
            return CannotDecide(
                because="No loss was reported, so whether the model learned is not known.",
                missing=("training progress with a loss",),
                warnings=warnings,
            )
        went = f"{losses.head:.4g} to {losses.tail:.4g}"
        beside = any(series(story, column) for column in _BESIDE)
        if not losses.fell and not beside and len(losses.finite) >= ev.threshold("e1.plateau_losses"):
            return CannotDecide(
                because=f"The loss is finite, but did not fall: it went from {went}.",
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


def _numeric(ev: Evidence, story: Story, losses: Curve, crash: Crash | None) -> _Sign | None:
    if losses.bad_at_end:
        row = _first_rank(story, losses.first_of_the_bad_end)
        what = "loss" if row["loss"] is not None and not math.isfinite(row["loss"]) else "loss or gradient norm"
        column = "loss" if what == "loss" else "grad_norm"
        return _Sign("nan", f"the {what} is NaN or infinite", row, "fact_steps", column, decisive=True)
    back = losses.hardly_back
    if back is not None and back[0] >= _LONG_LOST * back[1] and back[0] >= ev.threshold("e1.guessing_reports"):
        row = losses.frame.row(len(losses.bad) - sum(back), named=True)
        text = f"the loss is no number in {back[0]} reports in a row, all but the last {back[1]} of the run"
        return _Sign("nan", text, row, "fact_steps", "loss" if row["loss"] is not None else "grad_norm", decisive=False)
    collapsed = next((row for row in story.of(Kind.LOSS_SCALE_COLLAPSE) if row["role"] != "progress"), None)
    if collapsed is not None:
        text = "the fp16 loss scale fell to its minimum"
        return _Sign("loss_scale", text, collapsed, "fact_events", "text", decisive=True)
    if crash is not None:
        mode = "loss_scale" if re.search("(?:loss|grad)[_ ]scale", str(crash.speaking["message"])) else "nan"
        return _Sign(mode, crash.title, crash.speaking, "fact_exceptions", "message", decisive=True)
    if (skipped := losses.skipped) is not None and skipped.height >= ev.threshold("e1.least_third"):
        row = losses.first_skipped or skipped.row(0, named=True)
        text = f"every step is skipped, and the loss scale stands at {skipped['loss_scale'][-1]:g}"
        return _Sign("loss_scale", text, row, "fact_steps", "loss_scale", decisive=True)
    lowered = _lowered(story, losses)
    if len(lowered) >= ev.threshold("e1.least_third"):
        further = " and further" if lowered[-1]["num"] < lowered[0]["num"] else ""
        text = f"the fp16 loss scale fell to {lowered[0]['num']:g}{further}, and every step is skipped"
        return _Sign("loss_scale", text, lowered[0], "fact_events", "num", decisive=True)
    if (sinking := losses.sinking) is not None:
        text = f"the fp16 loss scale fell to {sinking['loss_scale'][-1]:g}, and never rose again"
        return _Sign("loss_scale", text, sinking.row(0, named=True), "fact_steps", "loss_scale", decisive=True)
    skipped_at = {(row["source"], row["line_seq"]) for row in story.of(Kind.UPDATE_SKIPPED)}
    said = [row for row in story.of(Kind.NAN_LOSS) if row["role"] == "root"]
    if losses.frame.is_empty():  # what is left out may be one batch of many
        said = [row for row in said if (row["source"], row["line_seq"]) not in skipped_at]
    later = None if losses.frame.is_empty() else losses.frame.row(-1, named=True)
    if said and (later is None or not story.earlier(said[-1], later)):
        return _Sign("nan", "NaN or infinity is reported", said[0], "fact_events", "text", decisive=True)
    return None


def _elsewhere(ev: Evidence, story: Story) -> _Sign | None:
    """A rank, seed or fold whose own loss is lost to the end, while that of another one goes on."""
    for losses in itertools.islice(gone_astray(story, ev.threshold("e1.divergence_factor")), _LOOKED_AT):
        if len(losses.finite) < ev.threshold("e1.least_third"):
            continue  # a stage of a pipeline has no loss from the start
        first = losses.frame.row(0, named=True)
        where = f"in {first['source']}" if first["rank"] is None else f"on rank {first['rank']}"
        if losses.bad_at_end:
            row = losses.first_of_the_bad_end
            return _Sign("nan", f"{where} the loss is NaN or infinite", row, "fact_steps", "loss", decisive=False)
        found = _shape(ev, losses, from_scratch=from_scratch(story))
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


def from_scratch(story: Story) -> bool:
    """True when the first report came early in a run that loaded nothing; what resumes may have learned all it can."""
    first = story.first_step or 0
    early = first <= 1 or first * 10 <= (story.last_step or 0)
    return early and not story.of(Kind.CHECKPOINT_LOADED, Kind.CHECKPOINT_LOAD_BEGIN)


def _shape(ev: Evidence, losses: Curve, *, from_scratch: bool) -> _Sign | None:
    """Divergence, a curve that climbs throughout, or one that is flat while gradients or rate are zero."""
    values, head, tail = losses.finite, losses.head, losses.tail
    if head is None or tail is None or _sought_a_rate(losses):
        return None
    if (leapt := _at_a_leap(losses)) is not None:
        return leapt
    norms = losses.frame["grad_norm"].drop_nulls().to_list()
    # A gradient of exactly zero at every report needs no long curve to be believed, where the loss stood still too.
    nothing = bool(norms) and not any(norms) and len(norms) >= ev.threshold("e1.least_third") and _flat(ev, values)
    if head <= 0 and not nothing:
        return _lost(ev, losses)
    if (
        len(values) >= ev.threshold("e1.least_losses")
        and tail > head * ev.threshold("e1.divergence_factor")
        and tail - head > least_rise(ev, values)
    ):
        told = losses.with_loss
        lowest = told.select(pl.when(pl.col("loss").is_finite()).then("loss").arg_min()).item()
        far = pl.col("loss") > head * ev.threshold("e1.divergence_factor")
        high = told[lowest or 0 :].filter(far)
        high = told.filter(far) if high.is_empty() else high
        rise = high.row(0, named=True)
        if _learns_anew(ev, high["loss"].to_list(), tail) and not _driven_out(ev, losses, rise):
            return None
        return _Sign(
            "diverged", f"the loss rose from {head:.4g} to {tail:.4g}", rise, "fact_steps", "loss", decisive=True
        )
    third = len(values) // 3
    if third >= ev.threshold("e1.least_third") and min(values[-third:]) > max(values[:third]):
        text = f"the loss climbed throughout, from {head:.4g} to {tail:.4g}"
        if min(values[:third]) <= (1 - ev.threshold("e1.learned")) * statistics.median(values[:_FIRST]):
            if (lost := _lost(ev, losses)) is not None:
                return lost
            low, later = min(values[:third]), min(values[-third:])
            text = f"the loss came down to {low:.4g} at first, and lay no lower than {later:.4g} in its last third"
        return _Sign(
            "not_learning", text, losses.with_loss.row(third, named=True), "fact_steps", "loss", decisive=False
        )
    rates = losses.frame["lr"].drop_nulls().to_list()
    still = bool(rates) and max(rates) <= ev.threshold("e1.dead_rate")
    pushed = not norms or max(norms) > ev.threshold("e1.dead_gradient")
    enough = third >= ev.threshold("e1.least_third")
    stopped = still and len(rates) >= _ZEROS and _flat(ev, values)
    if nothing or stopped or ((still or not pushed) and enough and _unmoved(ev, values)):
        why = "gradients of zero"
        if still:
            why = f"a learning rate of {f'at most {max(rates):.3g}' if any(rates) else 'zero'}"
        text = f"the loss stayed at {statistics.median(values):.4g} with {why} throughout"
        row = losses.with_loss.row(0, named=True)
        return _Sign("not_learning", text, row, "fact_steps", "loss", decisive=True)
    if (stopped_at := _rate_gone(ev, losses)) is not None:
        return stopped_at
    if (skipped := _overflows(ev, losses)) is not None:
        return skipped
    if (frozen := _frozen(ev, losses, from_scratch=from_scratch)) is not None:
        return frozen
    # The mean of an epoch tells it where batches come in another order each time.
    means = losses.numbers.filter(pl.col("kind") == str(Kind.EPOCH))
    if 0 < means.height < losses.numbers.height and (
        (frozen := _frozen(ev, Curve(means), from_scratch=from_scratch)) is not None
    ):
        return frozen
    if (wild := _wild(ev, losses)) is not None:
        return wild
    if (lost := _lost(ev, losses)) is not None:
        return lost
    if from_scratch and (died := _died(ev, losses)) is not None:
        return died
    if len(values) >= (_EPOCHS if _of_epochs(losses) else ev.threshold("e1.plateau_losses")):
        middle = statistics.median(values)
        ordered, edge = sorted(values), len(values) // 20
        # Nine tenths of the reports, where the halves do not differ: of many, some lie far out by chance.
        unmoved = _unmoved(ev, values)
        kept = ordered[edge : len(ordered) - edge] if unmoved else ordered
        spread = (kept[-1] - kept[0]) / middle if middle else 0.0
        dead = still or (norms and statistics.median(norms) <= ev.threshold("e1.dead_gradient"))
        stuck = from_scratch and middle >= ev.threshold("e1.plateau_level")
        # Noise of batches hides a slow fall only where the thirds of the curve tell of none either.
        alive = ev.threshold("e1.noisy_plateau" if unmoved and level_throughout(ev, values) else "e1.plateau_spread")
        if spread <= alive and (dead or stuck):
            why = " with gradients or learning rate near zero" if dead else " from the first report to the last"
            text = f"the loss stayed at {middle:.4g}{why}"
            row = losses.with_loss.row(0, named=True)
            return _Sign("not_learning", text, row, "fact_steps", "loss", decisive=bool(dead))
    return None


def _nothing_at_all(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
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
    return _Sign("not_learning", text, row, "fact_steps", "loss", decisive=False)


def _worse_than_begun(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
    """A loss that never was better than untrained, lay far above that most of the time, and ends there.

    Nothing else that was told got better meanwhile.
    """
    values = losses.finite
    soon = len(values) // 10
    if len(values) < ev.threshold("e1.plateau_losses") or not from_scratch(story) or _sought_a_rate(losses):
        return None
    begin, rest = statistics.median(values[:_FIRST]), sorted(values[soon:])
    low, usual = rest[len(rest) // 10], statistics.median(rest)
    end = statistics.median(values[-len(values) // 3 :])
    far = max(ev.threshold("e1.climbed") * begin, begin + ev.threshold("e1.divergence_rise"))
    above = low >= _NEARLY_ALL * begin and min(usual, end) > far
    if begin <= 0 or not above or _falls(values[soon:]) or _learns_anew(ev, values[soon:], end) or _gained(story):
        return None
    row = losses.numbers.row(next(at for at, value in enumerate(values) if value >= far), named=True)
    text = f"the loss began at {begin:.4g}, was hardly ever lower, and ends at {end:.4g}"
    return _Sign("diverged", text, row, "fact_steps", "loss", decisive=False)


def _gained(story: Story) -> bool:
    """Whether anything told beside the loss was better at the end than at the beginning."""
    score = ends(series(story, "score"))
    return (score is not None and score[2] > score[0]) or _validated_better(story)


def _validated_better(story: Story) -> bool:
    """Whether a validation loss was lower, or an accuracy higher, at the end than at the beginning."""
    validated, right = ends(series(story, "eval_loss")), ends(series(story, "accuracy"))
    return (validated is not None and validated[2] < validated[0]) or (right is not None and right[2] > right[0])


def _rewarded(story: Story) -> bool:
    """Whether what is to rise rose, and stands where it was best: the loss of who plays for it need not fall."""
    levels = ends(series(story, "score"))
    return levels is not None and levels[2] - levels[0] >= _NEARLY_ALL * (levels[1] - levels[0]) > 0


def _gave_back(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
    """A reward that had risen far, and fell back to where it began or below, for a fifth of the run and more.

    Or, where no loss is told to judge, what samples or answers were judged by.
    """
    lost = _back(series(story, "score"), rises=True)
    name, column = "reward", "score"
    if lost is None and not losses.finite:
        lost, name, column = _back(series(story, "eval_loss"), rises=False), "validation", "eval_loss"
    if lost is None and not losses.finite:
        lost, name, column = _back(series(story, "accuracy"), rises=True), "share of right answers", "accuracy"
    if lost is None:
        return None
    first, best, end, top = lost
    half, sign = (first + best) / 2, 1 if best > first else -1
    frame = story.steps.filter(pl.col(column).is_finite()).sort("line_seq", "seq", nulls_last=True)
    row = next(
        (each for each in frame[top:].iter_rows(named=True) if sign * each[column] <= sign * half),
        frame.row(-1, named=True),
    )
    text = f"the {name} had come from {first:.4g} to {best:.4g}, and fell back to {end:.4g} for good"
    return _Sign("diverged", text, row, "fact_steps", column, decisive=False)


def _back(values: list[float], *, rises: bool) -> tuple[float, float, float, int] | None:
    """First, best and last level of what was won and lost for good, and the report that begins the best part."""
    parts = 20 if len(values) >= 20 * _FIRST else 10  # of few reports, by tenths of two and more
    part, fifth = len(values) // parts, parts // 5
    if part < _FIRST - 1:
        return None
    sign = 1 if rises else -1
    levels = [sign * statistics.median(values[at : at + part]) for at in range(0, parts * part, part)]
    first, best = levels[0], max(levels)
    top = levels.index(best)
    rest = levels[-fifth:]
    noise = statistics.median(abs(high - low) for low, high in itertools.pairwise(values))
    won = best - first
    if top >= parts - fifth or won <= _FAR * noise or max(rest) > first + (1 - _NEARLY_ALL) * won:
        return None
    return sign * first, sign * best, sign * statistics.median(rest), top * part


def _found_nothing(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
    """Not one right answer to the end, of a model trained from scratch whose loss never came down either."""
    right, validated, enough = (
        series(story, "accuracy"),
        series(story, "eval_loss"),
        ev.threshold("e1.guessing_reports"),
    )
    curves = [values for values in (losses.finite, validated) if values]
    if any(right) or not from_scratch(story) or any(each != 0 for each in series(story, "score")):
        return None
    told = min(map(len, (right, *curves))) >= enough
    if not told or not all(_hardly_moved(ev, values, "e1.noisy_plateau") for values in curves):
        return None
    row = story.steps.filter(pl.col("accuracy").is_finite()).sort("line_seq", "seq", nulls_last=True).row(0, named=True)
    text = f"not one right answer in any of {len(right)} reports{', and no loss came down' if curves else ''}"
    return _Sign("not_learning", text, row, "fact_steps", "accuracy", decisive=False)


def _knows_frequencies(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
    """A language model that began as one that guesses, and soon stood, for good, where its tokens' frequencies are."""
    values = losses.finite
    rest = values[len(values) // 3 :]
    long = len(rest) >= 2 * ev.threshold("e1.plateau_losses") and (story.last_step or 0) >= _LONG_ENOUGH
    if not long or not from_scratch(story) or values[0] < ev.threshold("g1.guessing_loss") or _gained(story):
        return None
    level = statistics.median(rest)
    if level < ev.threshold("g1.frequencies_loss") or not _hardly_moved(ev, rest):
        return None
    text = f"the loss came from {values[0]:.4g} to {level:.4g} early, and stood there to the end"
    row = losses.numbers.row(len(values) // 3, named=True)
    return _Sign("not_learning", text, row, "fact_steps", "loss", decisive=False)


_LONG_ENOUGH: Final = 2000
"""Steps in which any language model learns more than how often each token comes."""


def _right_by_chance(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
    """A loss that came down to next to nothing, while answers are as seldom right as at first: it is met by a trick.

    Embeddings that are all the same meet some losses, labels that were learned by heart others.
    """
    right = series(story, "accuracy")
    if len(right) < ev.threshold("e1.guessing_reports") or not from_scratch(story) or losses.tail is None:
        return None
    level, begin = statistics.median(right), losses.finite[0]
    fell = 0 <= losses.tail <= ev.threshold("e1.lost") * begin
    if not fell or not 0 < level <= _SELDOM or max(right[len(right) // 10 :]) > 2 * level:
        return None
    if not level_throughout(ev, [-value for value in right], _SURE):
        return None
    row = story.steps.filter(pl.col("accuracy").is_finite()).sort("line_seq", "seq", nulls_last=True).row(0, named=True)
    text = f"the loss came from {begin:.4g} to {losses.tail:.4g}, and {level:.3g} of the answers are right, as at first"
    return _Sign("not_learning", text, row, "fact_steps", "accuracy", decisive=False)


_SELDOM: Final = 0.15
"""A share of right answers that is no more than guessing among a few classes."""


_FAR: Final = 5
"""How many times the usual step between reports a reward has to have risen."""


def _held_out(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
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
        return _Sign("nan", "the validation loss is NaN or infinite", row, "fact_steps", "eval_loss", decisive=True)
    found = _guesses(ev, story, held) or _shape(ev, held, from_scratch=from_scratch(story))
    if found is None or (found.mode == "not_learning" and not _unmoved(ev, held.finite)):
        return None
    right = ends(series(story, "accuracy"))
    if found.mode == "diverged" and not ((right is None or right[2] <= right[0]) and _at_once(held.finite)):
        return None
    sure = found.decisive and found.mode == "not_learning"
    return replace(found, text=f"in validation, {found.text}", column="eval_loss", decisive=sure)


def _at_once(values: list[float]) -> bool:
    """Whether a loss came from next to its lowest to next to where it ended within a twentieth of the reports."""
    best, end = min(values), statistics.median(values[-max(_FIRST, len(values) // 10) :])
    lowest = values.index(best)
    high = next((at for at in range(lowest, len(values)) if values[at] >= best + _NEARLY_ALL * (end - best)), None)
    if high is None or end <= best:
        return False
    low = max(at for at in range(lowest, high) if values[at] <= best + (1 - _NEARLY_ALL) * (end - best))
    return high - low <= max(_FIRST, len(values) // 20)


def _guesses_alone(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
    """Answers as often right as by guessing among a usual number of classes, to the end, where no loss is told."""
    right = series(story, "accuracy")
    if losses.finite or series(story, "eval_loss") or len(right) < _MANY or not from_scratch(story):
        return None
    level = statistics.median(right)
    classes = next((usual for usual in (10, 100, 1000) if abs(level * usual - 1) <= _NEARLY), None)
    if classes is None or max(right) > 2 * level or not level_throughout(ev, [-value for value in right], _SURE):
        return None
    row = story.steps.filter(pl.col("accuracy").is_finite()).sort("line_seq", "seq", nulls_last=True).row(0, named=True)
    text = f"{level:.3g} of the answers are right throughout, which is guessing among {classes}"
    return _Sign("not_learning", text, row, "fact_steps", "accuracy", decisive=False)


_MANY: Final = 20
"""Reports of a share of right answers that did not rise by no chance."""
_NEARLY: Final = 0.05


def _never_rewarded(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
    """The very same reward, nothing or less, in each of many reports: what there is to reach was never reached."""
    scores = series(story, "score")
    if len(scores) < 2 * ev.threshold("e1.plateau_losses") or len(set(scores)) > 1 or scores[0] > 0:
        return None
    if losses.fell or _validated_better(story):
        return None
    row = story.steps.filter(pl.col("score").is_finite()).sort("line_seq", "seq", nulls_last=True).row(0, named=True)
    text = f"the reward is {scores[0]:.4g} in all of {len(scores)} reports"
    return _Sign("not_learning", text, row, "fact_steps", "score", decisive=False)


def _sought_a_rate(losses: Curve) -> bool:
    """Whether the rate was multiplied by the same factor at each report, from next to nothing on: its loss has to rise.

    A search for the best rate goes on until the loss is lost.
    """
    rates = losses.frame["lr"].drop_nulls().to_list()
    if len(rates) < max(_SOUGHT, losses.frame.height) or not 0 < rates[0] <= _NOTHING:
        return False
    factors = [high / low if low > 0 else 0.0 for low, high in itertools.pairwise(rates)]
    return min(factors) > 1 and max(factors) - 1 <= 1.5 * (min(factors) - 1) and rates[-1] >= _DECADES * rates[0]


_SOUGHT: Final = 20
_NOTHING: Final = 1e-5
_DECADES: Final = 1e4


def _unrewarded(ev: Evidence, story: Story) -> _Sign | None:
    """A policy whose learning rate was nothing throughout, and whose reward stands where it began."""
    told = rated(story).filter(pl.col("score").is_finite())
    rates, scores = told["lr"].drop_nulls(), told["score"].to_list()
    highest = rates.max()
    if len(rates) < len(scores) or len(scores) < ev.threshold("e1.plateau_losses") or not isinstance(highest, float):
        return None
    if highest > ev.threshold("e1.dead_rate") or not level_throughout(ev, [-score for score in scores], _SURE):
        return None
    text = f"the reward stayed at {statistics.median(scores):.4g} with a learning rate of {highest:.3g} throughout"
    return _Sign("not_learning", text, told.row(0, named=True), "fact_steps", "lr", decisive=True)


_SURE: Final = 3
"""Errors of a median by which a reward has to rise before it is said to have risen."""


def _guesses(ev: Evidence, story: Story, losses: Curve) -> _Sign | None:
    """A classifier that was trained from scratch and never got beyond guessing, or that fell back to it for good."""
    chance = at_chance(ev, story, losses, ended=planned_end(ev, story) is not None)
    if chance is None or not (chance.since or from_scratch(story)):
        return None
    went = "came to stand" if chance.since else "stayed"
    text = f"the loss {went} at {chance.loss:.4g}, which is guessing among {chance.classes}"
    if chance.accuracy is not None:
        text += f", and {chance.accuracy:.3g} of the answers were right"
    row = losses.numbers.row(chance.since, named=True)
    return _Sign("not_learning", text, row, "fact_steps", "loss", decisive=chance.accuracy is not None)


def _overflows(ev: Evidence, losses: Curve) -> _Sign | None:
    """Gradients that are infinite at every report up to the end, while the loss stands: no step is taken any more.

    One alone is an overflow of fp16, after which the loss scale is lowered and the next step is taken.
    """
    told = losses.frame.filter(pl.col("loss").is_finite() & pl.col("grad_norm").is_not_null())
    usual = told.select(pl.col("grad_norm").is_finite().arg_true().max()).item()
    rest = told[0 if usual is None else usual + 1 :]
    values = rest["loss"].to_list()
    if len(values) < _SKIPPED * ev.threshold("e1.least_third") or not _unmoved(ev, values):
        return None
    text = (
        f"the gradients overflow at every report up to the end, and the loss stands at {statistics.median(values):.4g}"
    )
    return _Sign("loss_scale", text, rest.row(0, named=True), "fact_steps", "grad_norm", decisive=True)


_SKIPPED: Final = 2
"""How many times the reports of a third: of few, chance may make some overflow in a row."""


def _rate_gone(ev: Evidence, losses: Curve) -> _Sign | None:
    """A learning rate of exactly 0 from some report to the end, for most of the run, in which no loss moved.

    Few printed digits make a small rate 0, too: it had been told far below its highest before.
    """
    told = losses.numbers.filter(pl.col("lr").is_not_null())
    rates = told["lr"].to_list()
    since = next((len(rates) - at for at, rate in enumerate(reversed(rates)) if rate != 0), 0)
    rest = told["loss"].to_list()[since:]
    positive = [rate for rate in rates[:since] if rate > 0]
    if not positive or len(rest) < max(since, ev.threshold("e1.plateau_losses")):
        return None
    if min(positive[positive.index(max(positive)) :]) > _RATE_LEFT * max(positive) or not _unmoved(ev, rest):
        return None
    text = f"the learning rate is exactly 0 in the last {len(rest)} of {len(rates)} reports, and the loss stayed at"
    row = told.row(since, named=True)
    return _Sign("not_learning", f"{text} {statistics.median(rest):.4g}", row, "fact_steps", "loss", decisive=False)


_RATE_LEFT: Final = 0.1


def _frozen(ev: Evidence, losses: Curve, *, from_scratch: bool) -> _Sign | None:
    """The same loss to four digits and more at every report: data and chance move what any weights give.

    Or at every report of the second half and more, after it had been clearly lower.
    """
    values = losses.finite
    last, least = values[-1], ev.threshold("e1.least_third")
    since = next((len(values) - at for at, value in enumerate(reversed(values)) if value != last), 0)
    digits = len(f"{last:.12g}".replace(".", "").lstrip("0"))
    if len(values) - since < least or digits < _DIGITS or last < ev.threshold("e1.plateau_level"):
        return None
    if since == 0 and from_scratch:
        text = f"all {len(values)} reports tell the same loss, {last:.6g}"
    elif 0 < 2 * since <= len(values) and min(values[:since]) <= (1 - ev.threshold("e1.learned")) * last:
        text = f"the last {len(values) - since} reports tell the same loss, {last:.6g}, after {min(values[:since]):.4g}"
    else:
        return None
    row = losses.numbers.row(since, named=True)
    return _Sign("not_learning", text, row, "fact_steps", "loss", decisive=False)


_DIGITS: Final = 4


def _lost(ev: Evidence, losses: Curve) -> _Sign | None:
    """A loss that had fallen, and then rose for good: nearly to where it began, or to several times its lowest.

    Told by medians of stretches of equal length, so that no spike and no lucky batch counts; a run that falls again is
    on its way back, or learns something else.
    """
    values = losses.finite
    long = max(int(ev.threshold("e1.least_third")), len(values) // 50)
    if len(values) < ev.threshold("e1.plateau_losses") or len(values) < 5 * long:
        return _beyond_all(ev, losses)
    levels = [statistics.median(values[at : at + long]) for at in range(0, len(values) - long + 1, long)]
    if losses.head is not None and losses.head <= 0:  # what policies minimise may climb while they learn
        return _stays_high(ev, losses, levels, long)
    return _stays_high(ev, losses, levels, long) or _climbs(ev, losses, levels, long) or _swings(ev, losses)


def _beyond_all(ev: Evidence, losses: Curve) -> _Sign | None:
    """Of few reports: the last ones all lie above every one before, several times the lowest, and do not fall."""
    values = losses.finite
    if not ev.threshold("e1.least_third") <= len(values) < ev.threshold("e1.plateau_losses"):
        return None
    if (back := _back_of_few(ev, losses) or _climbs_of_few(ev, losses)) is not None:
        return back
    best = min(values)
    since = next((at for at in range(values.index(best) + 1, len(values)) if min(values[at:]) > max(values[:at])), 0)
    rest = values[since:]
    enough = since >= _FIRST and len(rest) >= _FIRST and rest[-1] >= _NEARLY_ALL * max(rest)
    far = best > 0 and min(rest) >= ev.threshold("e1.divergence_factor") * best
    if not (enough and far) or min(rest) - best <= least_rise(ev, values):
        return None
    text = f"the loss had come down from {values[0]:.4g} to {best:.4g}, rose beyond that, and stayed at {rest[-1]:.4g}"
    return _Sign("diverged", text, losses.numbers.row(since, named=True), "fact_steps", "loss", decisive=False)


_NEARLY_BACK: Final = 0.3
"""Part of what had been learned that may be left where few reports tell that the rest was lost."""


def _back_of_few(ev: Evidence, losses: Curve) -> _Sign | None:
    """Of few reports: the last third and more stand nearly where the first one did, after it had clearly come down."""
    values = losses.finite
    begin, best = values[0], min(values)
    learned = begin - best
    high = begin - _NEARLY_BACK * learned
    since = next((at for at in range(values.index(best) + 1, len(values)) if min(values[at:]) >= high), len(values))
    rest = values[since:]
    down = sum(value <= best + (1 - ev.threshold("e1.lost")) * learned for value in values[:since])
    clearly = best > 0 and learned >= ev.threshold("e1.learned") * begin and learned > least_rise(ev, values)
    least = _FEW_EPOCHS if _of_epochs(losses) else ev.threshold("e1.least_third")
    long = len(rest) >= least and 3 * len(rest) >= len(values)
    if not (clearly and long) or down < _FIRST or _falls(rest):
        return None
    text = f"the loss had come down from {begin:.4g} to {best:.4g}, rose again, and stayed at {rest[-1]:.4g}"
    return _Sign("diverged", text, losses.numbers.row(since, named=True), "fact_steps", "loss", decisive=False)


def _of_epochs(losses: Curve) -> bool:
    """Whether each report is of a whole epoch, and so of very many steps."""
    return bool((losses.numbers["kind"] == "epoch").all())


_EPOCHS: Final = 24
_FEW_EPOCHS: Final = 4


def _climbs_of_few(ev: Evidence, losses: Curve) -> _Sign | None:
    """Of few reports: from its lowest on the loss only climbed, for a quarter of them and more, and gave back half."""
    values = losses.finite
    begin, best = values[0], min(values)
    rest = values[len(values) - 1 - values[::-1].index(best) :]
    third, rise = len(rest) // 3, rest[-1] - best
    learned = begin - best
    clearly = best > 0 and learned >= ev.threshold("e1.learned") * begin and rise > least_rise(ev, values)
    far = rise >= ev.threshold("e1.lost") * learned and rest[-1] >= ev.threshold("e1.climbed") * best
    if not (clearly and far) or third < _FIRST or 4 * len(rest) < len(values):
        return None
    parts = [rest[:third], rest[third:-third], rest[-third:]]
    if not all(max(low) < min(high) for low, high in itertools.pairwise(parts)):
        return None
    text = f"the loss had come down from {begin:.4g} to {best:.4g}, and climbed from there to {rest[-1]:.4g}"
    row = losses.numbers.row(len(values) - len(rest), named=True)
    return _Sign("diverged", text, row, "fact_steps", "loss", decisive=False)


def _validated_since(story: Story, row: Row) -> bool:
    """Whether validation was better to the end than ever before a rise: then what training measures is another loss.

    Mixed or smoothed labels, dropout and harder data raise the loss of training alone.
    """
    for column, sign in (("eval_loss", -1), ("accuracy", 1)):
        told = story.steps.filter(pl.col(column).is_finite() & pl.col("step").is_not_null())
        before = told.filter(pl.col("step") <= row["step"])[column] * sign if row["step"] is not None else None
        if before is None or len(before) < _FIRST or story.last_step is None:
            continue
        after = told.filter(pl.col("step") > row["step"]).sort("step")
        late = after.filter(2 * pl.col("step") > row["step"] + story.last_step)[column] * sign
        # Nearly all of the late ones: one that is no more than lucky is not enough.
        if len(late) >= _FIRST and late.quantile(1 - _NEARLY_ALL, "lower") > before.max():  # type: ignore[operator]
            return True
    return False


def above_its_best(ev: Evidence, losses: Curve) -> tuple[float, float] | None:
    """Lowest and last level of a loss that ends well above its lowest, and does not fall; None where it does not.

    By the upper quartiles of tenths, so that a loss that swings ever wider counts as well.
    """
    values = losses.finite
    tenth = len(values) // 10
    if len(values) < ev.threshold("e1.plateau_losses"):
        return None
    levels = [sorted(values[at : at + tenth])[3 * tenth // 4] for at in range(0, tenth * 10, tenth)]
    best, end = min(levels), levels[-1]
    if end < ev.threshold("g1.above_best") * best or end - best <= least_rise(ev, values):
        return None
    after = values[(levels.index(best) + 1) * tenth :]
    return None if _falls(after) or _learns_anew(ev, after, end) else (best, end)


def least_rise(ev: Evidence, values: list[float]) -> float:
    """How far a loss has to rise to be lost: half of where it began, where that is small and most of it had gone.

    What hardly came down, or lies on either side of zero, has no scale of its own that tells a rise from a whim.
    """
    least, begin, long = ev.threshold("e1.divergence_rise"), statistics.median(values[:_FIRST]), len(values) // 20
    if long < 1 or min(values) <= 0 or begin >= 2 * least:
        return least
    long = max(_FIRST, long)
    lowest = min(statistics.median(values[at : at + long]) for at in range(0, len(values) - long + 1, long))
    return begin / 2 if lowest <= begin / 4 else least


def _stays_high(ev: Evidence, losses: Curve, levels: list[float], long: int) -> _Sign | None:
    """A loss that jumped up and stayed; ``levels`` are medians of ``long`` reports each."""
    values = losses.finite
    begin, best, end = statistics.median(values[:_FIRST]), min(levels[:-1]), statistics.median(values[-long:])
    rise, learned = end - best, begin - best
    if min(begin, losses.head or 0.0) > 0:
        anew = learned >= ev.threshold("e1.learned") * begin and rise >= ev.threshold("e1.lost") * learned
    else:  # below zero no level says how much was learned: what counts is how far that is beyond the noise
        noise = statistics.median(abs(high - low) for low, high in itertools.pairwise(values))
        anew = learned > _FAR * noise and rise >= max(ev.threshold("e1.lost"), _NEARLY_ALL) * learned
    several = best > 0 and end >= ev.threshold("e1.divergence_factor") * best
    if not (anew or several) or rise <= least_rise(ev, values):
        return None
    steps = [abs(high - low) for low, high in itertools.pairwise(levels)]
    if len(steps) >= _TENTHS and rise <= _FAR * statistics.median(steps):
        return None  # of so many levels some lie as far apart by the noise of batches
    since = max(at for at, level in enumerate(levels) if level <= best + rise / 2) + 1
    high = values[since * long :]
    high = high[next((at for at, value in enumerate(high) if value > best + rise / 2), 0) :]
    # Of what lies above half of the rise nearly all must: a loss that jumps up and down does not stand there.
    if len(high) < long or sum(value > best + rise / 2 for value in high) < _NEARLY_ALL * len(high):
        return None
    if _learns_anew(ev, high, end) or _falls(high) or _by_stages(values, rise):
        return None
    row = losses.numbers.row(len(values) - len(high), named=True)
    text = f"the loss had come down from {begin:.4g} to {best:.4g}, rose again, and stayed at {end:.4g}"
    return _Sign("diverged", text, row, "fact_steps", "loss", decisive=True)


def _climbs(ev: Evidence, losses: Curve, levels: list[float], long: int) -> _Sign | None:
    """A loss that from its lowest on climbs to the end, through a quarter of the run and more."""
    lowest = levels.index(min(levels))
    risen, values = levels[lowest:], losses.finite[lowest * long :]
    third = len(values) // 3
    if len(risen) * 4 < len(levels) or third < ev.threshold("e1.least_third"):
        return None
    parts = [values[:third], values[third : 2 * third], values[2 * third :]]
    climbs = all(statistics.median(low) < statistics.median(high) for low, high in itertools.pairwise(parts))
    apart = min(parts[2]) > max(statistics.median(parts[0]), min(parts[0]))
    rise = levels[-1] - levels[lowest]
    far = rise > least_rise(ev, losses.finite) and levels[-1] >= ev.threshold("e1.climbed") * levels[lowest]
    if levels[lowest] <= 0:  # no multiple tells how far that is: as far as it had come down
        far = far and rise >= _NEARLY_ALL * (levels[0] - levels[lowest])
    if not (climbs and apart and far):
        return None
    if _by_stages(values, rise):
        return None
    row = losses.numbers.row(lowest * long, named=True)
    text = f"the loss climbed from {levels[lowest]:.4g} to {levels[-1]:.4g}, and to the end"
    return _Sign("diverged", text, row, "fact_steps", "loss", decisive=False)


def _swings(ev: Evidence, losses: Curve) -> _Sign | None:
    """A loss that from its calmest tenth on swings ever wider, or as wide as ever, nearly all of it far above that."""
    values = losses.finite
    tenth = len(values) // 10
    tenths = [sorted(values[at : at + tenth]) for at in range(0, tenth * 10, tenth)]
    upper, lower = [each[3 * tenth // 4] for each in tenths], [each[tenth // 4] for each in tenths]
    calm = upper.index(min(upper))
    best, after = upper[calm], values[(calm + 1) * tenth :]
    part = len(after) // 3
    parts = [sorted(after[at : at + part])[3 * part // 4] for at in range(0, 3 * part, part)] if part >= tenth else []
    wider = bool(parts) and all(high > low for low, high in itertools.pairwise((best, *parts)))
    # Or as far from its first swing on: one that falls back is on its way.
    usual = [statistics.median(after[at : at + part]) for at in range(0, 3 * part, part)] if parts else []
    on = bool(parts) and min(usual) >= ev.threshold("e1.climbed") * best and parts[-1] >= _NEARLY_ALL * max(parts)
    how = "ever wider" if wider else "far above it to the end"
    far = best > 0 and upper[-1] >= ev.threshold("e1.divergence_factor") * best
    beyond = len(tenths) - calm > _SEVERAL and min(upper[calm + 1 :]) > statistics.median(values[:_FIRST])
    least = least_rise(ev, values)
    if beyond and far and upper[-1] - best > least:
        how = "again and again beyond where it had begun, to the end"  # whatever lies between
    elif not ((wider or on) and far) or lower[-1] < best or upper[-1] - best <= least:
        return None
    since = next(at for at in range(calm * tenth, len(values)) if values[at] >= ev.threshold("e1.climbed") * best)
    text = f"the loss had come down to {best:.4g}, and swings {how}, up to {max(values[-tenth:]):.4g}"
    return _Sign("diverged", text, losses.numbers.row(since, named=True), "fact_steps", "loss", decisive=False)


_FIRST: Final = 3
"""Reports whose median says where a loss began."""
_NEARLY_ALL: Final = 0.9
_TENTHS: Final = 10


_SEVERAL: Final = 3
"""Tenths of a run in which a loss that leaps cannot be on its way back any more."""


def _falls(high: list[float]) -> bool:
    """Whether what rose has been falling ever since, however slowly: its last third lies below all of its first."""
    third = len(high) // 3
    return third > 1 and max(high[-third:]) < min(high[:third])


def _died(ev: Evidence, losses: Curve) -> _Sign | None:
    """A loss that fell at first and then stands, far from learnt, with gradients that vanished for most of the run."""
    told = losses.with_loss.filter(pl.col("loss").is_finite())
    rest = told[told.height // 3 :]
    values, norms = rest["loss"].to_list(), rest["grad_norm"].drop_nulls().to_list()
    if len(values) < ev.threshold("e1.plateau_losses") or not norms:
        return None
    early = told["grad_norm"][: told.height // 3].median()
    usual = float(early) if isinstance(early, int | float) else 0.0
    vanished = max(ev.threshold("e1.dead_gradient"), ev.threshold("e1.vanished_gradient") * usual)
    dead, level = sorted(norms)[3 * len(norms) // 4] <= vanished, statistics.median(values)
    if not dead or level < ev.threshold("e1.plateau_level") or not _unmoved(ev, values):
        return None
    text = f"the loss stopped at {level:.4g} with vanished gradients"
    return _Sign("not_learning", text, rest.row(0, named=True), "fact_steps", "loss", decisive=True)


def _at_a_leap(losses: Curve) -> _Sign | None:
    """A loss that left its first report by a factor beyond all batches, and never came near it again."""
    values = losses.finite
    rest = values[_FIRST:]
    if len(rest) < _TENTHS or values[0] <= 0 or min(rest) < max(_BEYOND_ALL * values[0], _BEYOND_LEVEL):
        return None
    text = f"the loss leapt from {values[0]:.4g} to {max(values):.4g} at once, and ended at {rest[-1]:.4g}"
    return _Sign("diverged", text, losses.numbers.row(1, named=True), "fact_steps", "loss", decisive=False)


_BEYOND_ALL: Final = 10_000
_BEYOND_LEVEL: Final = 1000.0


def _wild(ev: Evidence, losses: Curve) -> _Sign | None:
    """A language model that ends far worse than guessing, under a learning rate at which no weight can settle."""
    rates = losses.frame["lr"].drop_nulls().to_list()
    least, rate = ev.threshold("e1.beyond_guessing"), max(rates, default=0.0)
    last = losses.finite[-max(1, len(losses.finite) // 3) :]
    speaks = set(losses.frame["framework"].to_list()) <= LANGUAGE
    if not speaks or rate < ev.threshold("e1.wild_rate") or min(last, default=0.0) < least:
        return None
    text = (
        f"the loss stayed above {min(last):.4g} at a learning rate of {rate:.4g}, worse than guessing among all words"
    )
    row = losses.with_loss.filter(pl.col("loss") >= least).row(0, named=True)
    return _Sign("diverged", text, row, "fact_steps", "loss", decisive=False)


_ERRORS: Final = 1.5


def _unmoved(ev: Evidence, values: list[float]) -> bool:
    """True when the halves of the curve differ by less than reports between them: a rate of 0 may be a rounded one."""
    half, ordered = len(values) // 2, sorted(values)
    spread = ordered[3 * len(values) // 4] - ordered[len(values) // 4]
    return (
        _flat(ev, values)
        or abs(statistics.median(values[half:]) - statistics.median(values[:half]))
        <= ev.threshold("e1.unmoved_share") * spread
    )


def _hardly_moved(ev: Evidence, values: list[float], within: str = "e1.plateau_spread") -> bool:
    """True when the thirds of a curve stand within some hundredths of each other, and chance explains any fall."""
    third, level = len(values) // 3, statistics.median(values)
    moved = abs(statistics.median(values[:third]) - statistics.median(values[-third:]))
    return moved <= ev.threshold(within) * level and level_throughout(ev, values, _SURE)


def level_throughout(ev: Evidence, values: list[float], errors: float = _ERRORS) -> bool:
    """True when the first third of a curve lies no higher than the last, but for what chance leaves to a median.

    Args:
        ev: The evidence.
        values: The losses.
        errors: How many times the error of a median a fall has to exceed: few where a failure rests on its absence,
            more where health rests on it.
    """
    third, ordered = len(values) // 3, sorted(values)
    spread = ordered[3 * len(values) // 4] - ordered[len(values) // 4]
    fell = statistics.median(values[:third]) - statistics.median(values[-third:])
    # The error of a median of n readings is about their quartile distance over the root of n.
    return fell <= errors * spread / math.sqrt(third)


_ZEROS: Final = 5
"""Reports of a learning rate near 0 that are no warm-up's first and no schedule's last."""


def _by_stages(values: list[float], rise: float) -> bool:
    """Whether a loss rose by leaps only, of half of ``rise`` and more, and came down by most of each: a curriculum."""
    leaps = [at for at, (low, high) in enumerate(itertools.pairwise(values), 1) if high - low >= rise / 2]
    stages = [values[at:until] for at, until in itertools.pairwise([*leaps, len(values)])]
    down = (stage[0] - statistics.median(stage[-max(1, len(stage) // 3) :]) for stage in stages)
    up = (values[at] - values[at - 1] for at in leaps)
    return len(leaps) > 1 and all(fell >= rose / 2 for fell, rose in zip(down, up, strict=True)) and _falls(stages[-1])


def _flat(ev: Evidence, values: list[float]) -> bool:
    return max(values) - min(values) <= ev.threshold("e1.plateau_spread") * statistics.median(values)


def _learns_anew(ev: Evidence, high: list[float], tail: float) -> bool:
    """True when the loss has been falling ever since it rose: another stage, another loss, or a way back."""
    third = len(high) // 3
    if third < ev.threshold("e1.least_third"):
        return False
    return max(high[-third:]) < min(high[:third]) and tail <= ev.threshold("e1.recovering_share") * max(high)


def _driven_out(ev: Evidence, losses: Curve, rise: Row) -> bool:
    """True where the learning rate had just become many times what it ever was: that begins no other stage."""
    before = losses.frame.filter(pl.col("seq") < rise["seq"])["lr"][:-1].drop_nulls()
    if rise["lr"] is None or len(before) < ev.threshold("e1.least_losses"):
        return False
    return bool(rise["lr"] >= _LEAP * before.max())  # type: ignore[operator]


_LEAP: Final = 10


def _checkpoint_before(story: Story, row: Row) -> str | None:
    saved = [e for e in story.of(Kind.CHECKPOINT_SAVED) if e["subject"] and story.earlier(e, row)]
    return str(saved[-1]["subject"]) if saved else None


FAMILY: Final = Divergence()
