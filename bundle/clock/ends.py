"""A conversion through the ends of common events: a few are late by a thousand times the usual, and none is early.

First a straight line that a minority in the distance cannot move. Then, round by round, every reading is replaced by
what it tells of the middle (its influence on a most likely estimate if noise is Cauchy's, peaked and with long tails)
and a curve is drawn through these whose frequency may wander (`smooth`). The bound is `CONFIDENCE` standard errors of
the curve, more where few readings know their own noise badly: benchmarks/clock_study shows what share of nodes that
covers.

Pure Python, sums in the order of time: the same readings give the same curve on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import mul
from typing import TYPE_CHECKING, Final

from inquest.bundle.clock.fit import MAX_DRIFT, USUAL_DRIFT, Conversion, Piece
from inquest.bundle.clock.smooth import Point, Reading, curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.bundle.clock.fit import Apart, Span

CONFIDENCE: Final = 4.0
"""Standard errors in a bound. Noise that is skewed or mostly far away asks for more than the 3.1 of a normal one."""
FEW: Final = 8
"""Fewer ends than this say nothing of their own noise, nor of drift."""
LATE_NS: Final = 50_000_000
"""How late a rank may see an event end, where too few ends are at hand to tell (5 % are up to 50 ms late)."""

_UNSURE: Final = 13
"""So few readings double a bound."""
_PIECES: Final = 8
"""Stretches of equal length that a bound is told for, and that a curve is drawn in, between two steps."""
_BINS: Final = 32
"""Groups of readings that a curve is drawn through: more would not move it, and cost time."""
_ROUNDS: Final = 3
_GAIN: Final = 4.0
"""Log-likelihood that a curve must gain, by each degree of its freedom, to be begun with in place of a line."""
_LEAST_GAIN: Final = 10.0
_STRAIGHT: Final = 1.0
"""Standard errors by which a curve may differ from a straight line and be drawn as one."""
_LEAST_DISTANCE: Final = 3
_MOST_LIKELY: Final = 7
"""Rounds of reweighting."""
_SCALE: Final = 1.25
"""Cauchy's scale by the median distance of the readings."""
_LEAST_RESPONSE: Final = 0.05
_SETTLED: Final = 1e-3
_MEDIAN_VARIANCE: Final = 1.6
"""Variance of a median by that of a mean."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One piece of what is drawn, from ``begin`` to ``end``."""

    begin: float
    end: float
    height: float
    slope: float
    bound: float

    def at(self, x: float) -> float:
        return self.height + self.slope * (x - self.begin)


@dataclass(frozen=True, slots=True)
class Noise:
    """What is known of the noise of ends.

    Attributes:
        scale: Distance (ns) from which on a reading counts for less and less; 0: not known.
        variance: What one reading tells of the middle varies by that (ns^2), or, where it is given, by no less; 0: not
            known.
        own: Share of the noise that is this clock's own: what moves all clocks alike is no error against each other.
    """

    scale: float = 0.0
    variance: float = 0.0
    own: float = 1.0


_Stretch = list[tuple[float, float]]
"""Readings between two steps."""


def through(
    readings: Sequence[Apart],
    span: Span,
    gaps: Sequence[tuple[int, int]] = (),
    noise: Noise = Noise(),
    *,
    late: int = LATE_NS,
    grain: int = 1,
) -> tuple[Conversion, Noise]:
    """The conversion that ends of common events suggest.

    Args:
        readings: (time on this clock, other clock minus this one), sorted, in ns; at least one.
        span: First and last time of this clock that the bound must hold for.
        gaps: Numbers of the readings between which this clock was set: the last surely before, the first surely after.
            What is between is not believed. Nobody saw when the clock was set: there the bound is the step.
        noise: What all clocks together tell of it: by a scale of its own, a clock's middle of skewed noise would depend
            on how noisy it happens to seem.
        late: How late an end may be seen, where too few are at hand to tell.
        grain: What the times were rounded to.

    Returns:
        The conversion, and the noise that these readings show.
    """
    t_0, apart_0 = readings[0]
    stretches = _stretches(readings, gaps)
    begins = [float(min(span[0], t_0) - t_0), *(part[0][0] for part in stretches[1:])]
    ends = [*(part[-1][0] for part in stretches[:-1]), float(max(span[1], readings[-1][0]) - t_0)]
    drawn, shown = _drawn(stretches, list(zip(begins, ends, strict=True)), noise, late)
    lines = [*drawn[0]]
    for before, after in pairwise(drawn):
        lines += _unseen(before[-1], after[0])
        lines += after
    pieces = (
        Piece(t_0 + math.ceil(line.begin), apart_0 + round(line.height), line.slope, math.ceil(line.bound) + grain)
        for line in lines
    )
    return Conversion(pieces), shown


