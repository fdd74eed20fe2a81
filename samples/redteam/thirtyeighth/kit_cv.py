"""What the curves of the thirty-eighth set share: a clock, a falling curve, a writer.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from random import Random


class Clock:
    """A wall clock that is only moved by hand."""

    def __init__(self, year: int, month: int, day: int, hour: int, minute: int, second: float = 0.0) -> None:
        self.now = datetime(year, month, day, hour, minute, tzinfo=UTC) + timedelta(seconds=second)

    def tick(self, seconds: float) -> datetime:
        """Move on and tell the time."""
        self.now += timedelta(seconds=seconds)
        return self.now

    def form(self, pattern: str) -> str:
        """The time in a strftime pattern."""
        return self.now.strftime(pattern)

    def millis(self, pattern: str = "%Y-%m-%d %H:%M:%S", mark: str = ",") -> str:
        """The time with milliseconds."""
        return f"{self.now.strftime(pattern)}{mark}{self.now.microsecond // 1000:03d}"


def falling(rng: Random, step: float, start: float, floor: float, scale: float, noise: float = 0.02) -> float:
    """One noisy value of a curve that falls from start to floor."""
    return (floor + (start - floor) / (1.0 + step / scale) ** 0.9) * math.exp(rng.gauss(0.0, noise))


def span(seconds: float, hours: bool = False) -> str:
    """Seconds as MM:SS or H:MM:SS."""
    whole = int(seconds)
    if hours or whole >= 3600:
        return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    return f"{whole // 60:02d}:{whole % 60:02d}"


def put(path: Path, lines: Iterable[str], end: str = "\n") -> None:
    """Write the lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + end, encoding="utf-8")
