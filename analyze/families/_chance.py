"""Whether a classifier stands where guessing is: its loss at the logarithm of the number of classes, to the end."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._curve import series

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._story import Story

_FEW: Final = 5
"""Epochs that tell of no learning, where losses and answers of all of them are those of guessing."""
_NEAR: Final = 0.005
"""How near the median is to guessing, in parts of it: printed digits and the noise of batches."""
_ABOUT: Final = 0.01
"""And nine tenths of the reports."""
_ALIKE: Final = 0.1
"""A share of right answers differs by less from that of guessing where nothing was learnt."""
_USUAL: Final = (2, 10, 100, 1000)
"""Numbers of classes that the loss alone may tell: of others, some logarithm is always near."""
_USUALLY: Final = 0.001
"""A loss that is so near to that of guessing among a usual number is that of it."""


@dataclass(frozen=True, slots=True)
class Chance:
    """What guessing gives: a loss, among how many classes, and the share of right answers where it was told."""

    classes: int
    loss: float
    accuracy: float | None
    since: int
    """Number of the report from which on it stands there."""


def at_chance(ev: Evidence, story: Story, losses: Curve, *, ended: bool) -> Chance | None:
    """Where all of a curve, or its second half and more, stands at the level of guessing; None where it does not.

    The loss alone shows it of a run that ``ended`` as planned, with reports enough; an accuracy of one in so many shows
    it sooner.
    """
    values, right = losses.finite, series(story, "accuracy")
    # An epoch is many steps: a few of them tell as much, where both loss and answers do.
    epochs = len(right) >= _FEW and losses.numbers["kind"].is_in(("epoch", "validation")).all()
    least = _FEW if epochs else int(ev.threshold("e1.least_third"))
    if len(values) < least:
        return None
    level = statistics.median(values[-len(values) // 3 :])
    classes = round(math.exp(level)) if 0 < level < math.log(_MOST) else 0
    if classes < 2:
        return None
    classes = next((usual for usual in _USUAL if abs(level - math.log(usual)) <= _USUALLY * level), classes)
    guess = math.log(classes)
    off = [abs(value - guess) > _ABOUT * guess for value in values]
    if abs(level - guess) > _NEAR * guess:
        return None
    if sum(off) <= len(values) // 10:
        since = 0
    else:  # it had been elsewhere, and came to stand there
        since = max(at for at, far in enumerate(off) if far) + 1
        right = right[-(len(values) - since) :] if len(right) == len(values) else []
        if 2 * since > len(values):
            return _collapsed(values, right, since, classes)
    rest = values[since:]
    third = max(1, len(rest) // 3)
    if len(rest) < least or abs(statistics.median(rest[:third]) - statistics.median(rest[-third:])) > _NEAR * guess:
        return None
    if len(right) >= least:
        # Shares so small may be per cent: none is above 1 that tells it.
        told = next((some for some in (right, [value / 100 for value in right]) if _guesses(some, classes)), None)
        return None if told is None else Chance(classes, level, statistics.fmean(told), since)
    enough = len(rest) >= ev.threshold("e1.guessing_reports")
    return Chance(classes, level, None, since) if ended and enough and classes in _USUAL and not since else None


def _collapsed(values: list[float], right: list[float], since: int, classes: int) -> Chance | None:
    """Where its last reports stand exactly where guessing is, loss and answers, after leaps above where it began."""
    rest, guess = values[since:], math.log(classes)
    exact = all(abs(value - guess) <= _USUALLY * guess for value in rest)
    leapt = max(values[:since]) > (1 + _ALIKE) * max(values[0], guess)
    if classes not in _USUAL or len(rest) < _STANDS or len(right) != len(rest) or not (exact and leapt):
        return None
    return Chance(classes, guess, statistics.fmean(right), since) if _guesses(right, classes) else None


_STANDS: Final = 4


def _guesses(right: list[float], classes: int) -> bool:
    """Whether so many answers are right as by guessing, throughout and at the end.

    By means: of many classes, most batches hold no right answer.
    """
    return all(
        abs(statistics.fmean(some) - 1 / classes) <= allowed * _ALIKE / classes + _ERRORS * _error(some)
        for some, allowed in ((right, 1), (right[-len(right) // 3 :], 2))
    )


def _error(values: list[float]) -> float:
    """The error of their mean."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


_ERRORS: Final = 2
"""Errors of a mean by which shares of right answers may miss that of guessing."""
_MOST: Final = 100_000
"""Classes beyond which the loss is that of a language model, which is judged by its own levels."""
