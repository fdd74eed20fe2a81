"""Conversions: what one clock shows when another shows its time, by pieces, each with what it may be wrong by.

Two kinds of readings lead to one. *Ends* of one event on two clocks differ by noise that knows no limit (`ends`).
*Messages* cannot arrive before they were sent (`messages`).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

Apart = tuple[int, int]
"""A time of one clock, and what another shows more (or at most, or at least) then; ns."""
Span = tuple[int, int]

MAX_DRIFT: Final = 1e-3
"""No two clocks drift apart faster: an oscillator errs by 100 ppm, and NTP slews by at most 500 (adjtimex(2))."""
USUAL_DRIFT: Final = 2e-4
"""Two oscillators that err by 100 ppm each."""


@dataclass(frozen=True, slots=True)
class Piece:
    """From ``begin`` on (to the next piece) the other clock shows ``t + offset + drift * (t - begin)`` at time ``t``.

    ``bound`` is what that may be wrong by, in ns, anywhere in the piece.
    """

    begin: int
    offset: int
    drift: float
    bound: int

    def at(self, t: int) -> int:
        """The other clock at ``t``."""
        return t + self.offset + round(self.drift * (t - self.begin))


class Conversion:
    """From the time of one clock to that of another, by pieces; the first and the last have no outer end."""

    __slots__ = ("_begins", "pieces")

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces = tuple(pieces)
        self._begins = [piece.begin for piece in self.pieces[1:]]

    def bound(self, t: int) -> int:
        """What the conversion of ``t`` may be wrong by."""
        return self.pieces[bisect_right(self._begins, t)].bound

    def usual_bound(self, span: Span) -> int:
        """The mean of that over ``span``."""
        first, last = span
        ends = (*self._begins, last)
        spans = [max(0, min(end, last) - max(piece.begin, first)) for piece, end in zip(self.pieces, ends, strict=True)]
        whole = sum(spans)
        if not whole:
            return self.bound(last)
        return sum(piece.bound * part for piece, part in zip(self.pieces, spans, strict=True)) // whole

    @property
    def breaks(self) -> tuple[int, ...]:
        """Where one piece ends and the next begins."""
        return tuple(self._begins)

    def __call__(self, t: int) -> int:
        """The other clock at ``t``."""
        return self.pieces[bisect_right(self._begins, t)].at(t)

    def back(self, other: int) -> int:
        """When this clock showed its time as the other showed ``other``; the first time, where a step repeats it."""
        for piece, end in zip(self.pieces, self._begins, strict=False):
            t = _solve(piece, other)
            if t < end:
                return t
        return _solve(self.pieces[-1], other)


def _solve(piece: Piece, other: int) -> int:
    apart = other - piece.begin - piece.offset
    return piece.begin + apart - round(apart * (piece.drift / (1 + piece.drift)))
