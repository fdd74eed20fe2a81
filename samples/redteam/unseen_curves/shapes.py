"""How losses, rates and norms go: a power law over an irreducible rest, correlated noise, and what can befall it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

NAN = math.nan


def power_law(
    rng: random.Random, count: int, first: float, last: float, exponent: float = 0.45, noise: float = 0.008
) -> list[float]:
    """A loss from ``first`` to about ``last`` in ``count`` reports; its noise has a memory of some reports."""
    knee = count / rng.uniform(60, 110)
    rest = (1 + count / knee) ** -exponent
    drift, out = 0.0, []
    for i in range(count):
        drift = 0.6 * drift + rng.gauss(0, noise)
        share = ((1 + i / knee) ** -exponent - rest) / (1 - rest)
        out.append((last + (first - last) * share) * (1 + drift))
    return out


def cosine(count: int, peak: float, warm: float = 0.02, least: float = 0.1) -> list[float]:
    """A learning rate: linear to ``peak`` in the first ``warm`` of the run, then a cosine down to ``least`` of it."""
    out = []
    for i in range(count):
        at = (i + 1) / count
        out.append(
            peak * at / warm
            if at < warm
            else peak * (least + (1 - least) * 0.5 * (1 + math.cos(math.pi * (at - warm) / (1 - warm))))
        )
    return out


def norms(rng: random.Random, count: int, first: float = 12.0, settled: float = 0.35) -> list[float]:
    """Gradient norms: high at first, then settled with the odd outlier."""
    return [
        (settled + (first - settled) * math.exp(-40 * i / count))
        * math.exp(rng.gauss(0, 0.12))
        * (rng.uniform(2, 4) if rng.random() < 0.01 else 1)
        for i in range(count)
    ]


def spike(values: list[float], at: float, height: float, lasting: float) -> list[float]:
    """The same values with a rise by ``height`` at share ``at`` of the run that decays over ``lasting`` of it."""
    count, out = len(values), list(values)
    begin = int(count * at)
    for i in range(begin, count):
        out[i] += height * math.exp(-(i - begin) / max(1.0, count * lasting))
    return out


def leaves(rng: random.Random, values: list[float], at: float, to: float, over: float) -> list[float]:
    """The same values, which from share ``at`` climb to ``to`` within ``over`` of the run and stay there."""
    count, out = len(values), list(values)
    begin, width = int(count * at), max(1.0, count * over)
    for i in range(begin, count):
        share = 1 - math.exp(-3 * (i - begin) / width)
        out[i] = (out[begin - 1] + (to - out[begin - 1]) * share) * (1 + rng.gauss(0, 0.012))
    return out


def after(values: list[float], at: float, value: float) -> list[float]:
    """The same values, and ``value`` from share ``at`` on."""
    begin = int(len(values) * at)
    return values[:begin] + [value] * (len(values) - begin)


def flat(rng: random.Random, count: int, level: float, noise: float = 0.002) -> list[float]:
    """A value that does not move but for batches that differ."""
    return [level * (1 + rng.gauss(0, noise)) for _ in range(count)]
