"""What lines of one form counted, where no reader knows what they tell of.

A run whose progress nobody could read may have been at its first step or at its last: that a counter rose shows that it
was at work, so that nothing may be said to have happened before the first step.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

_LINES: Final = 5000
"""The last lines with a number that are looked at."""
_TIMES: Final = (
    r"\d{4}[-/]\d\d[-/]\d\d|\b[IWEFD]\d{4}\b|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?|\b\d{9,}(?:\.\d+)?\b|0x[0-9a-fA-F]+"
)
"""Clocks, dates and addresses: they rise, or change, whatever a program does."""
_BAR: Final = r"\|[ \x{2588}-\x{258f}#=>.*-]{2,200}\||\[[=#>. *~-]{4,200}\]"
"""What a bar draws of how far it came, beside the numbers that say so."""
_NUMBER: Final = r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_REPORTS: Final = 5
"""Lines of one form from which on a number that only rises is a counter."""
_WIDTH: Final = 240
_PLACES: Final = re.compile(
    r"(?i)(?:rank|worker|process|proc|pid|gpus?|device|cuda:|node|layers?|channel|ring|tree|threads?|cores?|port|line|frame"
    r"|params?|parameters|head|expert|fold|seed|version|v)\W{0,3}$"
)
"""What stands before a number that tells which one of many it is, not how far something came."""
_PREPARES: Final = re.compile(
    r"(?i)load|read|writ|download|fetch|tokeni[sz]|extract|index|scan|cach|convert|preprocess|prepar|build|compil|cop(?:y|ied)"
    r"|filter|shuffl|wait|retr(?:y|ies)|attempt|connect|install|upload|import|pars"
)
"""What a job does before it trains, or beside it."""


@dataclass(frozen=True, slots=True)
class Counted:
    """How far a counter came.

    Attributes:
        number: What it said last.
        prepares: Whether the words beside it may be of what comes before training.
        told_ns: When each of its lines was printed, where every one has a clock.
    """

    number: int
    prepares: bool
    told_ns: tuple[int, ...] = ()

    def silent_s(self, until_ns: int | None, cadences: float, least_s: float) -> float | None:
        """How long it had been silent then, where so many of its reports were due; None where it was not."""
        if until_ns is None or len(self.told_ns) < 2 * _REPORTS:
            return None
        gaps = sorted(high - low for low, high in itertools.pairwise(self.told_ns))
        silent = until_ns - self.told_ns[-1]
        longest = max(cadences * gaps[len(gaps) // 2], 2 * gaps[-1], least_s * 1e9)
        return silent / 1e9 if silent > longest else None


def counted(ev: Evidence) -> Counted | None:
    """The counter that rose in most lines of one form; None where none did."""
    if not ev.has("log_lines"):
        return None
    text = pl.col("text").str.slice(0, _WIDTH).str.replace_all(ANSI, "").str.replace_all(_TIMES, "")
    lines = (
        ev.scan("log_lines")
        .filter(pl.col("text").str.contains(r"\d") & ~pl.col("text").str.contains(r"NCCL |^ *File \""))
        .select("node", "source", "rank", "seq", "ts_ns", text=text.str.replace_all(_BAR, "||"))
        .tail(_LINES)
        .with_columns(
            form=pl.col("text").str.replace_all(_NUMBER, "#"), numbers=pl.col("text").str.extract_all(_NUMBER)
        )
        .filter(pl.col("form").str.contains("[A-Za-z]"))
        .collect()
    )
    place = ["node", "source", "rank", "form"]
    groups = lines.sort("seq").group_by(place, maintain_order=True).agg("numbers", "ts_ns")
    found = [
        (
            len(told),
            Counted(int(float(values[-1])), _PREPARES.search(form) is not None, () if None in at else tuple(at)),
        )
        for form, told, at in groups.filter(pl.col("numbers").list.len() >= _REPORTS)
        .select("form", "numbers", "ts_ns")
        .iter_rows()
        for before, values in zip(form.split("#"), zip(*told, strict=True), strict=False)
        if not _PLACES.search(before)
        # A number with a point counts only where it stands first, as seconds do.
        and (all(value.isdecimal() for value in values) or (before == form.split("#")[0] and len(told[0]) > 1))
        and _rises(values)
    ]
    return max(found, key=lambda one: one[0], default=(0, None))[1]


def _rises(values: Sequence[str]) -> bool:
    """Whether a number only rises, and is told often enough."""
    return len(values) >= _REPORTS and all(float(low) < float(high) for low, high in itertools.pairwise(values))


def goes_on_below(ev: Evidence, row: Row, line: int | None) -> bool:
    """Whether lines of the form that stands most often above a line of its stream go on below it.

    Who reports in words that no reader knows was at work there, and is so again: another start of the program.
    """
    if line is None or not ev.has("log_lines"):
        return False
    text = pl.col("text").str.slice(0, _WIDTH).str.replace_all(ANSI, "").str.replace_all(_TIMES, "")
    form = text.str.replace_all(_BAR, "||").str.replace_all(_NUMBER, "#").str.replace_all(r"\s+", " ")
    near = pl.col("seq").is_between(line - _LINES, line + _LINES) & pl.col("text").str.contains(r"\d")
    told = ev.scan("log_lines").filter(same_stream(row) & near).select(form=form, below=pl.col("seq") >= line)
    told = told.filter(pl.col("form").str.contains("[A-Za-z].*#|#.*[A-Za-z]") & ~pl.col("form").str.contains('File "'))
    forms = told.group_by("form").agg(above=(~pl.col("below")).sum(), below=pl.col("below").sum()).collect()
    most = forms.sort("above", "form", descending=True).head(1)
    return bool(most.height and min(most["above"][0], most["below"][0]) >= _REPORTS)
