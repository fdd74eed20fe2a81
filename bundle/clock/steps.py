"""When wall clocks were set: found by what their neighbours did meanwhile.

Between two common events the clocks of a job advance alike, but for one that was set. The median advance of all makes a
scale that no single clock bends, and against it a clock that was set shows a step. Nobody saw when within the gap
between two events: what is found is the last reading surely before and the first surely after.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from inquest.bundle.clock.ends import LATE_NS, median, straight

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inquest.bundle.clock.observe import Clock

_STEPS: Final = ((16, 5_000_000), (8, LATE_NS), (3, 2 * LATE_NS))
"""Readings on each side that a step is seen by, and the least step that they show: a few late ends look like one.
No daemon sets a clock for less than 5 ms: it slews it."""
_CLEAR: Final = 8.0
"""A step is this many times the noise: what is less is left to the curve."""
_NEAR: Final = 10.0
"""Noise by which a reading may lie off the level of its stretch and surely be of it."""
_LATEST: Final = 5
_DEPTH: Final = 7
"""How often a stretch is cut in two, so that made-up readings cost bounded time."""
_LEAST_NOISE_NS: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Gap:
    """A clock was set between ``before`` and ``after``, times it showed itself, by about ``step`` ns."""

    before: int
    after: int
    step: float


def find(events: Sequence[Mapping[Clock, int]]) -> dict[Clock, list[Gap]]:
    """Where clocks were set, by clock and in order; only wall clocks (boot "") ever are."""
    if not any(not clock[1] for ends in events for clock in ends):
        return {}
    readings: dict[Clock, list[tuple[float, int]]] = {}
    for common, ends in _common(events):
        for clock, end in ends.items():
            if not clock[1]:
                readings.setdefault(clock, []).append((common, end))
    return {clock: _gaps(found) for clock, found in sorted(readings.items())}


def _common(events: Sequence[Mapping[Clock, int]]) -> list[tuple[float, Mapping[Clock, int]]]:
    """Each event with its time on a scale that advances as most clocks do, in order of that."""
    counts: dict[Clock, int] = {}
    for ends in events:
        for clock in ends:
            counts[clock] = counts.get(clock, 0) + 1
    hub = min(counts, key=lambda clock: (-counts[clock], clock))
    apart: dict[Clock, list[tuple[int, int]]] = {}
    for ends in events:
        if hub in ends:
            for clock, end in ends.items():
                apart.setdefault(clock, []).append((end, ends[hub] - end))
    conversions = {clock: straight(sorted(found)) for clock, found in apart.items()}
    told = [
        [(clock, conversions[clock](end)) for clock, end in ends.items() if clock in conversions] for ends in events
    ]
    known = [(some, ends) for some, ends in zip(told, events, strict=True) if some]
    known.sort(key=lambda item: median(sorted(t for _, t in item[0])))
    # What each clock was off by at its latest events: their median is not moved by an end that is late.
    latest: dict[Clock, deque[float]] = {}
    timed: list[tuple[float, Mapping[Clock, int]]] = []
    for some, ends in known:
        now = median(sorted(t + (median(sorted(latest[clock])) if clock in latest else 0.0) for clock, t in some))
        for clock, t in some:
            latest.setdefault(clock, deque(maxlen=_LATEST)).append(now - t)
        timed.append((now, ends))
    return sorted(timed, key=lambda item: item[0])


def _gaps(readings: list[tuple[float, int]]) -> list[Gap]:
    """Where one clock was set; ``readings`` are (common time, its own), in order of the first."""
    t_0 = readings[0]
    xs = [common - t_0[0] for common, _ in readings]
    ys = [common - t_0[0] - (own - t_0[1]) for common, own in readings]
    lag = max(1, len(xs) // 8)
    slopes = sorted(
        (y - y_0) / (x - x_0) for x_0, x, y_0, y in zip(xs, xs[lag:], ys, ys[lag:], strict=False) if x > x_0
    )
    slope = median(slopes) if slopes else 0.0
    flat = [y - slope * x for x, y in zip(xs, ys, strict=True)]
    noise = median(sorted(abs(b - a) for a, b in pairwise(flat))) + _LEAST_NOISE_NS if len(flat) > 1 else 0.0
    gaps = []
    for before, after, step in _cuts(flat, 0, len(flat), noise):
        # Set back, a clock shows some times twice: they are in the gap.
        latest = max(own for _, own in readings[: before + 1])
        earliest = min(own for _, own in readings[after:])
        first = [own for _, own in readings[: before + 1] if own < earliest]
        second = [own for _, own in readings[after:] if own > latest]
        if first and second:
            gaps.append(Gap(max(first), min(second), step))
    return gaps


def _cuts(flat: list[float], begin: int, end: int, noise: float, depth: int = _DEPTH) -> list[tuple[int, int, float]]:
    """(last reading before, first after, step) of each step within ``flat[begin:end]``, in order."""
    for side, least in _STEPS if depth else ():
        best: tuple[float, int, float, float] | None = None
        for at in range(begin + side, end - side + 1):
            left, right = median(sorted(flat[at - side : at])), median(sorted(flat[at : at + side]))
            size = abs(right - left)
            if size > max(least, _CLEAR * noise) and (best is None or size > best[0]):
                best = size, at, left, right
        if best is not None:
            _, at, left, right = best
            found = _placed(flat, (begin, max(begin, at - side), min(end, at + side), end), (left, right), noise)
            if found is not None:
                before, after = found
                earlier = _cuts(flat, begin, before + 1, noise, depth - 1)
                later = _cuts(flat, after, end, noise, depth - 1)
                return [*earlier, (before, after, right - left), *later]
    return []


def _placed(
    flat: list[float], where: tuple[int, int, int, int], levels: tuple[float, float], noise: float
) -> tuple[int, int] | None:
    """The last reading surely before a step between two levels, and the first surely after; None: it is none.

    ``where`` are numbers of readings: begin of the stretch, of what is near the step, and the ends of both.
    """
    begin, first, last, end = where
    left, right = levels
    size = abs(right - left)
    near = min(size / 3, _NEAR * noise)

    def misfit(cut: int) -> float:
        before, after = flat[first:cut], flat[cut:last]
        return sum(min(abs(y - left), size) for y in before) + sum(min(abs(y - right), size) for y in after)

    cut = min(range(first + 1, last), key=misfit)
    befores = [k for k in range(begin, cut) if abs(flat[k] - left) <= near]
    afters = [k for k in range(cut, end) if abs(flat[k] - right) <= near]
    # An end is late, never early: what lies above a level was not of it.
    if right > left:
        sure = next((k for k in range(first, last) if flat[k] > left + near), last)
        befores = [k for k in befores if k < sure]
    else:
        sure = next((k for k in reversed(range(first, last)) if flat[k] > right + near), first)
        afters = [k for k in afters if k > sure]
    if size <= LATE_NS:  # one that is late by as much as the step seems to be of the other side: one more is doubted
        befores, afters = befores[:-1], afters[1:]
    return (befores[-1], afters[0]) if befores and afters else None
