"""What the shape of a loss curve alone tells: it diverged, it stood still, or no step was taken any more."""

from __future__ import annotations

import itertools
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._curve import Curve
from inquest.analyze.families._risen import at_a_leap, beyond_guessing, driven_out, lost_for_good
from inquest.analyze.families._signs import (
    FIRST,
    Sign,
    flat,
    halves_agree,
    learns_anew,
    least_rise,
    level_throughout,
    of_epochs,
)
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence


def shape_of(ev: Evidence, losses: Curve, *, from_scratch: bool) -> Sign | None:
    """Divergence, a curve that climbs throughout, or one that is flat while gradients or rate are zero."""
    values, head, tail = losses.finite, losses.head, losses.tail
    if head is None or tail is None or sought_a_rate(losses):
        return None
    if (leapt := at_a_leap(losses)) is not None:
        return leapt
    # A gradient of exactly zero at every report needs no long curve to be believed, where the loss stood still too.
    norms = losses.frame["grad_norm"].drop_nulls().to_list()
    nothing = bool(norms) and not any(norms) and len(norms) >= ev.threshold("e1.least_third") and flat(ev, values)
    if head <= 0 and not nothing:
        return lost_for_good(ev, losses)
    if (
        len(values) >= ev.threshold("e1.least_losses")
        and tail > head * ev.threshold("e1.divergence_factor")
        and tail - head > least_rise(ev, values)
    ):
        return _diverged(ev, losses, head, tail)
    third = len(values) // 3
    if third >= ev.threshold("e1.least_third") and min(values[-third:]) > max(values[:third]):
        return _climbed(ev, losses, head, tail)
    if (unmoved := _without_steps(ev, losses, nothing=nothing)) is not None:
        return unmoved
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
    if (wild := beyond_guessing(ev, losses)) is not None:
        return wild
    if (lost := lost_for_good(ev, losses)) is not None:
        return lost
    if from_scratch and (died := _died(ev, losses)) is not None:
        return died
    return _plateau(ev, losses, from_scratch=from_scratch)


def _diverged(ev: Evidence, losses: Curve, head: float, tail: float) -> Sign | None:
    """The rise of a loss that ended far above where it began; None where it came down again from a higher one."""
    told = losses.with_loss
    lowest = told.select(pl.when(pl.col("loss").is_finite()).then("loss").arg_min()).item()
    far = pl.col("loss") > head * ev.threshold("e1.divergence_factor")
    high = told[lowest or 0 :].filter(far)
    high = told.filter(far) if high.is_empty() else high
    rise = high.row(0, named=True)
    if learns_anew(ev, high["loss"].to_list(), tail) and not driven_out(ev, losses, rise):
        return None
    text = f"the loss rose from {head:.4g} to {tail:.4g}"
    return Sign("diverged", text, rise, "fact_steps", "loss", decisive=True)


def _climbed(ev: Evidence, losses: Curve, head: float, tail: float) -> Sign:
    """A loss whose last third lies above all of its first."""
    values, third = losses.finite, len(losses.finite) // 3
    text = f"the loss climbed throughout, from {head:.4g} to {tail:.4g}"
    if min(values[:third]) <= (1 - ev.threshold("e1.learned")) * statistics.median(values[:FIRST]):
        if (lost := lost_for_good(ev, losses)) is not None:
            return lost
        low, later = min(values[:third]), min(values[-third:])
        text = f"the loss came down to {low:.4g} at first, and lay no lower than {later:.4g} in its last third"
    return Sign("not_learning", text, losses.with_loss.row(third, named=True), "fact_steps", "loss", decisive=False)


def _without_steps(ev: Evidence, losses: Curve, *, nothing: bool) -> Sign | None:
    """A loss that stands while gradients (``nothing``: at every report) or rate are zero."""
    values, norms = losses.finite, losses.frame["grad_norm"].drop_nulls().to_list()
    rates = losses.frame["lr"].drop_nulls().to_list()
    still = _rate_is_nothing(ev, rates)
    pushed = not norms or max(norms) > ev.threshold("e1.dead_gradient")
    enough = len(values) // 3 >= ev.threshold("e1.least_third")
    stopped = still and len(rates) >= _ZEROS and flat(ev, values)
    if not (nothing or stopped or ((still or not pushed) and enough and halves_agree(ev, values))):
        return None
    why = "gradients of zero"
    if still:
        why = f"a learning rate of {f'at most {max(rates):.3g}' if any(rates) else 'zero'}"
    text = f"the loss stayed at {statistics.median(values):.4g} with {why} throughout"
    return Sign("not_learning", text, losses.with_loss.row(0, named=True), "fact_steps", "loss", decisive=True)


