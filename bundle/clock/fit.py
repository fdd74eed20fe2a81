"""Lines through readings of two clocks, and what each line may be wrong by.

Two kinds of readings, two estimates:

*Ends* of one event on two clocks differ by noise that knows no limit: a few are late by a thousand times the usual.
`through` draws a line that a minority in the distance cannot move, and states a statistical bound: `CONFIDENCE`
standard errors. Where no one line fits (the frequency changed, or a wall clock stepped) it draws
several.

*Messages* cannot arrive before they were sent. `between` keeps the set of all lines that no message contradicts: its
middle is the estimate, and its half width a bound that rests on nothing else.

Pure Python, sums in the order of time: the same readings give the same line on every machine.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Reading = tuple[int, int]
    Span = tuple[int, int]

CONFIDENCE: Final = 3.1
"""Standard errors in a statistical bound: benchmarks/clock_study shows what share of nodes that covers."""
FEW: Final = 8
"""Fewer ends than this say nothing of their own noise, nor of drift."""
LATE_NS: Final = 50_000_000
"""How late a rank may see an event end, where too few ends are at hand to tell (5 % are up to 50 ms late)."""
MAX_DRIFT: Final = 1e-3
"""No two clocks drift apart faster: an oscillator errs by 100 ppm, and NTP slews by at most 500 (adjtimex(2))."""
USUAL_DRIFT: Final = 2e-4
"""Two oscillators that err by 100 ppm each."""

_MAX_PIECES: Final = 32
_LEAST: Final = 3
"""Readings that a stretch between two steps has at least."""
_MISFIT: Final = 2.5
"""Standard errors by which a quarter of the readings may lie off a line that fits."""
_GAIN: Final = 9.0
"""Log-likelihood that two lines must gain over one."""
_LEAST_DISTANCE: Final = 3
_MOST_LIKELY: Final = 7
"""Rounds of reweighting."""
_SCALE: Final = 1.25
"""Cauchy's scale by the median distance of the readings."""
_LEAST_RESPONSE: Final = 0.05
_SETTLED: Final = 1e-3
_UNSURE: Final = 13
"""So few readings double a statistical bound."""
_SLACK_NS: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Piece:
    """From ``begin`` on (to the next piece) the other clock shows ``t + offset + drift * (t - begin)`` at time ``t``.

    ``bound`` is what that may be wrong by, in ns, anywhere in the piece.
    """

    begin: int
    offset: int
    drift: float
    bound: int

    def at(self, t: int) -> int:
        """The other clock at ``t``."""
        return t + self.offset + round(self.drift * (t - self.begin))


class Conversion:
    """From the time of one clock to that of another, by pieces; the first and the last have no outer end."""

    __slots__ = ("_begins", "pieces")

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces = tuple(pieces)
        self._begins = [piece.begin for piece in self.pieces[1:]]

    def bound(self, t: int) -> int:
        """What the conversion of ``t`` may be wrong by."""
        return self.pieces[bisect_right(self._begins, t)].bound

    def usual_bound(self, span: Span) -> int:
        """The mean of that over ``span``."""
        first, last = span
        ends = (*self._begins, last)
        spans = [max(0, min(end, last) - max(piece.begin, first)) for piece, end in zip(self.pieces, ends, strict=True)]
        whole = sum(spans)
        if not whole:
            return self.bound(last)
        return sum(piece.bound * part for piece, part in zip(self.pieces, spans, strict=True)) // whole

    @property
    def breaks(self) -> tuple[int, ...]:
        """Where one piece ends and the next begins."""
        return tuple(self._begins)

    def __call__(self, t: int) -> int:
        """The other clock at ``t``."""
        return self.pieces[bisect_right(self._begins, t)].at(t)

    def back(self, other: int) -> int:
        """When this clock showed its time as the other showed ``other``; the first time, where a step repeats it."""
        for piece, end in zip(self.pieces, self._begins, strict=False):
            t = _solve(piece, other)
            if t < end:
                return t
        return _solve(self.pieces[-1], other)


def _solve(piece: Piece, other: int) -> int:
    apart = other - piece.begin - piece.offset
    return piece.begin + apart - round(apart * (piece.drift / (1 + piece.drift)))


# --- ends of events ----------------------------------------------------------------------------------------------


