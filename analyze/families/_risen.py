"""A loss that rose and did not come back: by leaps, by a climb, by swings, or to where no model can be."""

from __future__ import annotations

import itertools
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._curve import LANGUAGE, Curve
from inquest.analyze.families._signs import (
    FAR,
    FIRST,
    NEARLY_ALL,
    Sign,
    by_stages,
    falls,
    learns_anew,
    least_rise,
    of_epochs,
)

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row


def lost_for_good(ev: Evidence, losses: Curve) -> Sign | None:
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


def _beyond_all(ev: Evidence, losses: Curve) -> Sign | None:
    """Of few reports: the last ones all lie above every one before, several times the lowest, and do not fall."""
    values = losses.finite
    if not ev.threshold("e1.least_third") <= len(values) < ev.threshold("e1.plateau_losses"):
        return None
    if (back := _back_of_few(ev, losses) or _climbs_of_few(ev, losses)) is not None:
        return back
    best = min(values)
    since = next((at for at in range(values.index(best) + 1, len(values)) if min(values[at:]) > max(values[:at])), 0)
    rest = values[since:]
    enough = since >= FIRST and len(rest) >= FIRST and rest[-1] >= NEARLY_ALL * max(rest)
    far = best > 0 and min(rest) >= ev.threshold("e1.divergence_factor") * best
    if not (enough and far) or min(rest) - best <= least_rise(ev, values):
        return None
    text = f"the loss had come down from {values[0]:.4g} to {best:.4g}, rose beyond that, and stayed at {rest[-1]:.4g}"
    return Sign("diverged", text, losses.numbers.row(since, named=True), "fact_steps", "loss", decisive=False)


_NEARLY_BACK: Final = 0.3
"""Part of what had been learned that may be left where few reports tell that the rest was lost."""


def _back_of_few(ev: Evidence, losses: Curve) -> Sign | None:
    """Of few reports: the last third and more stand nearly where the first one did, after it had clearly come down."""
    values = losses.finite
    begin, best = values[0], min(values)
    learned = begin - best
    since = _above_for_good(values, begin - _NEARLY_BACK * learned)
    wide = _above_for_good(values, begin - (1 - ev.threshold("e1.lost")) * learned)
    if len(values) - wide >= ev.threshold("e1.least_third") and _steady(values[wide:], best):
        since = wide
    rest = values[since:]
    down = sum(value <= best + (1 - ev.threshold("e1.lost")) * learned for value in values[:since])
    clearly = best > 0 and learned >= ev.threshold("e1.learned") * begin and learned > least_rise(ev, values)
    least = _FEW_EPOCHS if of_epochs(losses) else ev.threshold("e1.least_third")
    long = len(rest) >= least and 3 * len(rest) >= len(values)
    if not (clearly and long) or down < FIRST or falls(rest):
        return None
    text = f"the loss had come down from {begin:.4g} to {best:.4g}, rose again, and stayed at {rest[-1]:.4g}"
    return Sign("diverged", text, losses.numbers.row(since, named=True), "fact_steps", "loss", decisive=False)


_FEW_EPOCHS: Final = 4


def _above_for_good(values: list[float], high: float) -> int:
    """From which report behind the lowest on all are this high; their number where none is."""
    begun = values.index(min(values)) + 1
    return next((at for at in range(begun, len(values)) if min(values[at:]) >= high), len(values))


def _steady(rest: list[float], best: float) -> bool:
    """Whether a loss stays where it is to within a quarter of what it lies above its best."""
    return max(rest) - min(rest) <= (min(rest) - best) / 4


def _climbs_of_few(ev: Evidence, losses: Curve) -> Sign | None:
    """Of few reports: from its lowest on the loss only climbed, for a quarter of them and more, and gave back half."""
    values = losses.finite
    begin, best = values[0], min(values)
    rest = values[len(values) - 1 - values[::-1].index(best) :]
    third, rise = len(rest) // 3, rest[-1] - best
    learned = begin - best
    clearly = best > 0 and learned >= ev.threshold("e1.learned") * begin and rise > least_rise(ev, values)
    far = rise >= ev.threshold("e1.lost") * learned and rest[-1] >= ev.threshold("e1.climbed") * best
    if not (clearly and far) or third < FIRST or 4 * len(rest) < len(values):
        return None
    parts = [rest[:third], rest[third:-third], rest[-third:]]
    if not all(max(low) < min(high) for low, high in itertools.pairwise(parts)):
        return None
    text = f"the loss had come down from {begin:.4g} to {best:.4g}, and climbed from there to {rest[-1]:.4g}"
    row = losses.numbers.row(len(values) - len(rest), named=True)
    return Sign("diverged", text, row, "fact_steps", "loss", decisive=False)