def _stretches(readings: Sequence[Apart], gaps: Sequence[tuple[int, int]]) -> list[_Stretch]:
    """What lies between the gaps, counted from the first reading."""
    t_0, apart_0 = readings[0]
    firsts = [0, *(after for _, after in gaps)]
    lasts = [*(before for before, _ in gaps), len(readings) - 1]
    return [
        [(float(t - t_0), float(apart - apart_0)) for t, apart in readings[first : last + 1]]
        for first, last in zip(firsts, lasts, strict=True)
    ]


def straight(readings: Sequence[Apart], gaps: Sequence[tuple[int, int]] = ()) -> Conversion:
    """A first guess at `through`: straight lines of one slope, without a bound."""
    t_0, apart_0 = readings[0]
    stretches = _stretches(readings, gaps)
    slope, levels = _levels(stretches)
    return Conversion(
        Piece(t_0 + int(part[0][0]), apart_0 + round(level + slope * part[0][0]), slope, 0)
        for part, level in zip(stretches, levels, strict=True)
    )


def _unseen(before: _Line, after: _Line) -> list[_Line]:
    """What is told of the time between two stretches: what either says, and that it may be wrong by the step."""
    gap = before.end, after.begin
    step = max(abs(before.at(x) - after.at(x)) for x in gap)
    bound = step + 2 * (before.bound + after.bound)  # of this gap, and of the one that another clock has there
    half = (gap[0] + gap[1]) / 2
    return [
        _Line(gap[0] + 1, half, before.at(gap[0] + 1), before.slope, bound),
        _Line(half, gap[1], after.at(half), after.slope, bound),
    ]


def _levels(stretches: list[_Stretch]) -> tuple[float, list[float]]:
    """The slope that most pairs of readings agree on, and the median height of each stretch over it, at time 0."""
    slopes = sorted(slope for part in stretches for slope in _slopes(part))
    few = sum(map(len, stretches)) < FEW
    slope = 0.0 if few or not slopes else min(max(median(slopes), -MAX_DRIFT), MAX_DRIFT)
    return slope, [median(sorted(y - slope * x for x, y in part)) for part in stretches]


