"""Reliability of stated confidences: bins, Brier score, and a monotone map fitted by cross-validation.

Plain arithmetic over a few hundred pairs (stated confidence, was it right): sums run in the order of the cases, so that
the page is the same each time it is made.
"""

from __future__ import annotations

import itertools
import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EDGES: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Bins of stated confidence; each holds its lower edge."""

LEAST: Final = 10
"""Cases of which a bin is published."""

FOLDS: Final = 5
_Z: Final = 1.96
_STEPS: Final = 50


@dataclass(frozen=True)
class Told:
    """A verdict that decided: which case, how sure it was, and whether it was right."""

    name: str
    confidence: float
    right: bool


@dataclass(frozen=True)
class Bin:
    """Verdicts of about the same confidence; ``low`` and ``high`` bound the share right (Wilson, 95 %)."""

    begin: float
    end: float
    count: int
    stated: float
    right: float
    low: float
    high: float


def bins(told: Sequence[Told]) -> list[Bin]:
    """The bins that hold ``LEAST`` cases or more."""
    found = []
    for begin, end in itertools.pairwise(EDGES):
        mine = [item for item in told if begin <= item.confidence < end or (end == 1.0 and item.confidence == 1.0)]
        if len(mine) >= LEAST:
            low, high = wilson(sum(item.right for item in mine), len(mine))
            stated = sum(item.confidence for item in mine) / len(mine)
            found.append(Bin(begin, end, len(mine), stated, sum(i.right for i in mine) / len(mine), low, high))
    return found


def wilson(right: int, count: int) -> tuple[float, float]:
    """Wilson's interval of a share, 95 %."""
    share, z = right / count, _Z * _Z / count
    middle = share + z / 2
    half = _Z * math.sqrt(share * (1 - share) / count + z / (4 * count))
    return max(0.0, (middle - half) / (1 + z)), min(1.0, (middle + half) / (1 + z))


def brier(told: Sequence[Told], of: Callable[[float], float] = lambda stated: stated) -> float:
    """Mean squared distance of ``of`` (stated confidence) from what was the case; 0 is perfect."""
    return sum((of(item.confidence) - item.right) ** 2 for item in told) / len(told)


@dataclass(frozen=True)
class Map:
    """``1 / (1 + exp(-(slope * logit(stated) + shift)))``: monotone while ``slope`` is above 0."""

    slope: float
    shift: float

    def __call__(self, stated: float) -> float:
        """What a stated confidence was worth."""
        return _share(self.slope * _logit(stated) + self.shift)


def fitted(told: Sequence[Told]) -> Map:
    """The map of greatest likelihood, by Newton's method, with a slope drawn to 1 as by one case."""
    slope, shift = 1.0, 0.0
    for _ in range(_STEPS):
        pull, push = 1 - slope, 0.0
        a, b, c = 1.0, 0.0, 1e-9
        for item in told:
            x = _logit(item.confidence)
            share = _share(slope * x + shift)
            weight = share * (1 - share)
            pull += (item.right - share) * x
            push += item.right - share
            a, b, c = a + weight * x * x, b + weight * x, c + weight
        slope += (pull * c - push * b) / (a * c - b * b)
        shift += (push * a - pull * b) / (a * c - b * b)
    return Map(slope, shift)


def cross_validated(told: Sequence[Told], fit: Callable[[Sequence[Told]], Callable[[float], float]] = fitted) -> float:
    """Brier score of what ``fit`` gives, each case mapped by what was fitted to the other folds.

    Cases of one batch (what stands before the slash of their names) were made together by one hand and are never
    divided, so that near copies do not tell of each other; names without a batch are spread by a hash.
    """
    total = 0.0
    for fold in sorted({_fold(item) for item in told}):
        mine = [item for item in told if _fold(item) == fold]
        rest = [item for item in told if _fold(item) != fold]
        total += brier(mine, fit(rest)) * len(mine)
    return total / len(told)


def lifted(told: Sequence[Told]) -> Callable[[float], float]:
    """What each bin of ``LEAST`` cases or more was worth, in place of what it stated; other confidences stay."""
    found = bins(told)
    return lambda stated: next((each.right for each in found if each.begin <= stated < each.end), stated)


def _fold(item: Told) -> str:
    batch, slash, _ = item.name.partition("/")
    return batch if slash else str(zlib.crc32(item.name.encode()) % FOLDS)


def _logit(share: float) -> float:
    inside = min(max(share, 1e-3), 1 - 1e-3)
    return math.log(inside / (1 - inside))


def _share(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