def through(readings: Sequence[Reading], span: Span, *, steps: bool = False) -> Conversion:
    """The conversion that ends of common events suggest.

    Args:
        readings: (time on this clock, other clock minus this one), sorted, in ns; at least one.
        span: First and last time of this clock that the bound must hold for.
        steps: Whether a clock may have been set. Nobody saw when, between two readings: there the bound is the step.
    """
    t_0, apart_0 = readings[0]
    xs = [float(t - t_0) for t, _ in readings]
    ys = [float(apart - apart_0) for _, apart in readings]
    edges = (float(span[0] - t_0), float(span[1] - t_0))
    slope = steady_slope(xs, ys) if len(xs) >= FEW else 0.0
    lines = _lines(xs, ys, slope, _MAX_PIECES, steps)
    pieces: list[Piece] = []
    at = 0
    for number, line in enumerate(lines):
        first, end = at, at + len(line.residuals)
        at = end
        # Where one line ends and the next begins was not seen: half-way between two readings, or anywhere there.
        begins = (
            edges[0]
            if number == 0
            else xs[first + _strays(line.residuals)]
            if steps
            else (xs[first - 1] + xs[first]) / 2
        )
        ends = edges[1] if end == len(xs) else xs[end - 1] if steps else (xs[end - 1] + xs[end]) / 2
        bound = math.ceil(line.bound((begins, ends)))
        if steps and number:
            before = lines[number - 1]
            # Readings beside the step that fit neither line belong to a stretch too short to be told.
            gap = xs[first - 1 - _strays(before.residuals[::-1])], xs[first + _strays(line.residuals)]
            step = max(abs(before.at(x) - line.at(x)) for x in gap)
            unseen = math.ceil(step) + max(bound, pieces[-1].bound)
            half = (gap[0] + gap[1]) / 2
            pieces.append(Piece(t_0 + int(gap[0]) + 1, apart_0 + round(before.at(gap[0])), before.slope, unseen))
            pieces.append(Piece(t_0 + int(half) + 1, apart_0 + round(line.at(half)), line.slope, unseen))
        pieces.append(Piece(t_0 + round(begins), apart_0 + round(line.at(begins)), line.slope, bound))
    return Conversion(pieces)


def _strays(residuals: Sequence[float]) -> int:
    """How many readings at the begin of a line are off by more than any event ends late; never all of them."""
    return next((at for at, r in enumerate(residuals) if abs(r) <= 2 * LATE_NS), 0)


@dataclass(frozen=True, slots=True)
class _Line:
    level: float
    slope: float
    centre: float
    weight: float  # sum of squared distances from the centre; 0: too few readings to tell
    noise: float  # what one reading adds to the standard error
    residuals: list[float]

    def at(self, x: float) -> float:
        return self.level + self.slope * x

    def bound(self, where: Iterable[float]) -> float:
        count = len(self.residuals)
        far = max(abs(x - self.centre) for x in where)
        if not self.weight:
            return LATE_NS + max(map(abs, self.residuals)) + USUAL_DRIFT * far
        error = self.noise * math.sqrt(1 / count + far * far / self.weight)
        # Few readings know their own noise badly.
        return CONFIDENCE * (1 + (_UNSURE / count) ** 2) * error + self.misfit + 1

    @property
    def misfit(self) -> float:
        """How far the quarters of the readings lie off the line: noise, or a frequency that moved."""
        quarter = len(self.residuals) // 4
        scale = _scale(self.residuals)
        parts = (self.residuals[i * quarter : (i + 1) * quarter] for i in range(4))
        whole = _off(self.residuals, scale)
        return max(abs(_off(part, scale) - whole) for part in parts)

    @property
    def fits(self) -> bool:
        """Whether the misfit is no more than noise."""
        return self.misfit <= _MISFIT * self.noise / math.sqrt(len(self.residuals) / 4) + 1


def _line(xs: Sequence[float], ys: Sequence[float], slope: float) -> _Line:
    """The most likely line if noise is Cauchy's: peaked, with tails that a few readings in the distance do not bend.

    Its standard error is that of an M-estimator, from the residuals as they are, whatever their true distribution.
    Fewer readings than `FEW` get the ``slope`` that is given.
    """
    count = len(xs)
    centre = math.fsum(xs) / count
    if count >= FEW:
        slope = steady_slope(xs, ys)
    level = _median(sorted(y - slope * x for x, y in zip(xs, ys, strict=True)))
    residuals = [y - level - slope * x for x, y in zip(xs, ys, strict=True)]
    if count < FEW:
        return _Line(level, slope, centre, 0.0, 0.0, residuals)
    # First the line of least absolute distance, which has one minimum; then downhill from there.
    for number in range(_LEAST_DISTANCE + _MOST_LIKELY):
        if number < _LEAST_DISTANCE:
            least = 0.05 * _scale(residuals)
            weights = [1 / max(abs(r), least) for r in residuals]
        else:
            if number == _LEAST_DISTANCE:
                scale = _scale(residuals)
            weights = [1 / (1 + (r / scale) ** 2) for r in residuals]
        total = math.fsum(weights)
        x_0 = math.fsum(map(mul, weights, xs)) / total
        y_0 = math.fsum(map(mul, weights, ys)) / total
        apart = [x - x_0 for x in xs]
        pull = list(map(mul, weights, apart))
        square = math.fsum(map(mul, pull, apart))
        if square <= 0:
            break
        moved = slope
        slope = (math.fsum(map(mul, pull, ys)) - y_0 * math.fsum(pull)) / square
        slope = min(max(slope, -MAX_DRIFT), MAX_DRIFT)
        level = y_0 - slope * x_0
        residuals = [y - level - slope * x for x, y in zip(xs, ys, strict=True)]
        if number > _LEAST_DISTANCE and abs(moved - slope) * (xs[-1] - xs[0]) < _SETTLED * scale:
            break
    weight = math.fsum((x - centre) ** 2 for x in xs)
    return _Line(level, slope, centre, weight, _noise(residuals), residuals)


