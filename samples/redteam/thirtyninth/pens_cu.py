"""Small pens for the curves of one author: bars, stamps, files.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random


class Clock:
    """A clock that goes on as it is told."""

    def __init__(self, year: int, month: int, day: int, hour: int, minute: int, second: int = 0) -> None:
        """Start it."""
        self.now = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001
        self.start = self.now

    def go(self, seconds: float) -> datetime:
        """Pass time."""
        self.now += timedelta(seconds=seconds)
        return self.now

    def text(self, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """The time as text."""
        return self.now.strftime(form)

    def passed(self) -> float:
        """Seconds since the start."""
        return (self.now - self.start).total_seconds()


def span(seconds: float) -> str:
    """A span as tqdm prints it."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


def rate(seconds: float, unit: str = "it") -> str:
    """A rate as tqdm prints it."""
    return f"{seconds:.2f}s/{unit}" if seconds > 1 else f"{1 / seconds:.2f}{unit}/s"


def bar(done: int, total: int, width: int = 10) -> str:
    """The percentage and the blocks of a bar."""
    eighths = int(done / total * width * 8)
    full, part = divmod(eighths, 8)
    blocks = "█" * full + (" ▏▎▍▌▋▊▉"[part] if part else "")
    return f"{done * 100 // total:3d}%|{blocks:<{width}}|"


def fall(step: float, start: float, end: float, scale: float) -> float:
    """A falling curve without noise."""
    return end + (start - end) * exp(-step / scale) ** 0.7


def noisy(rng: Random, value: float, share: float) -> float:
    """A value with multiplicative noise."""
    return value * (1 + rng.gauss(0, share))


def put(path: Path, lines: Sequence[str], end: str = "\n") -> None:
    """Write lines to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\n".join(lines) + end)
