"""What all cases of the seventeenth set write with: files, clocks and curves."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random

ZERO: Final = datetime(2026, 11, 2, tzinfo=UTC)
"""The Monday of the week in which all of it happens."""


def put(place: Path, name: str, lines: Sequence[str] | str) -> None:
    """Write a file below the case's folder, with an end of line.

    Args:
        place: The folder of the case.
        name: The file's name in it, folders and all.
        lines: Lines, or the text as it stands.
    """
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = lines if isinstance(lines, str) else "\n".join(lines) + "\n"
    path.write_bytes(text.encode())


def at(seconds: float) -> datetime:
    """The wall clock, seconds after the Monday."""
    return ZERO + timedelta(seconds=seconds)


def clock(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """The same as words."""
    return at(seconds).strftime(form)


def hms(seconds: float) -> str:
    """Hours, minutes, seconds as tqdm has them."""
    whole = int(seconds)
    head = f"{whole // 3600}:" if whole >= 3600 else ""
    return f"{head}{whole % 3600 // 60:02d}:{whole % 60:02d}"


def falls(rng: Random, step: float, start: float, floor: float, pace: float, noise: float = 0.01) -> float:
    """A loss that learns: from start to floor in some multiples of pace."""
    clean = floor + (start - floor) * (0.75 * math.exp(-step / pace) + 0.25 * math.exp(-step / (6 * pace)))
    return clean * (1 + rng.gauss(0, noise))


def bar(done: int, total: int, width: int = 10) -> str:
    """The body of a tqdm bar."""
    eighths = int(width * 8 * done / max(total, 1))
    full, part = divmod(eighths, 8)
    tail = " ▏▎▍▌▋▊▉"[part] if full < width else ""
    return ("█" * full + tail).ljust(width)[:width]
