"""Whether the learning rate had come to the end of its schedule when the last report was made.

A schedule is planned for a number of steps: where the rate rose, stood and fell only, and its fall has come to its end
at the last report, the run had come to its end too. Two shapes say so. A fall that would have met zero within one more
report (linear, cosine, the decay of a plateau): an exponential or an inverse root never would, and neither would one
that was cut short. A fall that came to rest above zero, and whose halves mirror each other (a cosine to its floor).
"""

from __future__ import annotations

import bisect
import itertools
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

_ALIKE: Final = 1e-6
"""Rates are printed with few digits; closer than this they are the same."""
_LATE: Final = 10
"""A tenth of the fall: its end, by which it is told how fast it fell."""
_EARLY: Final = 0.2
"""Where a fall to zero passes half at the earliest: one minus a root at a quarter, an exponential far sooner."""
_LATEST: Final = 0.8
"""And at the latest; lines and cosines do half-way."""
_REST: Final = 0.05
"""Part of the fall that its last tenth may hold where it came to rest: a cosine's holds 2.4 %, a line's 10 %."""
_STRAIGHT: Final = 0.05
"""How much the last tenth of a line may be steeper than the whole of it, by warm-up and rounding."""
_HUNDREDTH: Final = 0.01
_POINTS: Final = 64
"""Places at which a fall is held against its mirror image."""
_FLOOR: Final = 0.5
"""Part of the highest rate above which the end of a schedule is no floor."""


def schedule_ended(ev: Evidence, reports: pl.DataFrame) -> Row | None:
    """The last of ``reports`` where the learning rate had come to the end of its schedule; None otherwise."""
    told = reports.filter(pl.col("lr").is_finite() & (pl.col("lr") >= 0))
    if told.is_empty() or _reports_after(reports, told) > _between(reports, told):
        return None
    steps = told["step"]
    counted = not steps.null_count() and bool((steps.diff() > 0).all())
    places: list[float] = (steps if counted else pl.int_range(told.height, eager=True)).cast(pl.Float64).to_list()
    fall = _fall(told["lr"].to_list(), places)
    if fall is None or len(fall[1]) <= ev.threshold("g1.rate_reports"):
        return None
    return told.row(-1, named=True) if _meets_zero(ev, *fall) or _rests(ev, *fall) else None


def _reports_after(reports: pl.DataFrame, told: pl.DataFrame) -> int:
    """Reports made after the last one that told a rate."""
    order = ["line_seq", "seq"]
    last = told.select(order).row(-1)
    after = [row for row in reports.select(order).iter_rows() if (row[0] or 0, row[1]) > (last[0] or 0, last[1])]
    return len(after)


def _between(reports: pl.DataFrame, told: pl.DataFrame) -> int:
    """Reports from one rate to the next, where not every report tells one."""
    return reports.height // told.height - 1


def _fall(rates: list[float], places: list[float]) -> tuple[float, list[float], list[float]] | None:
    """Where the highest rate was reached, then places and rates from where it was left to the end.

    None where the rate did anything but rise, stand and fall: cycles and restarts reach their lowest many times.
    """
    peak = max(rates)
    high = [at for at, rate in enumerate(rates) if rate >= peak * (1 - _ALIKE)]
    first, last = high[0], high[-1]
    rises = all(a <= b * (1 + _ALIKE) for a, b in itertools.pairwise(rates[: first + 1]))
    falls = all(b <= a * (1 + _ALIKE) for a, b in itertools.pairwise(rates[first:]))
    if peak <= 0 or not rises or not falls or rates[-1] > _FLOOR * peak:
        return None
    # What is told with few digits stands at its highest for a while: of a cosine, that is part of its fall.
    rounded = places[last] - places[first] <= (places[-1] - places[last]) / _LATE
    return places[first if rounded else last], places[last:], rates[last:]


def _meets_zero(ev: Evidence, _: float, places: list[float], rates: list[float]) -> bool:
    """Whether the rate, falling on as it last did, would have been zero within one report."""
    peak, end, length = rates[0], rates[-1], places[-1] - places[0]
    if end > ev.threshold("g1.rate_left") * peak:
        return False
    half = next(place for place, rate in zip(places, rates, strict=True) if rate <= peak / 2)
    if not _EARLY <= (half - places[0]) / length <= _LATEST:
        return False
    late = next(at for at, place in enumerate(places) if place >= places[-1] - length / _LATE)
    late = min(late, len(places) - 2)
    slope = (rates[late] - end) / (places[-1] - places[late])
    left = max(length * ev.threshold("g1.schedule_left"), places[-1] - places[-2])
    # A line may be drawn to a hundredth of its highest instead of zero.
    straight = abs(slope * length / (peak - end) - 1) <= _STRAIGHT
    met = slope * left * (1 + _STRAIGHT)
    return slope > 0 and rates[-2] > end and end - (_HUNDREDTH * peak if straight else 0.0) <= met


def _rests(ev: Evidence, began: float, places: list[float], rates: list[float]) -> bool:
    """Whether the fall came to rest at its very end, and its halves mirror each other."""
    end, depth = rates[-1], rates[0] - rates[-1]
    tail = sum(rate <= end * (1 + _ALIKE) for rate in rates)
    fallen = [(rate - end) / depth for rate in rates]
    if tail > max(2, len(rates) // _LATE) or _at(places, fallen, places[-1] - (places[-1] - began) / _LATE) > _REST:
        return False
    allowed = ev.threshold("g1.schedule_mirrored") + 1 / len(rates)
    points = [places[0] + part / _POINTS * (places[-1] - places[0]) for part in range(_POINTS + 1)]
    return all(
        abs(_at(places, fallen, point) + _at(places, fallen, began + places[-1] - point) - 1) <= allowed
        for point in points
    )


def _at(places: list[float], values: list[float], where: float) -> float:
    """The value at a place, between reports."""
    at = min(max(bisect.bisect_left(places, where), 1), len(places) - 1)
    before, after = places[at - 1], places[at]
    part = min(max((where - before) / (after - before), 0.0), 1.0)
    return values[at - 1] + part * (values[at] - values[at - 1])
