"""Curves, and the few ways to write them down that many cases share: SIMULATED."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from math import cos, exp, pi
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from random import Random


def fall(rng: Random, step: float, top: float, floor: float, tau: float, noise: float = 0.02) -> float:
    """A loss that learns: two speeds, as most have, and noise in proportion."""
    gone = 0.6 * exp(-step / tau) + 0.4 * exp(-step / (5 * tau))
    return (floor + (top - floor) * gone) * (1 + rng.gauss(0, noise))


def cosine(step: float, total: float, peak: float, warm: float) -> float:
    """A rate that warms up, then follows half a cosine to nothing."""
    return peak * step / warm if step < warm else peak * 0.5 * (1 + cos(pi * (step - warm) / (total - warm)))


def stamp(epoch: float, form: str = "%Y-%m-%d %H:%M:%S", hours: float = 0) -> str:
    """A time as a cluster of that zone prints it."""
    return datetime.fromtimestamp(epoch, timezone(timedelta(hours=hours))).strftime(form)


def write(path: Path, lines: Iterable[str], end: str = "\n") -> None:
    """Lines of text; folders above are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + end for line in lines), newline="")


def table(path: Path, head: str, rows: Iterable[Iterable[object]], sep: str = ",", end: str = "\n") -> None:
    """A head and rows."""
    write(path, [head, *(sep.join(map(str, row)) for row in rows)], end)


def records(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """JSON lines."""
    write(path, map(json.dumps, rows))
