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

from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

_LINES: Final = 5000
"""The last lines with a number that are looked at."""
_TIMES: Final = (
    r"\d{4}[-/]\d\d[-/]\d\d|\b[IWEFD]\d{4}\b|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?|\b\d{9,}(?:\.\d+)?\b|0x[0-9a-fA-F]+"
)
"""Clocks, dates and addresses: they rise, or change, whatever a program does."""
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
    """

    number: int
    prepares: bool


def counted(ev: Evidence) -> Counted | None:
    """The counter that rose in most lines of one form; None where none did."""
    if not ev.has("log_lines"):
        return None
    text = pl.col("text").str.slice(0, _WIDTH).str.replace_all(ANSI, "").str.replace_all(_TIMES, "")
    lines = (
        ev.scan("log_lines")
        .filter(pl.col("text").str.contains(r"\d") & ~pl.col("text").str.contains(r"NCCL |^ *File \""))
        .select("node", "source", "rank", "seq", text=text)
        .tail(_LINES)
        .with_columns(
            form=pl.col("text").str.replace_all(_NUMBER, "#"), numbers=pl.col("text").str.extract_all(_NUMBER)
        )
        .filter(pl.col("form").str.contains("[A-Za-z]"))
        .collect()
    )
    place = ["node", "source", "rank", "form"]
    groups = lines.sort("seq").group_by(place, maintain_order=True).agg("numbers")
    found = [
        (len(told), Counted(int(values[-1]), _PREPARES.search(form) is not None))
        for form, told in groups.filter(pl.col("numbers").list.len() >= _REPORTS).select("form", "numbers").iter_rows()
        for before, values in zip(form.split("#"), zip(*told, strict=True), strict=False)
        if all(value.isdecimal() for value in values)
        and not _PLACES.search(before)
        and all(int(low) < int(high) for low, high in itertools.pairwise(values))
    ]
    return max(found, key=lambda one: one[0], default=(0, None))[1]
