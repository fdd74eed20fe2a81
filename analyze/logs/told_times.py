"""The times that a line tells, each by the part of the work it is of: ``read 7.2s  fwd/bwd 0.1s``, ``iter 3.5 s [..]``.

Which part a name means is ``inquest.bundle.timers``' to say; this module finds out what the whole is that they are of.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from inquest.analyze.logs.named_numbers import TIMES, numbers_of
from inquest.bundle.timers import COMPUTE, DATA, SAVE, STEP, epoch_timer_of, tells_a_wait, timer_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.logs.named_numbers import Number

EVALUATION: Final = "evaluation"


class Told(NamedTuple):
    """What one line tells.

    Attributes:
        whole: How long all of it took, in seconds; of shares, 100.
        parts: How long each part took, by its column in ``fact_steps`` or ``EVALUATION``.
        timed: Whether these are seconds; else only their shares mean something.
        sure: Whether the whole is told, or the time of computing is; else other parts may be untold.
    """

    whole: float
    parts: dict[str, float]
    timed: bool
    sure: bool


class _Time(NamedTuple):
    part: str | None
    seconds: float
    called: str


def told_times(text: str) -> Told | None:
    """The parts of a time and the time itself; None where a line does not tell both."""
    numbers = numbers_of(text[:_WIDE])
    return _shares(numbers) or _seconds(numbers)


_WIDE: Final = 600


def _seconds(numbers: Sequence[Number]) -> Told | None:
    units = [TIMES.get(re.split(_PER, number.unit, maxsplit=1)[0]) for number in numbers]
    _in_the_whole_s_unit(numbers, units)
    _of_a_whole(numbers, units)
    timed = any(unit is not None for unit in units)
    times: list[_Time] = []
    whole: float | None = None
    for number, unit in zip(numbers, units, strict=True):
        scale = unit
        if scale is None:
            timer = timer_of(number.name)
            if number.whole or number.unit or timer is None or (timed and timer.seconds is None):
                continue
            scale = timer.seconds or 1.0
            timed = timed or timer.seconds is not None
        if not 0 <= number.value < _ENDLESS_S:
            return None
        seconds = number.value * scale
        if number.of:
            whole = seconds
        else:
            times.append(_Time(_part(number), seconds, number.name))
    return _summed(times, whole, timed=timed)


_PER: Final = r"/(?!s)| per "
"""``0.3 s/it``"""
_ENDLESS_S: Final = 1e8


def _in_the_whole_s_unit(numbers: Sequence[Number], units: list[float | None]) -> None:
    """Give numbers without a unit that add up to a time beside them its unit: ``iter 3.5 s [read 3.3 net 0.2]``."""
    bare = [
        unit is None and not number.whole and not number.unit and not number.of
        for number, unit in zip(numbers, units, strict=True)
    ]
    for at, number in enumerate(numbers):
        if (unit := units[at]) is None:
            continue
        for run in _RUNS:
            for first in {at + 1, at - run}:
                part = range(first, first + run)
                if first < 0 or first + run > len(numbers) or not all(bare[each] for each in part):
                    continue
                total = sum(numbers[each].value for each in part)
                if abs(total - number.value) <= _ROUNDED * number.value and any(
                    map(_part, numbers[first : first + run])
                ):
                    for each in part:
                        units[each] = unit
                    return


_RUNS: Final = range(2, 9)
_ROUNDED: Final = 0.02


def _of_a_whole(numbers: Sequence[Number], units: list[float | None]) -> None:
    """Give the part before ``of 36.3 s`` or ``/36.3 s`` the unit of the whole."""
    for before, (at, behind) in itertools.pairwise(enumerate(numbers)):
        if behind.of and units[at] is not None and units[before[0]] is None and not before[1].unit:
            units[before[0]] = units[at]


def _summed(times: Sequence[_Time], whole: float | None, *, timed: bool) -> Told | None:
    """The whole of these times, where one of them is it, or all of them make it up."""
    parts: dict[str, float] = {}
    steps = [each.seconds for each in times if each.part == STEP]
    unknown = [each for each in times if each.part is None and not _NO_PART.search(each.called)]
    for each in times:
        if each.part not in (None, STEP):
            parts[str(each.part)] = parts.get(str(each.part), 0.0) + each.seconds
    if not parts or (whole is None and len(times) < 2):
        return None
    known = sum(parts.values())
    if whole is None and steps and max(steps) >= (1 - _ROUNDED) * max(known, *parts.values()):
        whole = max(steps)
    elif whole is None and len(unknown) == 1 and unknown[0].seconds >= (1 - _ROUNDED) * known and not steps:
        whole = unknown[0].seconds  # ``epoch 3 done in 25.7 s, 25.6 s waiting for data``
    sure = whole is not None or COMPUTE in parts or bool(steps)
    if whole is None and (sure or unknown):
        whole = known + sum(steps) + sum(each.seconds for each in unknown)
    if whole is None or whole <= 0 or any(part > (1 + _ROUNDED) * whole for part in parts.values()):
        return None
    return Told(whole, parts, timed, sure)


def _shares(numbers: Sequence[Number]) -> Told | None:
    """Shares in per cent that make up all of a time: ``data 93.8 %  net 5.7 %  step 0.5 %``."""
    shares = [number for number in numbers if number.unit == "%" and 0 <= number.value <= _ALL]
    if len(shares) < 2 or abs(sum(number.value for number in shares) - _ALL) > _ROUNDED * _ALL:
        return None
    parts: dict[str, float] = {}
    for number in shares:
        if (part := _part(number)) is not None:
            part = COMPUTE if part == STEP else part
            parts[part] = parts.get(part, 0.0) + number.value
    return Told(_ALL, parts, timed=False, sure=True) if DATA in parts or SAVE in parts or EVALUATION in parts else None


_ALL: Final = 100.0


def _part(number: Number) -> str | None:
    return _part_by(number.name) or _part_by(f"{number.name} {number.behind}".strip())


@lru_cache(maxsize=4096)
def _part_by(name: str) -> str | None:
    """Which part of the work a time of this name is of; None where it does not tell."""
    if not name:
        return None
    if _EVALUATES.search(name):
        return EVALUATION
    timer = timer_of(f"{name} s") or epoch_timer_of(f"{name} s")
    if timer is not None:
        return timer.column
    if tells_a_wait(name) and not _OTHERS.search(name):
        return DATA
    return None


_EVALUATES: Final = re.compile(r"(?:^|[^a-z])(?:val(?:id\w*)?|eval\w*|test(?:ing)?|dev)(?:[^a-z]|$)")
_OTHERS: Final = re.compile(
    r"sav|ckpt|checkpoint|comm\b|reduce|gather|sync|barrier|peer|rank|worker|node|lock|gpu|kernel|grad|queue_?(?:len|size)"
)
"""What else may be waited for."""
_NO_PART: Final = re.compile(
    r"(?:^|[^a-z])(?:eta|left|remain\w*|since|start|elapsed|until|total time|so far|limit|budget|every|timeout|age"
    r"|uptime)(?:[^a-z]|$)"
)
"""Times that no part of a step is."""
