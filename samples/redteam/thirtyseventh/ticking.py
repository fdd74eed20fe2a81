"""Clocks, curves and bars for the curves of the thirty-seventh set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

BLOCKS = " ▏▎▍▌▋▊▉█"


@dataclass
class Clock:
    """A time that only goes on."""

    now: datetime
    rng: Random

    def tick(self, seconds: float, jitter: float = 0.0) -> datetime:
        """Go on by some seconds, give or take a part of them."""
        self.now += timedelta(seconds=max(0.0, seconds * (1 + self.rng.gauss(0, jitter))))
        return self.now

    def pod(self, text: str) -> str:
        """A line as ``kubectl logs --timestamps`` gives it."""
        return f"{self.now:%Y-%m-%dT%H:%M:%S.%f}{self.rng.randrange(1000):03d}Z {text}"


@dataclass
class Curve:
    """A loss that falls from its start to its floor, with noise that has a memory and spikes that decay."""

    start: float
    floor: float
    tau: float
    noise: float
    rng: Random
    power: float = 0.7
    spikes: Sequence[tuple[float, float, float]] = field(default_factory=tuple)
    drift: float = 0.0

    def at(self, step: float) -> float:
        """The loss at a step."""
        base = self.floor + (self.start - self.floor) * exp(-((step / self.tau) ** self.power))
        for where, height, heal in self.spikes:
            if step >= where:
                base += height * exp(-(step - where) / heal)
        self.drift = 0.6 * self.drift + self.rng.gauss(0, self.noise)
        return base * (1 + self.drift)


def hms(seconds: float) -> str:
    """A duration as tqdm writes it."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60:02d}:{rest % 60:02d}"


def blocks(done: float, width: int = 10) -> str:
    """The bar itself."""
    eighths = int(done * width * 8)
    full, part = divmod(eighths, 8)
    return ("█" * full + (BLOCKS[part] if full < width else "")).ljust(width)


def bar(label: str, n: int, total: int, spent: float, extra: str = "", unit: str = "it") -> str:
    """A tqdm bar without its carriage return."""
    rate = n / spent if n and spent > 0 else 0.0
    if not rate:
        speed, left = f"?{unit}/s", "?"
    else:
        speed = f"{rate:5.2f}{unit}/s" if rate >= 1 else f"{1 / rate:5.2f}s/{unit}"
        left = hms((total - n) / rate)
    tail = f", {extra}" if extra else ""
    return f"{label}{n / total:4.0%}|{blocks(n / total)}| {n}/{total} [{hms(spent)}<{left}, {speed}{tail}]"
