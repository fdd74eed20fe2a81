"""How a run learns, or does not, and how long its steps take: SIMULATED, nothing was taken from a real job."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


@dataclass
class Noise:
    """What one batch adds: correlated from report to report, sometimes with a heavy tail; multiplies the loss."""

    rng: Random
    sigma: float
    memory: float = 0.0
    tail: float = 0.0
    _last: float = 0.0

    def __call__(self) -> float:
        """The next factor."""
        shock = self.rng.gauss(0.0, self.sigma)
        if self.rng.random() < self.tail:
            shock *= self.rng.uniform(2.0, 4.0)
        self._last = self.memory * self._last + math.sqrt(1 - self.memory**2) * shock
        return math.exp(self._last)


def falls(start: float, floor: float, half: float, bend: float = 1.0) -> Callable[[float], float]:
    """A power law from ``start`` towards ``floor``; ``half`` steps take the first half of the way when bend is 1."""

    def at(step: float) -> float:
        return floor + (start - floor) / math.pow(1.0 + step / half, bend)

    return at


def stages(start: float, plateau: float, floor: float, leaves: float, width: float) -> Callable[[float], float]:
    """Falls at once to a plateau, and leaves it late, as small language models on hard data do."""

    def at(step: float) -> float:
        first = plateau + (start - plateau) * math.exp(-6.0 * step / leaves)
        return first - (plateau - floor) / (1.0 + math.exp(-(step - leaves) / width))

    return at


def turns(
    good: Callable[[float], float], at_step: float, pace: float, top: float, power: float = 1.0
) -> Callable[[float], float]:
    """Learns until ``at_step``, then rises towards ``top``: a creep where ``pace`` is long."""
    low = good(at_step)

    def at(step: float) -> float:
        if step <= at_step:
            return good(step)
        return low + (top - low) * (1.0 - math.exp(-math.pow((step - at_step) / pace, power)))

    return at


def blows(good: Callable[[float], float], at_step: float, doubling: float, cap: float) -> Callable[[float], float]:
    """Learns until ``at_step``, then doubles every ``doubling`` steps, up to what its arithmetic can hold."""
    low = good(at_step)

    def at(step: float) -> float:
        if step <= at_step:
            return good(step)
        return min(cap, low * math.pow(2.0, min(400.0, (step - at_step) / doubling)))

    return at


def cosine(peak: float, warm: int, plan: int, floor: float = 0.0) -> Callable[[int], float]:
    """A learning rate that warms up and falls as a cosine."""

    def at(step: int) -> float:
        if step < warm:
            return peak * step / max(1, warm)
        part = min(1.0, (step - warm) / max(1, plan - warm))
        return floor + (peak - floor) * 0.5 * (1.0 + math.cos(math.pi * part))

    return at


@dataclass
class Clock:
    """The wall clock of one run; steps take what they take."""

    rng: Random
    now: datetime
    pace_s: float
    jitter: float = 0.03
    hiccup: float = 0.0
    """How often a step takes several times as long."""
    begun: datetime = field(init=False)

    def __post_init__(self) -> None:
        """Remember the beginning."""
        self.begun = self.now

    def step(self, count: int = 1) -> float:
        """Let so many steps pass; the seconds they took."""
        seconds = 0.0
        mean = self.pace_s * count
        seconds = max(0.2 * mean, self.rng.gauss(mean, self.jitter * mean / math.sqrt(count)))
        if self.rng.random() < self.hiccup:
            seconds += self.pace_s * self.rng.uniform(2.0, 9.0)
        self.wait(seconds)
        return seconds

    def wait(self, seconds: float) -> Clock:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)
        return self

    @property
    def since_s(self) -> float:
        """Seconds since the beginning."""
        return (self.now - self.begun).total_seconds()

    def text(self, form: str = "%Y-%m-%d %H:%M:%S", digits: int = 0) -> str:
        """The time, with so many digits of a second (after a comma or point as the form ends)."""
        out = self.now.strftime(form)
        return out + f"{self.now.microsecond:06d}"[:digits] if digits else out


def clock(rng: Random, day: str, pace_s: float, jitter: float = 0.03, hiccup: float = 0.0) -> Clock:
    """A clock that begins at ``day`` (ISO), some seconds later."""
    begin = datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(seconds=rng.uniform(0, 600))
    return Clock(rng, begin, pace_s, jitter, hiccup)


def hms(seconds: float) -> str:
    """Hours, minutes and seconds as tqdm prints them."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60:02d}:{rest % 60:02d}"


def bar(part: float, width: int = 10) -> str:
    """A bar as tqdm draws it."""
    eighths = " ▏▎▍▌▋▊▉"
    filled = part * width
    whole = int(filled)
    mark = eighths[int((filled - whole) * 8)] if whole < width else ""
    return ("█" * whole + mark).ljust(width)[:width]
