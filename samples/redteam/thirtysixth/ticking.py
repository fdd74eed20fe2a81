"""SIMULATED: clocks, curves and bars the cases of the curves share. Nothing here was recorded."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


class Clock:
    """A wall clock that runs on as work is done."""

    def __init__(self, start: str, rng: Random) -> None:
        self.now = datetime.fromisoformat(start).replace(tzinfo=UTC)
        self.rng = rng
        self.begun = self.now

    def on(self, seconds: float, spread: float = 0.04) -> datetime:
        """Let about so many seconds pass."""
        self.now += timedelta(seconds=max(seconds * self.rng.gauss(1.0, spread), seconds * 0.3))
        return self.now

    def say(self, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        return self.now.strftime(form)

    def comma(self) -> str:
        return self.now.strftime("%Y-%m-%d %H:%M:%S,") + f"{self.now.microsecond // 1000:03d}"

    def elapsed(self) -> float:
        return (self.now - self.begun).total_seconds()


class Pod:
    """A pod's log as ``kubectl logs --timestamps`` gives it."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.lines: list[str] = []

    def put(self, text: str, after: float = 0.0) -> None:
        if after:
            self.clock.on(after)
        for line in text.split("\n"):
            self.clock.now += timedelta(microseconds=self.clock.rng.randint(9, 160))
            nanos = f"{self.clock.now.microsecond:06d}{self.clock.rng.randint(0, 999):03d}".rstrip("0")
            self.lines.append(f"{self.clock.now:%Y-%m-%dT%H:%M:%S}.{nanos or '0'}Z {line}")

    def write(self, path: Path) -> None:
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


class Noise:
    """Noise with a memory."""

    def __init__(self, rng: Random, size: float, memory: float = 0.6) -> None:
        self.rng, self.size, self.memory, self.value = rng, size, memory, 0.0

    def next(self) -> float:
        self.value = self.memory * self.value + self.rng.gauss(0, self.size)
        return self.value


def falling(at: float, start: float, floor: float, scale: float, power: float = 0.0) -> float:
    """A loss after ``at``: exponential, or a power law where a power is given."""
    if power:
        return floor + (start - floor) * (1 + at / scale) ** -power
    return floor + (start - floor) * math.exp(-at / scale)


def span(seconds: float) -> str:
    """A duration as bars write it."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours:d}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60:02d}:{rest % 60:02d}"


def blocks(share: float, width: int) -> str:
    """The body of a bar with eighths of a block."""
    eighths = int(share * width * 8)
    full, part = divmod(eighths, 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[part] if part else "")).ljust(width)


def bar(label: str, done: int, total: int, passed: float, width: int = 10, tail: str = "") -> str:
    """A line of tqdm's."""
    rate = done / passed if passed > 0 and done else 0.0
    left = span((total - done) / rate) if rate else "?"
    pace = "?it/s" if not rate else f"{rate:.2f}it/s" if rate >= 1 else f"{1 / rate:.2f}s/it"
    return (
        f"{label}{': ' if label else ''}{int(100 * done / total):3d}%|{blocks(done / total, width)}| {done}/{total} "
        f"[{span(passed)}<{left}, {pace}{', ' + tail if tail else ''}]"
    )
