"""A program that caught an error printed on as it had before: lines of one form stand above it and below, and count up.

It needs no word of them, so it holds where nobody could read what they count. What a pipe had held back of a process
that died comes out below its last words as well, but then none of it stands right above them.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from inquest.bundle.line_clock import strip_clock

if TYPE_CHECKING:
    from collections.abc import Iterable

AROUND: Final = 80
"""Lines above and below an error that are looked at."""
_ABOVE: Final = 2
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?|\b(?:nan|inf)\b")
_FILLING: Final = re.compile(r"[\s#=█▏▎▍▌▋▊▉░▒▓━─>.|*-]{2,}")
_LETTERS: Final = re.compile(r"[^\W\d_]{2}|[\u3040-\u30ff\u4e00-\u9fff]")
_OF_A_WATCHER: Final = re.compile(
    r"(?i)heart ?beat|alive|watchdog|monitor|nvidia|temperature|util(?:i[sz]ation)?\b|queue|retr(?:y|ies)|attempt"
    r"|waiting|uptime|idle"
)
"""What a thread beside the training prints, which may outlive it."""


def printed_on(above: Iterable[str], below: Iterable[str]) -> int:
    """How many lines below are of a form that was printed above, with a number, or a clock, that went on growing.

    Args:
        above: Lines right above an error, in order.
        below: Those right below it.
    """
    before, after = _by_form(above), _by_form(below)
    return max(
        (
            len(after[form])
            for form, told in before.items()
            if len(told) >= _ABOVE and form in after and _grows([*told, *after[form]], len(told))
        ),
        default=0,
    )


def _by_form(lines: Iterable[str]) -> dict[str, list[list[float]]]:
    forms: dict[str, list[list[float]]] = {}
    for line in lines:
        text = strip_clock(line)
        form = _FILLING.sub(" ", _NUMBER.sub("0", text)).strip()
        if "0" in form and _LETTERS.search(form) and not _OF_A_WATCHER.search(form):
            forms.setdefault(form, []).append([_value(number) for number in _NUMBER.findall(text)])
    return forms


def _value(number: str) -> float:
    try:
        return float(number.replace(",", ""))
    except ValueError:
        return 0.0


def _grows(told: list[list[float]], first_below: int) -> bool:
    """Whether a number of theirs never falls, and is greater at the end than it was above."""
    return any(
        all(one <= other for one, other in pairwise(column)) and column[-1] > column[first_below - 1]
        for column in zip(*told, strict=True)
    )