def _scale(residuals: Sequence[float]) -> float:
    return _SCALE * (_median(sorted(map(abs, residuals))) + 1)


def _noise(residuals: Sequence[float]) -> float:
    """What one reading adds to the standard error of the most likely line (Huber's sandwich)."""
    count = len(residuals)
    scale = _scale(residuals)
    squares = [(r / scale) ** 2 for r in residuals]
    influence = math.fsum(q / (1 + q) ** 2 for q in squares) / count
    response = math.fsum((1 - q) / (1 + q) ** 2 for q in squares) / count
    return scale * math.sqrt(influence * count / (count - 2)) / max(response, _LEAST_RESPONSE)


def _off(residuals: Sequence[float], scale: float) -> float:
    """Where the middle of some residuals lies: one step of Huber's estimate, which nothing in the distance hides."""
    inside = sum(abs(r) < scale for r in residuals) / len(residuals)
    return math.fsum(min(max(r, -scale), scale) for r in residuals) / len(residuals) / max(inside, _LEAST_RESPONSE)


def _lines(xs: list[float], ys: list[float], slope: float, most: int, steps: bool) -> list[_Line]:
    """As many lines as the readings need, one after the other."""
    one = _line(xs, ys, slope)
    if len(xs) < FEW or most < 2 or one.fits:
        return [one]
    best: tuple[float, int] | None = None
    for cut in _candidates(one.residuals, steps):
        residuals = _line(xs[:cut], ys[:cut], slope).residuals + _line(xs[cut:], ys[cut:], slope).residuals
        scale = _scale(residuals)
        gain = _cost(one.residuals, scale) - _cost(residuals, scale)
        if best is None or gain > best[0]:
            best = gain, cut
    if best is None or best[0] < _GAIN:
        return [one]
    cut = best[1]
    parts = ((xs[:cut], ys[:cut]), (xs[cut:], ys[cut:]))
    return [line for some_xs, some_ys in parts for line in _lines(some_xs, some_ys, slope, most // 2, steps)]


def _candidates(residuals: list[float], steps: bool) -> list[int]:
    """Where a cut may help: at the quarters, and where there may be steps about the greatest jump."""
    count = len(residuals)
    found = {share * count // 4 for share in (1, 2, 3) if count >= 4 * FEW}
    if steps and count > 2 * _LEAST:
        jump, at = max(
            (abs(_median(sorted(residuals[at : at + _LEAST])) - _median(sorted(residuals[at - _LEAST : at]))), -at)
            for at in range(_LEAST, count - _LEAST + 1)
        )
        # A few late ends in a row look like a short step, unless it is greater than ends are late.
        least = _LEAST if jump > LATE_NS else FEW
        near = [cut for cut in range(-at - 2, -at + 3) if least <= cut <= count - least]
        found.update(sorted(near, key=lambda cut: _apart(residuals, cut))[:1])
    return sorted(found)


def _apart(residuals: list[float], cut: int) -> float:
    """How far residuals lie from the medians of both sides of ``cut``, close to it."""
    sides = residuals[max(0, cut - FEW) : cut], residuals[cut : cut + FEW]
    middles = [_median(sorted(side)) for side in sides]
    return math.fsum(abs(r - middle) for side, middle in zip(sides, middles, strict=True) for r in side)


def _cost(residuals: Sequence[float], scale: float) -> float:
    """Minus log-likelihood of Cauchy's noise."""
    return math.fsum(math.log1p((r / scale) ** 2) for r in residuals)


def steady_slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Median slope over an eighth of the readings: a step moves an eighth of them."""
    lag = max(1, len(xs) // 8)
    slopes = sorted((ys[i + lag] - ys[i]) / (xs[i + lag] - xs[i]) for i in range(len(xs) - lag) if xs[i + lag] > xs[i])
    return min(max(_median(slopes), -MAX_DRIFT), MAX_DRIFT) if slopes else 0.0


def _median(ordered: Sequence[float]) -> float:
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


# --- messages ----------------------------------------------------------------------------------------------------


def between(most: Sequence[Reading], least: Sequence[Reading], span: Span) -> Conversion:
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
