"""Small helpers of the curve cases. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


class Clock:
    """A wall clock that only goes on when told."""

    def __init__(self, start: str) -> None:
        """Set it to an ISO time."""
        self.now = datetime.fromisoformat(start)

    def on(self, seconds: float) -> datetime:
        """Go on by some seconds."""
        self.now += timedelta(seconds=seconds)
        return self.now

    def show(self, form: str) -> str:
        """Print with strftime; %L stands for three digits of milliseconds."""
        return self.now.strftime(form.replace("%L", f"{self.now.microsecond // 1000:03d}"))


def fall(step: float, first: float, last: float, pace: float) -> float:
    """A learning curve from first to last."""
    return last + (first - last) * math.exp(-step / pace)


def jitter(rng: Random, value: float, part: float) -> float:
    """A value with relative noise."""
    return value * math.exp(rng.gauss(0.0, part))


def hms(seconds: float) -> str:
    """Seconds as tqdm prints them."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    tail = f"{rest // 60:02d}:{rest % 60:02d}"
    return f"{hours}:{tail}" if hours else tail


def write(path: Path, lines: list[str]) -> None:
    """Write lines to a file."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
