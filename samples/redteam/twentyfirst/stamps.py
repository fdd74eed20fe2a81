"""Stamps with parts of a second that never run backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import clock

if TYPE_CHECKING:
    from random import Random


class Stamps:
    """The clock of one log."""

    def __init__(self, rng: Random, digits: int = 3, mark: str = ",") -> None:
        self.rng, self.digits, self.mark, self.last = rng, digits, mark, 0.0

    def __call__(self, now: float) -> str:
        """The stamp for this moment, or for just after the last one."""
        self.last = max(self.last + self.rng.random() * 0.004, now + self.rng.random() * 0.1)
        return f"{clock(self.last)}{self.mark}{int(self.last % 1 * 10**self.digits):0{self.digits}d}"
