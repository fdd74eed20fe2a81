"""E1: the model did not learn: NaN, divergence, a loss scale at its floor, or a curve that never falls."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._curve import LANGUAGE, Curve, curve
from inquest.analyze.families._story import Crash, Row, Story, failing, tell, told_by
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

_ACTIONS: Final = {
    "nan": "Restart from the last checkpoint before the first NaN with a lower learning rate, clipping or bf16;"
    " check the batch of that step.",
    "diverged": "Lower the learning rate or lengthen the warm-up, and restart from a checkpoint before the rise.",
    "loss_scale": "Use bf16, or find the layer that overflows: fp16 gradients overflow at the smallest loss scale.",
    "not_learning": "Check learning rate, frozen parameters and labels: the loss does not fall.",
}


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
        sign = _numeric(story, losses, crash) or _shape(ev, losses, from_scratch=_from_scratch(story))
        warnings: tuple[str, ...] = ()
        if any(losses.bad) and not losses.bad_at_end:
            warnings = (f"{sum(losses.bad)} report(s) held NaN or infinity, and training recovered.",)
        if sign is None:
            return self._absent(story, losses, warnings)
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
        )

    @staticmethod
    def _absent(story: Story, losses: Curve, warnings: tuple[str, ...]) -> Finding:
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
        return RuledOut(
            because=f"The loss is finite and went from {losses.head:.4g} to {losses.tail:.4g}.",
            would_change_if="NaN or infinity at the end, a loss far above its start, or a curve that never falls",
            stores=(losses.store,),
            warnings=warnings,
        )


def _numeric(story: Story, losses: Curve, crash: Crash | None) -> _Sign | None:
    if losses.bad_at_end:
        row = losses.first_of_the_bad_end
        what = "loss" if row["loss"] is not None and row["loss"] != row["loss"] else "loss or gradient norm"
        column = "loss" if what == "loss" else "grad_norm"
        return _Sign("nan", f"the {what} is NaN or infinite", row, "fact_steps", column, decisive=True)
    collapsed = next((row for row in story.of(Kind.LOSS_SCALE_COLLAPSE) if row["role"] != "progress"), None)
    if collapsed is not None:
        text = "the fp16 loss scale fell to its minimum"
        return _Sign("loss_scale", text, collapsed, "fact_events", "text", decisive=True)
    if crash is not None:
        mode = "loss_scale" if "loss scale" in str(crash.speaking["message"]) else "nan"
        return _Sign(mode, crash.title, crash.speaking, "fact_exceptions", "message", decisive=True)
    said = [row for row in story.of(Kind.NAN_LOSS) if row["role"] == "root"]
    later = None if losses.frame.is_empty() else losses.frame.row(-1, named=True)
    if said and (later is None or not story.earlier(said[-1], later)):
        return _Sign("nan", "NaN or infinity is reported", said[0], "fact_events", "text", decisive=True)
    return None


def _from_scratch(story: Story) -> bool:
    """True when the first report came early in a run that loaded nothing; what resumes may have learned all it can."""
    early = (story.first_step or 0) * 10 <= (story.last_step or 0)
    return early and not story.of(Kind.CHECKPOINT_LOADED, Kind.CHECKPOINT_LOAD_BEGIN)


def _shape(ev: Evidence, losses: Curve, *, from_scratch: bool) -> _Sign | None:
    """Divergence, a curve that climbs throughout, or one that is flat while gradients or rate are zero."""
    values, head, tail = losses.finite, losses.head, losses.tail
    if head is None or tail is None or head <= 0:
        return None
    if (
        len(values) >= ev.threshold("e1.least_losses")
        and tail > head * ev.threshold("e1.divergence_factor")
        and tail - head > ev.threshold("e1.divergence_rise")
    ):
        high = losses.with_loss.filter(pl.col("loss") > head * ev.threshold("e1.divergence_factor"))
        if _learns_anew(ev, high["loss"].to_list(), tail):
            return None
        rise = high.row(0, named=True)
        return _Sign(
            "diverged", f"the loss rose from {head:.4g} to {tail:.4g}", rise, "fact_steps", "loss", decisive=True
        )
    third = len(values) // 3
    if third >= ev.threshold("e1.least_third") and min(values[-third:]) > max(values[:third]):
        text = f"the loss climbed throughout, from {head:.4g} to {tail:.4g}"
        return _Sign(
            "not_learning", text, losses.with_loss.row(third, named=True), "fact_steps", "loss", decisive=False
        )
    rates = losses.frame["lr"].drop_nulls().to_list()
    still = bool(rates) and max(rates) <= ev.threshold("e1.dead_rate")
    norms = losses.frame["grad_norm"].drop_nulls().to_list()
    pushed = not norms or max(norms) > ev.threshold("e1.dead_gradient")
    if (still or not pushed) and third >= ev.threshold("e1.least_third") and _unmoved(ev, values):
        zero = "a learning rate" if still else "gradients"
        text = f"the loss stayed at {statistics.median(values):.4g} with {zero} of zero throughout"
        row = losses.with_loss.row(0, named=True)
        return _Sign("not_learning", text, row, "fact_steps", "loss", decisive=True)
    if (wild := _wild(ev, losses)) is not None:
        return wild
    if from_scratch and (died := _died(ev, losses)) is not None:
        return died
    if len(values) >= ev.threshold("e1.plateau_losses"):
        middle = statistics.median(values)
        spread = (max(values) - min(values)) / middle if middle else 0.0
        dead = still or (norms and statistics.median(norms) <= ev.threshold("e1.dead_gradient"))
        stuck = from_scratch and middle >= ev.threshold("e1.plateau_level")
        if spread <= ev.threshold("e1.plateau_spread") and (dead or stuck):
            why = " with gradients or learning rate near zero" if dead else " from the first report to the last"
            text = f"the loss stayed at {middle:.4g}{why}"
            row = losses.with_loss.row(0, named=True)
            return _Sign("not_learning", text, row, "fact_steps", "loss", decisive=bool(dead))
    return None


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


def _unmoved(ev: Evidence, values: list[float]) -> bool:
    """True when the halves of the curve differ by less than reports between them: a rate of 0 may be a rounded one."""
    half, ordered = len(values) // 2, sorted(values)
    spread = ordered[3 * len(values) // 4] - ordered[len(values) // 4]
    flat = max(values) - min(values) <= ev.threshold("e1.plateau_spread") * statistics.median(values)
    return (
        flat
        or abs(statistics.median(values[half:]) - statistics.median(values[:half]))
        <= ev.threshold("e1.unmoved_share") * spread
    )


def _learns_anew(ev: Evidence, high: list[float], tail: float) -> bool:
    """True when the loss has been falling ever since it rose: another stage, another loss, or a way back."""
    third = len(high) // 3
    if third < ev.threshold("e1.least_third"):
        return False
    return max(high[-third:]) < min(high[:third]) and tail <= ev.threshold("e1.recovering_share") * max(high)


def _checkpoint_before(story: Story, row: Row) -> str | None:
    saved = [e for e in story.of(Kind.CHECKPOINT_SAVED) if e["subject"] and story.earlier(e, row)]
    return str(saved[-1]["subject"]) if saved else None


FAMILY: Final = Divergence()
