"""A clock and a curve for the cases of the curves. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random


class Ticking:
    """The time a job lives through, with seconds that are never quite the same."""

    def __init__(self, rng: Random, start: str) -> None:
        """Start at a time written in ISO form."""
        self.rng = rng
        self.now = datetime.fromisoformat(start).replace(tzinfo=UTC)

    def on(self, seconds: float, spread: float = 0.02) -> float:
        """Let about so many seconds pass; now and then a hiccup.

        Returns:
            The seconds that passed.
        """
        took = seconds * max(0.2, self.rng.gauss(1, spread))
        if self.rng.random() < 0.01:
            took *= self.rng.uniform(1.15, 1.9)
        self.now += timedelta(seconds=took)
        return took

    def say(self, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """Write the time in a form; %3 stands for milliseconds.

        Returns:
            The text.
        """
        return self.now.strftime(form.replace("%3", f"{self.now.microsecond // 1000:03d}"))

    def iso(self, digits: int = 9) -> str:
        """Write the time as a container's platform does.

        Returns:
            The text, in UTC.
        """
        tail = f"{self.now.microsecond:06d}{self.rng.randrange(1000):03d}"[:digits]
        return f"{self.now:%Y-%m-%dT%H:%M:%S}.{tail}Z"


def falling(rng: Random, at: float, top: float, floor: float, half: float, noise: float = 0.015) -> float:
    """Give the loss at a step: two exponentials from the top to the floor, with noise.

    Returns:
        The loss.
    """
    clean = floor + (top - floor) * (0.6 * exp(-at / half) + 0.4 * exp(-at / (5 * half)))
    return clean * rng.gauss(1, noise)


def rate(at: int, peak: float, warm: int, total: int, low: float = 0.1) -> float:
    """Give the learning rate: a linear warm-up, then a linear fall to a part of the peak.

    Returns:
        The rate.
    """
    if at < warm:
        return peak * (at + 1) / warm
    return peak * (1 - (1 - low) * (at - warm) / max(1, total - warm))
