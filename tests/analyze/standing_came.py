"""Logs of those who wait: a server that counts who came, and a process that never did an update."""

from __future__ import annotations

import math


def _hours(second: int) -> str:
    return f"{8 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def rounds(closed: int = 40, of: int = 6) -> list[str]:
    """Rounds that a server closed with all of its members."""
    return [
        f"2026-03-02 {_hours(11 * n)} hub: turn {n} merged {of}/{of}, loss {0.3 + 2 * math.exp(-n / 9):.4f}"
        for n in range(1, closed + 1)
    ]


def short(have: int = 5, of: int = 6, lines: int = 20) -> list[str]:
    """What it said from then on, each minute."""
    return [
        f"2026-03-02 {_hours(450 + 60 * n)} hub: turn 41 has {have}/{of}, age {60 * n} s" for n in range(1, lines + 1)
    ]


def at_nought(lines: int = 40, done: str = "updates=0", held: str = "gpu_gib=18.7") -> list[str]:
    """A process that tells every minute that it did nothing, beside sensors that waver."""
    return [
        "t=08:00:01 ev=boot dev=cuda:0",
        *(
            f"t={_hours(60 * n)} ev=stat {done} gpu_util=0% {held} watts={82 + n % 5} host_cpu={n % 3}%"
            for n in range(1, lines + 1)
        ),
    ]
