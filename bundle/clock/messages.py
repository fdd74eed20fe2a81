"""A conversion between messages: none arrives before it was sent, which limits the difference from one side each.

At any time the set of all lines that no message contradicts gives the least and the most that the difference can be:
the middle is the estimate, half the width its bound. It rests on nothing but how far the frequencies of two clocks may
wander meanwhile, for which the messages are asked too, those of all pairs of clocks together: a message limits the
difference of its own time closely, and that of an hour ago less.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from operator import mul
from typing import TYPE_CHECKING, Final

from inquest.bundle.clock import smooth
from inquest.bundle.clock.ends import steady_slope
from inquest.bundle.clock.fit import MAX_DRIFT, Apart, Conversion, Piece
from inquest.bundle.clock.smooth import HOUR_NS, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.bundle.clock.fit import Span

_WANDERS: Final = tuple(5e-9 * 2.0**power for power in range(13))
"""Strengths of a random walk of the difference of two frequencies that are thought of (see `smooth.WANDER`)."""
_USUAL_WANDER: Final = 1e-7
"""Before a message is seen, strengths up to this are equally likely, and above the less the greater they are."""
_BELIEVED: Final = 0.9
"""How likely the strength that is allowed for is not exceeded."""
_DEVIATIONS: Final = 2.5
"""Standard deviations of that walk which are allowed for: a message that took no time at all on its way is rare."""
_PRIOR_PAIRS: Final = 1.0
"""Pairs of clocks that weigh as much as what was thought before."""
_TAUGHT: Final = 3
"""Rounds in which pairs learn from each other."""
_SHARES: Final = (1.0, 0.6, 0.36)
"""Noise that is tried for the middle of an exchange, by that of one whose ways may divide its time anyhow."""
_MOST_READINGS: Final = 40
"""Groups of exchanges that a wander is read from: more would hardly tell more, and cost time."""
_MOST_WANDER: Final = 1e-5
"""What wanders more has lied."""
_PIECE_NS: Final = 200_000_000_000
"""Length of a piece: meanwhile a clock that wanders moves by 20 us."""
_LEAST_PIECES, _MOST_PIECES = 4, 16
_SLACK_NS: Final = 1000.0

Exchange = tuple[Apart, Apart]
_Point = tuple[float, float]


def between(exchanges: Sequence[Exchange], span: Span, wander: float) -> Conversion:
    """The conversion that messages leave possible.

    Args:
        exchanges: Of each question and its answer two limits, in ns, sorted; at least one exchange. The first is
            (time on this clock, what the other clock minus this one is at most then): a message left here, and arrived
            there no earlier. The second the same of one that left there: what it is at least.
        span: First and last time of this clock that the bound must hold for.
        wander: How far the difference of the frequencies may stray, see `wanders`.
    """
    t_0, apart_0, above, below = _limits(exchanges)
    count = min(max(_LEAST_PIECES, (span[1] - span[0]) // _PIECE_NS), _MOST_PIECES) if span[1] > span[0] else 1
    knots = [span[0] - t_0 + (span[1] - span[0]) * number / count for number in range(count + 1)]
    slack = 0.0
    bands = _bands(above, below, knots, wander)
    while bands is None:  # a frequency moved more, or a clock lied: give way until the messages agree
        if wander < _MOST_WANDER:
            wander *= 2
        else:
            slack = 2 * slack + _SLACK_NS
        bands = _bands([(x, y + slack) for x, y in above], [(x, y - slack) for x, y in below], knots, wander)
    pieces = []
    for (x, end), (band, other) in zip(pairwise(knots), pairwise(bands), strict=True):
        middle = (band[0] + band[1]) / 2
        drift = ((other[0] + other[1]) / 2 - middle) / (end - x) if end > x else 0.0
        bound = max(high - low for low, high in (band, other)) / 2 + _strayed(wander, (end - x) / 2)
        pieces.append(Piece(t_0 + math.ceil(x), apart_0 + round(middle), drift, math.ceil(bound + slack) + 1))
    return Conversion(pieces)


def wanders(pairs: Sequence[Sequence[Exchange]]) -> list[float]:
    """For each pair of clocks, by its exchanges, how far the difference of their frequencies may stray in an hour.

    Few exchanges cannot exclude much. Clocks of one job are much of a kind, so each pair's exchanges are also read as
    evidence on what is usual among the others; a pair that clearly strays more, or less, is believed.
    """
    likely = [_likely(exchanges) for exchanges in pairs]
    before = _weighed([1 / (1 + wander / _USUAL_WANDER) for wander in _WANDERS], [1.0] * len(_WANDERS))
    usual = before
    for _ in range(_TAUGHT):
        told = [_weighed(usual, of_pair) for of_pair in likely]
        usual = _weighed(
            [math.fsum(column) + _PRIOR_PAIRS * weight for *column, weight in zip(*told, before, strict=True)],
            [1.0] * len(_WANDERS),
        )
    return [_quantile(_weighed(usual, of_pair)) for of_pair in likely]


def _weighed(before: list[float], likely: list[float]) -> list[float]:
    weights = list(map(mul, before, likely))
    whole = math.fsum(weights)
    return [weight / whole for weight in weights]


def _quantile(weights: list[float]) -> float:
    """The strength that is not exceeded with the likelihood `_BELIEVED`."""
    below = 0.0
    for wander, weight in zip(_WANDERS, weights, strict=True):
        if below + weight >= _BELIEVED:
            return float(wander * 2.0 ** ((_BELIEVED - below) / weight - 1))
        below += weight
    return _WANDERS[-1]


def _likely(exchanges: Sequence[Exchange]) -> list[float]:
    """How likely each strength of `_WANDERS` makes the middles of the exchanges, by the likeliest."""
    _, _, above, below = _limits(exchanges)
    middles = sorted(
        Reading((x + x_0) / 2, (y + y_0) / 2, (y - y_0) ** 2 / 12 + 1)
        for (x, y), (x_0, y_0) in zip(above, below, strict=True)
    )
    slope = steady_slope([(middle.x, middle.y) for middle in middles])
    flat = [Reading(middle.x, middle.y - slope * middle.x, middle.variance) for middle in middles]
    count = min(len(flat), _MOST_READINGS)
    groups = [flat[len(flat) * k // count : len(flat) * (k + 1) // count] for k in range(count)]
    readings = [_together(group) for group in groups]
    logs = []
    for wander in _WANDERS:
        tried = [
            smooth.likelihood([replace(r, variance=r.variance * share**2) for r in readings], wander)
            for share in _SHARES
        ]
        best = max(tried)
        logs.append(best + math.log(math.fsum(math.exp(log - best) for log in tried)))
    best = max(logs)
    return [math.exp(log - best) for log in logs]


def _together(readings: list[Reading]) -> Reading:
    """Readings of about one time as one."""
    weights = [1 / r.variance for r in readings]
    whole = math.fsum(weights)
    x = math.fsum(w * r.x for w, r in zip(weights, readings, strict=True)) / whole
    y = math.fsum(w * r.y for w, r in zip(weights, readings, strict=True)) / whole
    return Reading(x, y, 1 / whole)


def _limits(exchanges: Sequence[Exchange]) -> tuple[int, int, list[_Point], list[_Point]]:
    """A first time and difference, and from there what the difference is at most, and at least, at which times."""
    t_0, apart_0 = exchanges[0][0]
    above = [(float(t - t_0), float(apart - apart_0)) for (t, apart), _ in exchanges]
    below = [(float(t - t_0), float(apart - apart_0)) for _, (t, apart) in exchanges]
    return t_0, apart_0, above, below


def _strayed(wander: float, apart: float) -> float:
    """How far a difference may stray from a straight line within ``apart`` ns, either way."""
    return _DEVIATIONS * wander * abs(apart) * math.sqrt(abs(apart) / HOUR_NS / 3)


def _bands(
    above: list[_Point], below: list[_Point], knots: list[float], wander: float
) -> list[tuple[float, float]] | None:
    """The least and the most that the difference can be at each of ``knots``; None where messages contradict."""
    bands = []
    for knot in knots:
        # What a message says of another time it says less surely.
        corners = _possible(
            _hull([(x - knot, y + _strayed(wander, x - knot)) for x, y in above], 1),
            _hull([(x - knot, y - _strayed(wander, x - knot)) for x, y in below], -1),
        )
        if not corners:
            return None
        levels = [level for level, _ in corners]
        bands.append((min(levels), max(levels)))
    return bands


def _hull(points: list[tuple[float, float]], side: int) -> list[tuple[float, float]]:
    """The points of ``points`` that limit a line which passes below (``side`` 1) or above (-1) all of them."""
    hull: list[tuple[float, float]] = []
    for x, y in sorted(points):
        while len(hull) >= 2:
            (x_0, y_0), (x_1, y_1) = hull[-2:]
            if side * ((x_1 - x_0) * (y - y_0) - (y_1 - y_0) * (x - x_0)) > 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _possible(above: list[tuple[float, float]], below: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Corners (level, slope) of the set of lines below all of ``above`` and above all of ``below``; empty: none."""
    high = max(y + MAX_DRIFT * abs(x) for x, y in above + below) + 1
    low = min(y - MAX_DRIFT * abs(x) for x, y in above + below) - 1
    corners = [(low, -MAX_DRIFT), (high, -MAX_DRIFT), (high, MAX_DRIFT), (low, MAX_DRIFT)]
    for points, sign in ((above, 1.0), (below, -1.0)):
        for x, y in points:
            corners = _clip(corners, x, y, sign)
            if not corners:
                return []
    return corners


def _clip(corners: list[tuple[float, float]], x: float, y: float, sign: float) -> list[tuple[float, float]]:
    """What of a convex polygon satisfies ``sign * (level + slope * x - y) <= 0``."""
    outside = [sign * (level + slope * x - y) for level, slope in corners]
    kept: list[tuple[float, float]] = []
    for at, here in enumerate(corners):
        before, d_0, d_1 = corners[at - 1], outside[at - 1], outside[at]
        if (d_0 > 0) is not (d_1 > 0):
            share = d_0 / (d_0 - d_1)
            kept.append((before[0] + share * (here[0] - before[0]), before[1] + share * (here[1] - before[1])))
        if d_1 <= 0:
            kept.append(here)
    return kept