def _plateau(ev: Evidence, losses: Curve, *, from_scratch: bool) -> Sign | None:
    """A loss that stood from its first report to its last, of a model that had all to learn or was not pushed."""
    values, norms = losses.finite, losses.frame["grad_norm"].drop_nulls().to_list()
    if len(values) < (_EPOCHS if of_epochs(losses) else ev.threshold("e1.plateau_losses")):
        return None
    middle = statistics.median(values)
    ordered, edge = sorted(values), len(values) // 20
    # Nine tenths of the reports, where the halves do not differ: of many, some lie far out by chance.
    unmoved = halves_agree(ev, values)
    kept = ordered[edge : len(ordered) - edge] if unmoved else ordered
    spread = (kept[-1] - kept[0]) / middle if middle else 0.0
    still = _rate_is_nothing(ev, losses.frame["lr"].drop_nulls().to_list())
    dead = still or (norms and statistics.median(norms) <= ev.threshold("e1.dead_gradient"))
    stuck = from_scratch and middle >= ev.threshold("e1.plateau_level")
    # Noise of batches hides a slow fall only where the thirds of the curve tell of none either.
    alive = ev.threshold("e1.noisy_plateau" if unmoved and level_throughout(ev, values) else "e1.plateau_spread")
    if spread > alive or not (dead or stuck):
        return None
    why = " with gradients or learning rate near zero" if dead else " from the first report to the last"
    row = losses.with_loss.row(0, named=True)
    return Sign("not_learning", f"the loss stayed at {middle:.4g}{why}", row, "fact_steps", "loss", decisive=bool(dead))


def _rate_is_nothing(ev: Evidence, rates: list[float]) -> bool:
    """Whether no step of a learning rate that is told can have moved anything."""
    return bool(rates) and max(rates) <= ev.threshold("e1.dead_rate")


def sought_a_rate(losses: Curve) -> bool:
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


def _overflows(ev: Evidence, losses: Curve) -> Sign | None:
    """Gradients that are infinite at every report up to the end, while the loss stands: no step is taken any more.

    One alone is an overflow of fp16, after which the loss scale is lowered and the next step is taken.
    """
    told = losses.frame.filter(pl.col("loss").is_finite() & pl.col("grad_norm").is_not_null())
    usual = told.select(pl.col("grad_norm").is_finite().arg_true().max()).item()
    rest = told[0 if usual is None else usual + 1 :]
    values = rest["loss"].to_list()
    if len(values) < _SKIPPED * ev.threshold("e1.least_third") or not halves_agree(ev, values):
        return None
    text = (
        f"the gradients overflow at every report up to the end, and the loss stands at {statistics.median(values):.4g}"
    )
    return Sign("loss_scale", text, rest.row(0, named=True), "fact_steps", "grad_norm", decisive=True)


_SKIPPED: Final = 2
"""How many times the reports of a third: of few, chance may make some overflow in a row."""


def _rate_gone(ev: Evidence, losses: Curve) -> Sign | None:
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
    if min(positive[positive.index(max(positive)) :]) > _RATE_LEFT * max(positive) or not halves_agree(ev, rest):
        return None
    text = f"the learning rate is exactly 0 in the last {len(rest)} of {len(rates)} reports, and the loss stayed at"
    row = told.row(since, named=True)
    return Sign("not_learning", f"{text} {statistics.median(rest):.4g}", row, "fact_steps", "loss", decisive=False)


_RATE_LEFT: Final = 0.1


def _frozen(ev: Evidence, losses: Curve, *, from_scratch: bool) -> Sign | None:
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
    norms = losses.numbers["grad_norm"][since:].drop_nulls()
    # So many with no gradient at all are no printer's repetition.
    dead = len(norms) >= _DEAD and bool((norms == 0).all())
    return Sign("not_learning", text, row, "fact_steps", "loss", decisive=dead)


_DEAD: Final = 50
_DIGITS: Final = 4
_EPOCHS: Final = 24


def _died(ev: Evidence, losses: Curve) -> Sign | None:
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
    if not dead or level < ev.threshold("e1.plateau_level") or not halves_agree(ev, values):
        return None
    text = f"the loss stopped at {level:.4g} with vanished gradients"
    return Sign("not_learning", text, rest.row(0, named=True), "fact_steps", "loss", decisive=True)


_ZEROS: Final = 5
"""Reports of a learning rate near 0 that are no warm-up's first and no schedule's last."""
