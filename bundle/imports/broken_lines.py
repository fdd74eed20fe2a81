"""Lines that a terminal broke at its width, put together again.

A log that was copied from a terminal or captured by tmux holds the rest of each long line on the next one. Frames of a
traceback and the like tell so, and the width: no program prints a part of one on a line as wide as the widest. So do
words that are cut in two there, again and again.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LOOKED_AT: Final = 1 << 16
_NARROWEST: Final = 40
_OFTEN: Final = 4
"""Words cut in two at one width that are no chance."""
_FORM: Final = 12
_CUT: Final = re.compile(r"\w\w|\d\.|\.\d|\S[:,;)\]}%=]")
"""A word, a number or a sentence that goes on: the last sign of a line and the first one below."""
_USUAL: Final = frozenset({72, 80, 96, 100, 120, 132, 160, 200})
"""Widths of terminals, at which fewer will do."""
_WHOLE: Final = re.compile(
    r"""\s{2,}File "[^"]+", line \d+(?:, in \S+)?$|\w[\w: -]{0,80} \*\*\* [^*]+ \*\*\*$|\{'.*'epoch': [^{}]+\}$"""
)
"""Lines that are always printed whole: frames of a traceback, Slurm's words on a job's end, reports of a Trainer."""
_BEGUN: Final = re.compile(r"""\s{2,}File "|\w[\w: -]{0,80} \*\*\* |\{'""")


def width(head: bytes) -> int | None:
    """The width at which the lines of a log with this ``head`` were broken; None where none was."""
    lines = head[:_LOOKED_AT].decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n")
    widest = max((len(line) for line in lines if "\r" not in line), default=0)
    if widest < _NARROWEST:
        return None
    wide = [(line, below) for line, below in pairwise(lines) if len(line) == widest]
    known = any(_BEGUN.match(line) and not _WHOLE.match(line) and _WHOLE.match(line + below) for line, below in wide)
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
    rests = Counter(_form(below) for _, below in wide)
    begun = Counter(map(_form, lines))
    begun.subtract(rests)
    return all(not begun[form] for form in rests)


def _form(line: str) -> str:
    return re.sub(r"\d+", "#", line[:_FORM])


def joined(frames: Iterable[pl.DataFrame], wide: int) -> Iterator[pl.DataFrame]:
    """Rows of ``text.frames``, each line of that width with the one below it."""
    size = pl.col("text").str.len_chars()
    full = (size > 0) & (size % wide == 0) & (pl.col("eol") == "lf")
    held: pl.DataFrame | None = None
    for frame in frames:
        rows = frame if held is None else pl.concat([held, frame])
        rows = rows.with_columns(line=(~full.shift(1, fill_value=False)).cum_sum())
        whole = rows.group_by("line", maintain_order=True).agg(
            pl.col("text").str.join(""),
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