def _slopes(part: _Stretch) -> list[float]:
    """Slopes over an eighth of the readings: one that is off moves two of them."""
    lag = max(1, len(part) // 8)
    return [(y - y_0) / (x - x_0) for (x_0, y_0), (x, y) in zip(part, part[lag:], strict=False) if x > x_0]


def steady_slope(readings: Sequence[tuple[float, float]]) -> float:
    """Median slope of readings over an eighth of them: a step moves an eighth of the slopes."""
    slopes = sorted(_slopes(list(readings)))
    return min(max(median(slopes), -MAX_DRIFT), MAX_DRIFT) if slopes else 0.0


def _drawn(
    stretches: list[_Stretch], spans: list[tuple[float, float]], noise: Noise, late: int
) -> tuple[list[list[_Line]], Noise]:
    """What is drawn of each stretch, over its span; and the noise that shows."""
    slope, levels = _levels(stretches)
    xs = [x for part in stretches for x, _ in part]
    if len(xs) < FEW:
        return [
            [_of_few(part, level, slope, span, late)]
            for part, level, span in zip(stretches, levels, spans, strict=True)
        ], Noise()
    flat = [y - level for part, level in zip(stretches, levels, strict=True) for _, y in part]
    middle, slope = _line(xs, flat, slope)
    residuals = [y - middle - slope * x for x, y in zip(xs, flat, strict=True)]
    whole = spans[-1][1] - spans[0][0]
    knots = [_knots(span, whole) for span in spans]
    points, shown = _curve(xs, residuals, [len(part) for part in stretches], knots, noise)
    drawn = []
    for part, level, at in zip(stretches, levels, knots, strict=True):
        factor = CONFIDENCE * noise.own * (1 + (_UNSURE / max(len(part), FEW)) ** 2)
        within = [point for point in points if at[0] <= point.x <= at[-1]]
        lines = [
            _Line(
                line.begin, line.end, line.height + level + middle + slope * line.begin, line.slope + slope, line.bound
            )
            for line in _pieces(within, at, factor)
        ]
        if len(part) < FEW:
            lines = [replace(line, bound=line.bound + late) for line in lines]
        drawn.append(lines)
    return drawn, shown


def _of_few(part: _Stretch, level: float, slope: float, span: tuple[float, float], late: int) -> _Line:
    far = max(max(abs(x - part[0][0]), abs(x - part[-1][0])) for x in span)
    spread = max(abs(y - level - slope * x) for x, y in part)
    # One clock was late by up to that against another: either bears half of it.
    return _Line(*span, level + slope * span[0], slope, late / 2 + spread + USUAL_DRIFT * far)


def _knots(span: tuple[float, float], whole: float) -> list[float]:
    """Where the pieces of a stretch begin, and the end of the last."""
    first, last = span
    count = max(1, math.ceil(_PIECES * (last - first) / whole)) if whole else 1
    return [first + (last - first) * number / count for number in range(count)] + [last]


def _pieces(points: list[Point], knots: list[float], factor: float) -> list[_Line]:
    """Lines from knot to knot: one straight line where that is no further from the curve than the curve is sure."""
    by_x = {point.x: point for point in points}
    ends = [by_x[x] for x in knots]
    heights = [point.height for point in ends]
    slope, level = _regression(knots, heights)
    if all(abs(p.height - level - slope * p.x) <= _STRAIGHT * p.error for p in ends):
        heights = [level + slope * x for x in knots]
    lines = []
    for (x, end), (height, other) in zip(pairwise(knots), pairwise(heights), strict=True):
        chord = (other - height) / (end - x) if end > x else 0.0
        line = _Line(x, end, height, chord, 0.0)
        bound = max(factor * p.error + abs(p.height - line.at(p.x)) for p in points if x <= p.x <= end)
        lines.append(replace(line, bound=bound))
    return lines


def _regression(xs: list[float], ys: list[float]) -> tuple[float, float]:
    """Slope and level of the line of least squares."""
    x_0, y_0 = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    square = math.fsum((x - x_0) ** 2 for x in xs)
    slope = math.fsum((x - x_0) * (y - y_0) for x, y in zip(xs, ys, strict=True)) / square if square else 0.0
    return slope, y_0 - slope * x_0


# --- the curve ---------------------------------------------------------------------------------------------------


def _curve(
    xs: list[float], residuals: list[float], lengths: list[int], knots: list[list[float]], noise: Noise
) -> tuple[list[Point], Noise]:
    """The curve through ``residuals``, at the middle of each group of readings and at all knots.

    ``lengths`` are those of the stretches: between them the height is set anew.
    """
    jumps = [(before[-1] + after[0]) / 2 for before, after in pairwise(knots)]
    groups = _groups(lengths, max(1, -(-len(xs) // _BINS)))
    centres = [_mean(xs, group) for group in groups]
    heights = _begun(xs, residuals, lengths, jumps)
    freedom = 2.0
    for number in range(_ROUNDS):
        middles, shown = _middles(residuals, heights, freedom, noise.scale)
        supposed = max(shown.variance, noise.variance)
        readings = [
            Reading(centre, _mean(middles, group), supposed / len(group.readings))
            for centre, group in zip(centres, groups, strict=True)
        ]
        last = number == _ROUNDS - 1
        at = sorted({*centres, *(x for some in knots for x in some)}) if last else centres
        points = curve(readings, at, jumps)
        if not last:
            freedom = _freedom(points, readings)
            heights = _between(points, groups, xs)
    return points, shown


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring readings of one stretch."""

    readings: range
    stretch: int


def _groups(lengths: list[int], size: int) -> list[_Group]:
    """Readings in groups of about ``size`` that do not reach over a step."""
    groups: list[_Group] = []
    begin = 0
    for stretch, length in enumerate(lengths):
        count = max(1, length // size)
        borders = [begin + length * k // count for k in range(count + 1)]
        groups += [_Group(range(*pair), stretch) for pair in pairwise(borders)]
        begin += length
    return groups


def _begun(xs: list[float], residuals: list[float], lengths: list[int], jumps: list[float]) -> list[float]:
    """What to begin with: the straight line, or where a frequency moved by more than noise hides, a coarse curve."""
    groups = _groups(lengths, FEW)
    flat = [0.0] * len(xs)
    if len(groups) < 2:
        return flat
    centres = [_mean(xs, group) for group in groups]
    medians = [median(sorted(residuals[i] for i in group.readings)) for group in groups]
    heights = flat
    for _ in range(_ROUNDS):
        variance = _MEDIAN_VARIANCE * _scale([r - height for r, height in zip(residuals, heights, strict=True)]) ** 2
        readings = [
            Reading(x, y, variance / len(group.readings)) for x, y, group in zip(centres, medians, groups, strict=True)
        ]
        points = curve(readings, centres, jumps)
        heights = _between(points, groups, xs)
    gain = _cost(residuals) - _cost([r - height for r, height in zip(residuals, heights, strict=True)])
    return heights if gain > _GAIN * _freedom(points, readings) + _LEAST_GAIN else flat


def _freedom(points: list[Point], readings: list[Reading]) -> float:
    """How many readings' worth of noise the curve follows."""
    return math.fsum(point.error**2 / reading.variance for point, reading in zip(points, readings, strict=True))


def _mean(values: list[float], group: _Group) -> float:
    return math.fsum(values[i] for i in group.readings) / len(group.readings)


def _between(points: list[Point], groups: list[_Group], xs: list[float]) -> list[float]:
    """The curve at every reading: on the line to the next group on that side, or on the other, where there is none."""
    heights: list[float] = []
    for number, group in enumerate(groups):
        here = points[number]
        same = [n for n in (number - 1, number + 1) if 0 <= n < len(groups) and groups[n].stretch == group.stretch]
        for i in group.readings:
            after = xs[i] > here.x
            there = points[same[-1] if after else same[0]] if same else here
            share = (xs[i] - here.x) / (there.x - here.x) if there.x != here.x else 0.0
            heights.append(here.height + share * (there.height - here.height))
    return heights


def _middles(residuals: list[float], heights: list[float], freedom: float, scale: float) -> tuple[list[float], Noise]:
    """What each reading tells of the middle of the noise about ``heights``, and the noise that shows.

    That is a step of Newton's towards an M-estimate, its variance is Huber's, from the residuals as they are, whatever
    their true distribution.
    """
    count = len(residuals)
    off = [r - height for r, height in zip(residuals, heights, strict=True)]
    own = _scale(off)
    scale = scale or own
    squares = [(r / scale) ** 2 for r in off]
    response = max(math.fsum((1 - q) / (1 + q) ** 2 for q in squares) / count, _LEAST_RESPONSE)
    influence = math.fsum(q / (1 + q) ** 2 for q in squares) / max(count - freedom, count / 2)
    middles = [height + r / (1 + q) / response for height, r, q in zip(heights, off, squares, strict=True)]
    return middles, Noise(own, scale * scale * influence / response**2 + 1)


def influence(residuals: Sequence[float], scale: float) -> list[float]:
    """By how much each reading pulls at the middle: one that is far off, by ``scale``, hardly does."""
    return [r / (1 + (r / scale) ** 2) for r in residuals]


def _line(xs: Sequence[float], ys: Sequence[float], slope: float) -> tuple[float, float]:
    """Level and slope of the most likely line if noise is Cauchy's, which a few readings far off do not bend."""
    level = median(sorted(y - slope * x for x, y in zip(xs, ys, strict=True)))
    residuals = [y - level - slope * x for x, y in zip(xs, ys, strict=True)]
    scale = _scale(residuals)
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
    return level, slope


def _scale(residuals: Sequence[float]) -> float:
    return _SCALE * (median(sorted(map(abs, residuals))) + 1)


def _cost(residuals: Sequence[float]) -> float:
    """Minus log-likelihood of Cauchy's noise of the scale they have."""
    scale = _scale(residuals)
    return len(residuals) * math.log(scale) + math.fsum(math.log1p((r / scale) ** 2) for r in residuals)


def median(ordered: Sequence[float]) -> float:
    """The median of numbers in order."""
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