def _stays_high(ev: Evidence, losses: Curve, levels: list[float], long: int) -> Sign | None:
    """A loss that jumped up and stayed; ``levels`` are medians of ``long`` reports each."""
    values = losses.finite
    begin, best, end = statistics.median(values[:FIRST]), min(levels[:-1]), statistics.median(values[-long:])
    rise, learned = end - best, begin - best
    if min(begin, losses.head or 0.0) > 0:
        anew = learned >= ev.threshold("e1.learned") * begin and rise >= ev.threshold("e1.lost") * learned
    else:  # below zero no level says how much was learned: what counts is how far that is beyond the noise
        noise = statistics.median(abs(high - low) for low, high in itertools.pairwise(values))
        anew = learned > FAR * noise and rise >= max(ev.threshold("e1.lost"), NEARLY_ALL) * learned
    several = best > 0 and end >= ev.threshold("e1.divergence_factor") * best
    if not (anew or several) or rise <= least_rise(ev, values):
        return None
    steps = [abs(high - low) for low, high in itertools.pairwise(levels)]
    if len(steps) >= _TENTHS and rise <= FAR * statistics.median(steps):
        return None  # of so many levels some lie as far apart by the noise of batches
    since = max(at for at, level in enumerate(levels) if level <= best + rise / 2) + 1
    high = values[since * long :]
    high = high[next((at for at, value in enumerate(high) if value > best + rise / 2), 0) :]
    # Of what lies above half of the rise nearly all must: a loss that jumps up and down does not stand there.
    if len(high) < long or sum(value > best + rise / 2 for value in high) < NEARLY_ALL * len(high):
        return None
    if learns_anew(ev, high, end) or falls(high) or by_stages(values, rise):
        return None
    row = losses.numbers.row(len(values) - len(high), named=True)
    text = f"the loss had come down from {begin:.4g} to {best:.4g}, rose again, and stayed at {end:.4g}"
    return Sign("diverged", text, row, "fact_steps", "loss", decisive=True)


def _climbs(ev: Evidence, losses: Curve, levels: list[float], long: int) -> Sign | None:
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
        far = far and rise >= NEARLY_ALL * (levels[0] - levels[lowest])
    if not (climbs and apart and far):
        return None
    if by_stages(values, rise):
        return None
    row = losses.numbers.row(lowest * long, named=True)
    text = f"the loss climbed from {levels[lowest]:.4g} to {levels[-1]:.4g}, and to the end"
    return Sign("diverged", text, row, "fact_steps", "loss", decisive=False)


def _swings(ev: Evidence, losses: Curve) -> Sign | None:
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
    on = bool(parts) and min(usual) >= ev.threshold("e1.climbed") * best and parts[-1] >= NEARLY_ALL * max(parts)
    how = "ever wider" if wider else "far above it to the end"
    far = best > 0 and upper[-1] >= ev.threshold("e1.divergence_factor") * best
    beyond = len(tenths) - calm > _SEVERAL and min(upper[calm + 1 :]) > statistics.median(values[:FIRST])
    least = least_rise(ev, values)
    if beyond and far and upper[-1] - best > least:
        how = "again and again beyond where it had begun, to the end"  # whatever lies between
    elif not ((wider or on) and far) or lower[-1] < best or upper[-1] - best <= least:
        return None
    since = next(at for at in range(calm * tenth, len(values)) if values[at] >= ev.threshold("e1.climbed") * best)
    text = f"the loss had come down to {best:.4g}, and swings {how}, up to {max(values[-tenth:]):.4g}"
    return Sign("diverged", text, losses.numbers.row(since, named=True), "fact_steps", "loss", decisive=False)


_TENTHS: Final = 10


_SEVERAL: Final = 3
"""Tenths of a run in which a loss that leaps cannot be on its way back any more."""


def at_a_leap(losses: Curve) -> Sign | None:
    """A loss that left its first report by a factor beyond all batches, and never came near it again."""
    values = losses.finite
    rest = values[FIRST:]
    if len(rest) < _TENTHS or values[0] <= 0 or min(rest) < max(_BEYOND_ALL * values[0], _BEYOND_LEVEL):
        return None
    text = f"the loss leapt from {values[0]:.4g} to {max(values):.4g} at once, and ended at {rest[-1]:.4g}"
    return Sign("diverged", text, losses.numbers.row(1, named=True), "fact_steps", "loss", decisive=False)


_BEYOND_ALL: Final = 10_000
_BEYOND_LEVEL: Final = 1000.0


def beyond_guessing(ev: Evidence, losses: Curve) -> Sign | None:
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
    return Sign("diverged", text, row, "fact_steps", "loss", decisive=False)


def driven_out(ev: Evidence, losses: Curve, rise: Row) -> bool:
    """True where the learning rate had just become many times what it ever was: that begins no other stage."""
    before = losses.frame.filter(pl.col("seq") < rise["seq"])["lr"][:-1].drop_nulls()
    if rise["lr"] is None or len(before) < ev.threshold("e1.least_losses"):
        return False
    return bool(rise["lr"] >= _LEAP * before.max())  # type: ignore[operator]


_LEAP: Final = 10
