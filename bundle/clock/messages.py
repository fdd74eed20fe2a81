"""A conversion between messages: none arrives before it was sent, which limits the difference from one side each.

At any time the set of all lines that no message contradicts gives the least and the most that the difference can be:
the middle is the estimate, half the width its bound. It rests on nothing but how far the frequencies of two clocks may
wander meanwhile, for which the messages are asked too, so that those of an hour ago limit it less than those of now.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from inquest.bundle.clock import smooth
from inquest.bundle.clock.ends import steady_slope
from inquest.bundle.clock.fit import MAX_DRIFT, Apart, Conversion, Piece
from inquest.bundle.clock.smooth import HOUR_NS, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.bundle.clock.fit import Span

USUAL_WANDER: Final = 1e-7
"""How far the difference of two frequencies may lie off its mean, as long as messages do not show more."""
LEAST_WANDER: Final = 1e-8
"""Less than this is believed of no two oscillators, whatever the messages show."""
_MOST_WANDER: Final = 1e-5
"""What wanders more has lied."""
_DOUBT: Final = 2.0
"""Log-likelihood that a wander must lack to be excluded."""
_PIECE_NS: Final = 200_000_000_000
"""Length of a piece: meanwhile a clock that wanders moves by 20 us."""
_LEAST_PIECES, _MOST_PIECES = 4, 16
_SLACK_NS: Final = 1000.0

_SHARE: Final = 0.55
"""How far a frequency strays from its mean over a run, by how far it strays within as long."""
_FEW: Final = 8
"""Fewer exchanges do not tell how much a frequency wanders."""

Exchange = tuple[Apart, Apart]
_Point = tuple[float, float]


def between(exchanges: Sequence[Exchange], span: Span) -> Conversion:
    """The conversion that messages leave possible.

    Args:
        exchanges: Of each question and its answer two limits, in ns, sorted; at least one exchange. The first is
            (time on this clock, what the other clock minus this one is at most then): a message left here, and arrived
            there no earlier. The second the same of one that left there: what it is at least.
        span: First and last time of this clock that the bound must hold for.
    """
    t_0, apart_0 = exchanges[0][0]
    above = [(float(t - t_0), float(apart - apart_0)) for (t, apart), _ in exchanges]
    below = [(float(t - t_0), float(apart - apart_0)) for _, (t, apart) in exchanges]
    count = min(max(_LEAST_PIECES, (span[1] - span[0]) // _PIECE_NS), _MOST_PIECES) if span[1] > span[0] else 1
    knots = [span[0] - t_0 + (span[1] - span[0]) * number / count for number in range(count + 1)]
    wander, slack = _wander(above, below), 0.0
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
        bound = max(high - low for low, high in (band, other)) / 2 + wander * (end - x) / 2
        pieces.append(Piece(t_0 + math.ceil(x), apart_0 + round(middle), drift, math.ceil(bound) + 1))
    return Conversion(pieces)


def _wander(above: list[_Point], below: list[_Point]) -> float:
    """By how much the difference of the frequencies may lie off its mean, as far as the messages can tell."""
    if len(above) < _FEW:
        return USUAL_WANDER
    middles = sorted(
        Reading((x + x_0) / 2, (y + y_0) / 2, ((y - y_0) / 4) ** 2 + 1)
        for (x, y), (x_0, y_0) in zip(above, below, strict=True)
    )
    slope = steady_slope([(middle.x, middle.y) for middle in middles])
    flat = [replace(middle, y=middle.y - slope * middle.x) for middle in middles]
    share = _SHARE * math.sqrt((flat[-1].x - flat[0].x) / HOUR_NS)
    likeliest, possible = smooth.wander(flat, _DOUBT)
    # More than is usual must be seen, not only be possible.
    return max(LEAST_WANDER, min(share * possible, USUAL_WANDER), 2 * share * likeliest)


def _bands(
    above: list[_Point], below: list[_Point], knots: list[float], wander: float
) -> list[tuple[float, float]] | None:
    """The least and the most that the difference can be at each of ``knots``; None where messages contradict."""
    bands = []
    for knot in knots:
        # What a message says of another time it says less surely.
        corners = _possible(
            _hull([(x - knot, y + wander * abs(x - knot)) for x, y in above], 1),
            _hull([(x - knot, y - wander * abs(x - knot)) for x, y in below], -1),
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
