"""A sign that learning failed, and what signs rest on: whether a curve fell, stood or rose by more than chance."""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._rows import Row


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign that learning failed."""

    mode: str
    text: str
    row: Row
    table: str
    column: str
    decisive: bool


FIRST: Final = 3
"""Reports whose median says where a loss began."""
NEARLY_ALL: Final = 0.9
FAR: Final = 5
"""How many times the usual step between reports a reward has to have risen."""
SURE: Final = 3
"""Errors of a median by which values have to move before they are said to have moved."""


def of_epochs(losses: Curve) -> bool:
    """Whether each report is of a whole epoch, and so of very many steps."""
    return bool((losses.numbers["kind"] == "epoch").all())


def above_its_best(ev: Evidence, losses: Curve) -> tuple[float, float] | None:
    """Lowest and last level of a loss that ends well above its lowest, and does not fall; None where it does not.

    By the upper quartiles of tenths, so that a loss that swings ever wider counts as well.
    """
    values = losses.finite
    tenth = len(values) // 10
    if len(values) < ev.threshold("e1.plateau_losses"):
        return None
    levels = [sorted(values[at : at + tenth])[3 * tenth // 4] for at in range(0, tenth * 10, tenth)]
    best, end = min(levels), levels[-1]
    if end < ev.threshold("g1.above_best") * best or end - best <= least_rise(ev, values, _DOUBTED):
        return None
    after = values[(levels.index(best) + 1) * tenth :]
    return None if falls(after) or learns_anew(ev, after, end) else (best, end)


_DOUBTED: Final = 0.4
"""Part of what a smooth curve had learned that it may not give back, where it is to be called healthy."""


def least_rise(ev: Evidence, values: list[float], part: float = 0.8) -> float:
    """How far a loss has to rise to be lost: half of where it began, where that is small and most of it had gone.

    What hardly came down, or lies on either side of zero, has no scale of its own that tells a rise from a whim, unless
    it hardly scatters either: then it is ``part`` of what was learned.
    """
    least, begin, long = ev.threshold("e1.divergence_rise"), statistics.median(values[:FIRST]), len(values) // 20
    if long < 1 or min(values) <= 0 or begin >= 2 * least:
        return least
    long = max(FIRST, long)
    blocks = [statistics.median(values[at : at + long]) for at in range(0, len(values) - long + 1, long)]
    lowest = min(blocks)
    if lowest <= begin / 4:
        return begin / 2
    # Of a curve that hardly scatters a rise tells by how much of what was learned it takes back.
    learned, noise = begin - lowest, statistics.median(abs(high - low) for low, high in itertools.pairwise(values))
    smooth = learned >= ev.threshold("e1.learned") * begin and noise * _SMOOTH <= learned
    # What had swung up as far before it came down may swing again.
    smooth = smooth and max(blocks[: blocks.index(lowest) + 1]) <= begin + _SWUNG * learned
    return min(least, part * learned) if smooth else least


_SMOOTH: Final = 20
_SWUNG: Final = 0.25


def falls(high: list[float]) -> bool:
    """Whether what rose has been falling ever since, however slowly: its last third lies below all of its first."""
    third = len(high) // 3
    return third > 1 and max(high[-third:]) < min(high[:third])


_ERRORS: Final = 1.5


def halves_agree(ev: Evidence, values: list[float]) -> bool:
    """True when the halves of the curve differ by less than reports between them: a rate of 0 may be a rounded one."""
    half, ordered = len(values) // 2, sorted(values)
    spread = ordered[3 * len(values) // 4] - ordered[len(values) // 4]
    return (
        flat(ev, values)
        or abs(statistics.median(values[half:]) - statistics.median(values[:half]))
        <= ev.threshold("e1.unmoved_share") * spread
    )


def hardly_moved(ev: Evidence, values: list[float], within: str = "e1.plateau_spread") -> bool:
    """True when the thirds of a curve stand within some hundredths of each other, and chance explains any fall."""
    third, level = len(values) // 3, statistics.median(values)
    moved = abs(statistics.median(values[:third]) - statistics.median(values[-third:]))
    return moved <= ev.threshold(within) * level and level_throughout(ev, values, SURE)


def level_throughout(ev: Evidence, values: list[float], errors: float = _ERRORS) -> bool:
    """True when the first third of a curve lies no higher than the last, but for what chance leaves to a median.

    Args:
        ev: The evidence.
        values: The losses.
        errors: How many times the error of a median a fall has to exceed: few where a failure rests on its absence,
            more where health rests on it.
    """
    third, ordered = len(values) // 3, sorted(values)
    spread = ordered[3 * len(values) // 4] - ordered[len(values) // 4]
    fell = statistics.median(values[:third]) - statistics.median(values[-third:])
    # The error of a median of n readings is about their quartile distance over the root of n.
    return fell <= errors * spread / math.sqrt(third)


def never_fell(values: list[float]) -> bool:
    """Whether each of more values than chance puts in order is above the one before."""
    return len(values) >= _IN_ORDER and all(low < high for low, high in itertools.pairwise(values))


_IN_ORDER: Final = 8
"""Values that chance puts in order once in 40,320 times."""


def by_stages(values: list[float], rise: float) -> bool:
    """Whether a loss rose by leaps only, of half of ``rise`` and more, and came down by most of each: a curriculum."""
    leaps = [at for at, (low, high) in enumerate(itertools.pairwise(values), 1) if high - low >= rise / 2]
    stages = [values[at:until] for at, until in itertools.pairwise([*leaps, len(values)])]
    down = (stage[0] - statistics.median(stage[-max(1, len(stage) // 3) :]) for stage in stages)
    up = (values[at] - values[at - 1] for at in leaps)
    return len(leaps) > 1 and all(fell >= rose / 2 for fell, rose in zip(down, up, strict=True)) and falls(stages[-1])


def flat(ev: Evidence, values: list[float]) -> bool:
    """Whether all values lie within some hundredths of each other."""
    return max(values) - min(values) <= ev.threshold("e1.plateau_spread") * statistics.median(values)


def learns_anew(ev: Evidence, high: list[float], tail: float) -> bool:
    """True when the loss has been falling ever since it rose: another stage, another loss, or a way back."""
    third = len(high) // 3
    if third < ev.threshold("e1.least_third"):
        return False
    return max(high[-third:]) < min(high[:third]) and tail <= ev.threshold("e1.recovering_share") * max(high)
