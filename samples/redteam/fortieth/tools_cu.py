"""SIMULATED: nothing here was taken from a real job. Small helpers for the made-up training logs of this folder."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


class Clock:
    """A wall clock that the cases move on by hand."""

    def __init__(self, start: str) -> None:
        """Start at an ISO time."""
        self.now = datetime.fromisoformat(start)

    def on(self, seconds: float) -> Clock:
        """Move on by so many seconds."""
        self.now += timedelta(seconds=seconds)
        return self

    def show(self, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """The time in a ``strftime`` form."""
        return self.now.strftime(form)

    def milli(self, mark: str = ",") -> str:
        """The time with milliseconds, as Python's logging prints it."""
        return f"{self.now:%Y-%m-%d %H:%M:%S}{mark}{self.now.microsecond // 1000:03d}"


def fall(step: float, top: float, floor: float, scale: float, rng: Random, noise: float = 0.02) -> float:
    """A loss that falls from ``top`` towards ``floor`` with some noise."""
    return (floor + (top - floor) * math.exp(-step / scale)) * (1 + rng.gauss(0, noise))


def write(path: Path, lines: list[str]) -> None:
    """Write lines of text, each ended by a line feed."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
