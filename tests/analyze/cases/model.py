"""What a constructed case is."""

from __future__ import annotations

from dataclasses import dataclass

OUTSIDE = "outside"
"""The cause is clear and no family covers it."""

UNDECIDABLE = "-"
"""The evidence does not tell: abstaining is the right answer."""


@dataclass(frozen=True)
class Case:
    """Files a user hands in, what they know of the end, and what is right.

    ``right`` holds the families that are right answers (or ``OUTSIDE``, ``UNDECIDABLE``), separated by blanks; the
    first is the one the case was built for. The other expectations are checked where they are given.
    """

    name: str
    files: dict[str, str]
    right: str
    exit_code: int | None = None
    signal: int | None = None
    fault_class: str | None = None
    attribution: str | None = None
    ranks: tuple[int, ...] | None = None
    nodes: tuple[str, ...] | None = None

    @property
    def answers(self) -> frozenset[str]:
        """All right answers."""
        return frozenset(self.right.split())

    @property
    def decidable(self) -> bool:
        """True when abstaining is not among the right answers."""
        return UNDECIDABLE not in self.answers

    @property
    def sound(self) -> bool:
        """True for runs in which nothing went wrong."""
        return "G1" in self.answers


def log(name: str, text: str, right: str, exit_code: int | None = None, **more: object) -> Case:
    """A case of one log file."""
    return Case(name, {"train.log": text}, right, exit_code, **more)  # type: ignore[arg-type]
