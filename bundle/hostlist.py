"""Slurm's short form of node lists: ``gpu[001-003,007],login1``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_HOSTS: Final = 100_000
_PART: Final = re.compile(r"((?:[^,\[\]]|\[[0-9,-]+\])+)(?:,|$)")
_GROUP: Final = re.compile(r"\[([0-9,-]+)\]")
_NONE: Final = ("(", "None")
"""How Slurm's words for "none assigned" begin."""


def expand(text: str) -> tuple[str, ...]:
    """Names in the order listed.

    A text that is no host list gives (), and so does one of more than ``MAX_HOSTS`` names: it comes from evidence, and
    evidence may say anything.
    """
    names: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        part = _PART.match(text, at)
        expanded = part and _expand(part[1])
        if not part or not expanded or len(names) + len(expanded) > MAX_HOSTS:
            return ()
        names += expanded
        at = part.end()
    return tuple(names)


def assigned(lists: Iterable[str]) -> tuple[str, ...]:
    """Names in several lists, in their order; Slurm's words for none, ``(null)`` and ``None assigned``, give none."""
    return tuple(name for text in lists if not text.startswith(_NONE) for name in expand(text))


def is_cut(text: str) -> bool:
    """Whether a list broke off where its column ended: within a bracket, or within a name.

    Slurm lists nodes in order, so that of two neighbours with one stem the second never has the smaller number.
    """
    text = text.strip()
    if text.endswith(("+", ",")) or text.count("[") > text.count("]"):
        return True
    before, last = ("", *text.split(","))[-2:]
    if "]" in before or "]" in last or not before:
        return False
    (stem, number), (other, end) = (_numbered(name) for name in (before, last))
    return before != last and (before.startswith(last) or (stem == other and int(end or 0) < int(number or 0)))


def _numbered(name: str) -> tuple[str, str]:
    """A name and the number that it ends in."""
    stem = name.rstrip("0123456789")
    return stem, name[len(stem) :][:18]


def absent(lists: Iterable[str], present: Iterable[str]) -> tuple[str, ...]:
    """Nodes of host lists that are not ``present``, sorted; a name and its first label are the same node."""
    named: set[str] = set()
    for text in lists:
        if not text.startswith(("(", "None")):  # Slurm's words for "none assigned"
            named.update(expand(text))
    here = {label for name in present for label in (name, name.partition(".")[0])}
    return tuple(sorted(name for name in named if not {name, name.partition(".")[0]} & here))


def _expand(pattern: str) -> list[str]:
    names = [""]
    for piece in re.split(r"(\[[0-9,-]+\])", pattern):
        group = _GROUP.fullmatch(piece)
        numbers = _numbers(group[1]) if group else [piece]
        if len(names) * len(numbers) > MAX_HOSTS:
            return []
        names = [name + number for name in names for number in numbers]
    return names


def _numbers(ranges: str) -> list[str]:
    numbers: list[str] = []
    for item in ranges.split(","):
        low, _, high = item.partition("-")
        high = high or low
        if not (low.isdigit() and high.isdigit()) or len(high) > 9 or int(high) - int(low) >= MAX_HOSTS:
            return []
        numbers += [str(number).zfill(len(low)) for number in range(int(low), int(high) + 1)]
    return numbers
