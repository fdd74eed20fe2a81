"""Small helpers for the curves of this folder.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from random import Random


class Clock:
    """A wall clock that only goes forward."""

    def __init__(self, start: str) -> None:
        self.now = datetime.fromisoformat(start)

    def go(self, seconds: float) -> datetime:
        """Move on by so many seconds and tell the time."""
        self.now += timedelta(seconds=seconds)
        return self.now

    def say(self, form: str, *, milli: str = "") -> str:
        """The time in a form of strftime, with milliseconds after a separator where asked."""
        told = self.now.strftime(form)
        return f"{told}{milli}{self.now.microsecond // 1000:03d}" if milli else told


def fall(step: float, start: float, end: float, pace: float) -> float:
    """An exponential fall from start to end with a slow tail."""
    return end + (start - end) * (0.75 * math.exp(-step / pace) + 0.25 / (1.0 + step / pace))


def noisy(rng: Random, value: float, share: float) -> float:
    """The value with relative Gaussian noise."""
    return value * (1.0 + rng.gauss(0.0, share))


def bar(done: int, whole: int, width: int = 10) -> str:
    """The inner part of a tqdm bar."""
    eighths = int(width * 8 * done / whole)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")).ljust(width)


def span(seconds: float) -> str:
    """Seconds as tqdm tells them."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


def put(path: Path, lines: Iterable[str]) -> None:
    """Write lines as a text file."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
