"""Lines that a terminal broke at its width, put together again.

A log that was copied from a terminal or captured by tmux holds the rest of each long line on the next one. Frames of a
traceback and the like tell so, and the width: no program prints a part of one on a line as wide as the widest. So do
words that are cut in two there, again and again.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LOOKED_AT: Final = 1 << 16
_NARROWEST: Final = 40
_OFTEN: Final = 4
"""Words cut in two at one width that are no chance."""
_PIECES: Final = 8
"""Into how many a line is broken at the most, as lines go."""
_FORM: Final = 12
_CUT: Final = re.compile(r"\w\w|\d\.|\.\d|\S[:,;)\]}%=]")
"""A word, a number or a sentence that goes on: the last sign of a line and the first one below."""
_WORDS: Final = re.compile(r"\w\w")
_USUAL: Final = frozenset({72, 80, 96, 100, 120, 132, 160, 200})
"""Widths of terminals, at which fewer will do."""
_WHOLE: Final = re.compile(
    r"""\s{2,}File "[^"]+", line \d+(?:, in \S+)?$|\w[\w: -]{0,80} \*\*\* [^*]+ \*\*\*$|\{'.*'epoch': [^{}]+\}$"""
)
"""Lines that are always printed whole: frames of a traceback, Slurm's words on a job's end, reports of a Trainer."""
_BEGUN: Final = re.compile(r"""\s{2,}File "|\w[\w: -]{0,80} \*\*\* |\{'""")


_LONGEST_MAIL: Final = 1 << 17
_WIDEST_OF_MAILS: Final = 132
_FIRST_WORD: Final = re.compile(r"^([^\s\w]*\w\S*)")
_OF_MAILS: Final = range(66, 81)
"""Widths at which mails are broken, where one line that goes on will do."""
_OPENED_OFTEN: Final = 2
_FARTHEST: Final = 6


@dataclass(frozen=True, slots=True)
class Soft:
    """Lines broken between words: the greatest width, and the forms with which lines of the log begin."""

    wide: int
    begun: frozenset[str]


def width(head: bytes) -> int | None:
    """The width at which the lines of a log with this ``head`` were broken; None where none was."""
    lines = head[:_LOOKED_AT].decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n")
    widest = max((len(line) for line in lines if "\r" not in line), default=0)
    if widest < _NARROWEST:
        return None
    wide = [(line, below) for line, below in pairwise(lines) if len(line) == widest]
    # Two words that would become one, in a mail, were parted by a blank: see soft_width.
    known = any(
        _BEGUN.match(line)
        and not _WHOLE.match(line)
        and _WHOLE.match(line + below)
        and (widest in _USUAL or widest >= _OF_MAILS.stop or not _WORDS.match(line[-1] + below[:1]))
        for line, below in wide
    )
    return widest if known or _rests(lines, wide) else None


def _rests(lines: list[str], wide: list[tuple[str, str]]) -> bool:
    """Whether what stands below the widest lines are rests of them: words cut in two, of forms seen nowhere else."""
    between = [line[-1] + below[:1] for line, below in wide]
    cut = sum(_CUT.match(signs) is not None for signs in between)
    told = sum(" " not in signs for signs in between)  # where a blank stood, nothing tells
    usual = bool(wide) and len(wide[0][0]) in _USUAL
    if cut < _OFTEN - usual or 2 * cut < told:
        return False
    if not usual and len({_form(line) for line, _ in wide}) == 1:
        return False  # a report of one width, and what is printed below each
    if len(lines) - len(wide) < max(_OFTEN, len(wide) // _PIECES):
        return False  # hardly a line would be left: reports of one width, below a line that is as wide
    rests = Counter(_form(below) for _, below in wide)
    begun = Counter(map(_form, lines))
    begun.subtract(rests)
    return all(not begun[form] for form in rests)


def soft_width(head: bytes) -> Soft | None:
    """How the lines of a log with this ``head`` were broken between words, as mails are; None where none was."""
    lines = head[:_LOOKED_AT].decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n")
    widest = max(map(len, lines), default=0)
    if len(head) >= _LONGEST_MAIL or not _NARROWEST < widest <= _WIDEST_OF_MAILS:
        return None
    tight = [_is_tight(line, below, widest) for line, below in pairwise(lines)]
    known = any(
        _BEGUN.match(line) and not _WHOLE.match(line) and _WHOLE.match(f"{line} {below}")
        for (line, below), full in zip(pairwise(lines), tight, strict=True)
        if full
    )
    closed = sum(_closed_below(lines, tight, at) for at, full in enumerate(tight) if full)
    if not known and closed < _OPENED_OFTEN - (widest in _OF_MAILS):
        return None
    begun = {_form(line) for line, full in zip(lines, [False, *tight], strict=True) if not full}
    return Soft(widest, frozenset(begun))


def _is_tight(line: str, below: str, wide: int) -> bool:
    """Whether the first word below had no place in a line, where one stands there that goes on."""
    word = _FIRST_WORD.match(below)
    return word is not None and bool(line.strip()) and len(line) + 1 + len(word[1]) > wide


def _closed_below(lines: list[str], tight: list[bool], at: int) -> bool:
    """Whether a bracket that a line opens is closed in what its text goes on with, as programs do within one line."""
    depth = _open(lines[at])
    for below in range(at + 1, min(at + 1 + _FARTHEST, len(lines))):
        if depth <= 0 or not tight[below - 1]:
            return False
        depth += _open(lines[below])
        if depth == 0:
            return True
    return False


def _open(line: str) -> int:
    return line.count("(") - line.count(")")


def _form(line: str) -> str:
    # Numbers that are aligned leave more blanks or less.
    return re.sub(r"\s+", " ", re.sub(r"\d+", "#", line[:_FORM]))


def joined(frames: Iterable[pl.DataFrame], wide: int | Soft) -> Iterator[pl.DataFrame]:
    """Rows of ``text.frames``, each line of that width with the one below it."""
    size = pl.col("text").str.len_chars()
    if isinstance(wide, Soft):
        above, form = pl.col("text").shift(1), pl.col("text").str.head(_FORM).str.replace_all(r"\d+", "#")
        form = form.str.replace_all(r"\s+", " ")
        word = pl.col("text").str.extract(_FIRST_WORD.pattern).str.len_chars()
        tight = (size.shift(1) > 0) & (size.shift(1) + 1 + word > wide.wide) & (pl.col("eol").shift(1) == "lf")
        other = ~form.is_in(wide.begun) & (form != form.shift(1)) & above.str.contains(r"\S")
        goes_on, between = (tight & other).fill_null(value=False), " "
    else:
        full = (size > 0) & (size % wide == 0) & (pl.col("eol") == "lf")
        goes_on, between = full.shift(1, fill_value=False), ""
    held: pl.DataFrame | None = None
    for frame in frames:
        rows = frame if held is None else pl.concat([held, frame])
        rows = rows.with_columns(line=(~goes_on).cum_sum())
        whole = rows.group_by("line", maintain_order=True).agg(
            pl.col("text").str.join(between),
            pl.col("offset").first(),
            pl.col("eol").last(),
            pl.col("line_bytes").sum() + pl.len().cast(pl.Int64) - 1,
            pl.col("truncated").any(),
        )
        whole = whole.drop("line")
        held, whole = whole.tail(1), whole.head(-1)  # its rest may stand in the next frame
        if whole.height:
            yield whole
    if held is not None:
        yield held
