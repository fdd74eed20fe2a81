"""A curve through noisy readings of a clock whose frequency wanders, and how sure it is.

The frequency of an oscillator moves with its temperature and with whoever disciplines it. How much is not known before,
so every strength of a random walk in `WANDER` is tried (Kalman's filter and Rauch's smoother), and each counts by how
likely it makes the readings. What comes out is honest in both directions: with few readings a wander that cannot be
excluded widens the curve, with many a straight line stays one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

HOUR_NS: Final = 3.6e12
WANDER: Final = (0.0, 1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 1e-4)
"""Strengths that are tried: how far a frequency strays within an hour, as a share of itself (one standard deviation).

A good oscillator in a steady room strays by parts in 10^8, one under a load that comes and goes, or that NTP steers, by
parts in 10^7; above are clocks that are slewed."""

_NEGLIGIBLE: Final = 9.2
"""A strength this much less likely (log) than the best does not count."""
_VAGUE: Final = 100.0
"""What is known before of heights and slopes, by the greatest reading."""
_JUMP, _READING = -2, -1
"""What happens at a time of no interest; others are numbered."""


@dataclass(frozen=True, slots=True)
class Point:
    """The curve at one time: its height and standard error."""

    x: float
    height: float
    error: float


@dataclass(frozen=True, slots=True, order=True)
class Reading:
    """A reading and its variance."""

    x: float
    y: float
    variance: float


def curve(readings: Sequence[Reading], at: Sequence[float], jumps: Sequence[float] = ()) -> list[Point]:
    """The curve at each time of ``at`` (sorted); times and heights are in ns.

    Args:
        readings: At least two, sorted by time.
        at: Times of interest, inside the readings or beyond.
        jumps: Times at which the height was set anew while the slope went on: a wall clock was set.
    """
    found = _tried(readings, at, jumps, WANDER)
    best = max(likely for likely, _ in found)
    weights = [math.exp(likely - best) for likely, _ in found]
    total = math.fsum(weights)
    curves = [points for _, points in found]
    result = []
    for number, x in enumerate(at):
        height = math.fsum(w * points[number][0] for w, points in zip(weights, curves, strict=True)) / total
        variance = math.fsum(
            w * (points[number][1] + (points[number][0] - height) ** 2)
            for w, points in zip(weights, curves, strict=True)
        )
        result.append(Point(x, height, math.sqrt(variance / total)))
    return result


def likelihood(readings: Sequence[Reading], wander: float) -> float:
    """How likely (log) a wander of this strength makes the readings, whatever their height and slope."""
    strength = wander * wander / HOUR_NS
    vague = (_VAGUE * (max(abs(r.y) for r in readings) + max(math.sqrt(r.variance) for r in readings))) ** 2
    length = max(readings[-1].x - readings[0].x, 1.0)
    level = slope = 0.0
    p, c, s = vague, 0.0, vague / length**2
    likely = 0.0
    before = readings[0].x
    for r in readings:
        d = r.x - before
        before = r.x
        level += d * slope
        p, c, s = p + d * (2 * c + d * s) + strength * d * d * d / 3, c + d * s + strength * d * d / 2, s + strength * d
        whole = max(p, 0.0) + r.variance
        off = r.y - level
        likely -= (math.log(whole) + off * off / whole) / 2
        gain, turn = p / whole, c / whole
        level += gain * off
        slope += turn * off
        p, c, s = p * r.variance / whole, c * r.variance / whole, s - turn * c
    return likely


def _tried(
    readings: Sequence[Reading], at: Sequence[float], jumps: Sequence[float], strengths: Sequence[float]
) -> list[tuple[float, list[tuple[float, float]]]]:
    """For each strength of wander how likely it makes the readings, and height and variance at each time of ``at``."""
    origin = readings[0].x
    length = max(readings[-1].x - origin, at[-1] - at[0], 1.0)
    steps = sorted(
        [((r.x - origin) / length, r.y, r.variance, _READING) for r in readings]
        + [((x - origin) / length, 0.0, math.inf, number) for number, x in enumerate(at)]
        + [((x - origin) / length, 0.0, math.inf, _JUMP) for x in jumps],
        key=lambda step: (step[0], step[3]),
    )
    spread = _VAGUE * (max(abs(r.y) for r in readings) + max(math.sqrt(r.variance) for r in readings))
    found: list[tuple[float, list[tuple[float, float]]]] = []
    best = -math.inf
    for strength in strengths:
        likely, points = _smoothed(steps, len(at), (strength * length) ** 2 * length / HOUR_NS, spread**2)
        found.append((likely, points))
        best = max(best, likely)
        if likely < best - _NEGLIGIBLE:
            break
    return found


def _smoothed(
    steps: Sequence[tuple[float, float, float, int]], count: int, strength: float, vague: float
) -> tuple[float, list[tuple[float, float]]]:
    """Log-likelihood, and height and variance at the ``count`` times that are numbered.

    The state is height and slope; the slope takes a random walk of ``strength`` (variance by unit of time).
    """
    level = slope = 0.0
    p, c, s = vague, 0.0, vague  # variance of the height, covariance, variance of the slope
    likely = 0.0
    before = steps[0][0]
    kept: list[tuple[float, ...]] = []
    for x, y, variance, what in steps:
        d = x - before
        before = x
        level += d * slope
        p, c, s = p + d * (2 * c + d * s) + strength * d * d * d / 3, c + d * s + strength * d * d / 2, s + strength * d
        if what == _JUMP:
            p += vague
        predicted = (level, slope, p, c, s)
        if variance < math.inf:
            whole = max(p, 0.0) + variance
            off = y - level
            likely -= (math.log(whole) + off * off / whole) / 2
            gain, turn = p / whole, c / whole
            level += gain * off
            slope += turn * off
            p, c, s = p * variance / whole, c * variance / whole, s - turn * c
        kept.append((d, *predicted, level, slope, p, c, s))
    points = [(0.0, 0.0)] * count
    # Backwards: what later readings add.
    for number in range(len(steps) - 1, -1, -1):
        _, _, _, _, _, _, f_level, f_slope, f_p, f_c, f_s = kept[number]
        if number == len(steps) - 1:
            level, slope, p, c, s = f_level, f_slope, f_p, f_c, f_s
        else:
            d, n_level, n_slope, n_p, n_c, n_s = kept[number + 1][:6]
            # Gain = P F' N^-1, with F = [[1, d], [0, 1]] and N the covariance predicted for the next step.
            a, b = f_p + d * f_c, f_c
            e, f = f_c + d * f_s, f_s
            det = n_p * n_s - n_c * n_c
            if det <= 0.0:
                level, slope, p, c, s = level - d * slope, slope, p, c, s
            else:
                g_00, g_01 = (a * n_s - b * n_c) / det, (b * n_p - a * n_c) / det
                g_10, g_11 = (e * n_s - f * n_c) / det, (f * n_p - e * n_c) / det
                d_level, d_slope = level - n_level, slope - n_slope
                level, slope = f_level + g_00 * d_level + g_01 * d_slope, f_slope + g_10 * d_level + g_11 * d_slope
                u, v, w = p - n_p, c - n_c, s - n_s
                r_0, r_1 = g_00 * u + g_01 * v, g_00 * v + g_01 * w
                t_0, t_1 = g_10 * u + g_11 * v, g_10 * v + g_11 * w
                p = f_p + r_0 * g_00 + r_1 * g_01
                c = f_c + r_0 * g_10 + r_1 * g_11
                s = f_s + t_0 * g_10 + t_1 * g_11
        if steps[number][3] >= 0:
            points[steps[number][3]] = (level, max(p, 0.0))
    return likely, points
