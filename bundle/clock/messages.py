"""A conversion between messages: none arrives before it was sent, which limits the difference from one side each.

`between` keeps the set of all lines that no message contradicts: its middle is the estimate, and its half width a bound
that rests on nothing else.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from inquest.bundle.clock.fit import MAX_DRIFT, Conversion, Piece

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.bundle.clock.fit import Apart, Span

_SLACK_NS: Final = 1000.0


def between(most: Sequence[Apart], least: Sequence[Apart], span: Span) -> Conversion:
    """The conversion that messages leave possible.

    Args:
        most: (time on this clock, what the other clock minus this one is at most then): a message left here, and
            arrived there no earlier; sorted, in ns; at least one.
        least: The same for messages that left there: what it is at least.
        span: First and last time of this clock that the bound must hold for.
    """
    t_0, apart_0 = most[0]
    above = [(float(t - t_0), float(apart - apart_0)) for t, apart in most]
    below = [(float(t - t_0), float(apart - apart_0)) for t, apart in least]
    edges = [float(span[0] - t_0), float(span[1] - t_0)]
    return Conversion(
        Piece(t_0 + round(begin), apart_0 + round(offset), drift, math.ceil(bound) + 1)
        for begin, offset, drift, bound in _bands(above, below, edges)
    )


def _bands(
    above: list[tuple[float, float]], below: list[tuple[float, float]], edges: list[float]
) -> list[tuple[float, float, float, float]]:
    corners = _possible(_hull(above, 1), _hull(below, -1))
    if not corners:
        # The drift changed: no one line passes between all messages.
        times = sorted(x for x, _ in above + below)
        cut = times[len(times) // 2]
        parts = [[[p for p in side if (p[0] < cut) is first] for side in (above, below)] for first in (True, False)]
        if edges[0] < cut < edges[1] and all(len(side) >= 2 for part in parts for side in part):
            before = _bands(parts[0][0], parts[0][1], [edges[0], cut])
            return before + _bands(parts[1][0], parts[1][1], [cut, edges[1]])
    slack = 0.0
    while not corners:  # few messages, or a clock that lied: give way until they agree
        slack = 2 * slack + _SLACK_NS
        corners = _possible([(x, y + slack) for x, y in above], [(x, y - slack) for x, y in below])
    ends = []
    for x in edges:
        heights = [level + slope * x for level, slope in corners]
        ends.append((min(heights), max(heights)))
    (low_0, high_0), (low_1, high_1) = ends
    begin, end = (low_0 + high_0) / 2, (low_1 + high_1) / 2
    drift = (end - begin) / (edges[1] - edges[0]) if edges[1] > edges[0] else 0.0
    return [(edges[0], begin, drift, max(high_0 - low_0, high_1 - low_1) / 2 + slack)]


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
