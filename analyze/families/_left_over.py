"""What reports say of the time that is left, where nothing else tells how much was planned."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_UNITS: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_LENGTH: Final = (
    r"(?:\d{1,3}:)?\d{1,3}:\d\d(?!\d)"
    r"|\d{1,6}(?:\.\d{1,3})? ?(?:us|ms|sec|s|min|m|h|d)\b(?: \d{1,3} ?(?:ms|sec|s|min|m|h)\b)*"
)
_LEFT: Final = re.compile(rf"(?i)\b(?:remaining|eta|time[_ ]left)\b[\"']?\s?[:=]?\s?[~≈]?({_LENGTH})")
_SPENT: Final = re.compile(rf"(?i)\b(?:total|elapsed|time[_ ]spent)\b[\"']?\s?[:=]?\s?({_LENGTH})")
_LAST: Final = 3
"""Reports at the end that have to agree: an estimate of the first ones may be anything."""
_AGREE: Final = 1.5


@dataclass(frozen=True, slots=True)
class LeftOver:
    """What part of the work was done by the last report's own clocks, and how many steps that makes, about."""

    done: float
    steps: int
    row: Row
    """The line of ``log_lines`` that tells it."""


def left_over(ev: Evidence, story: Story) -> LeftOver | None:
    """How far it came by its own clocks of what is behind and ahead of it; None where a number of steps tells that.

    Epochs have clocks of their own, which begin anew with each.
    """
    told = story.steps.filter(pl.col("line_seq").is_not_null() & (pl.col("kind") == str(Kind.STEP)))
    if story.total_steps is not None or told["epoch"].is_not_null().any() or told["step"].null_count():
        return None
    last = told.sort("line_seq").unique("line_seq", keep="last", maintain_order=True).tail(_LAST)
    if last.height < _LAST:
        return None
    lines = ev.scan("log_lines").filter(
        same_stream(last.row(-1, named=True)) & pl.col("seq").is_in(last["line_seq"].implode())
    )
    rows = lines.sort("seq").with_columns(plain=pl.col("text").str.replace_all(ANSI, "")).collect()
    found = []
    for row, step in zip(rows.iter_rows(named=True), last["step"], strict=False):
        left, spent = _LEFT.search(str(row["plain"])), _SPENT.search(str(row["plain"]))
        if left is None or spent is None or (gone := _seconds(spent[1])) <= 0:
            return None
        whole = gone + _seconds(left[1])
        found.append(LeftOver(gone / whole, round((step + story.from_zero) * whole / gone), row))
    if len(found) < _LAST or max(each.steps for each in found) > _AGREE * min(each.steps for each in found):
        return None
    return found[-1]


def nothing_left(ev: Evidence, story: Story) -> Row | None:
    """The last report where no time was left by its own word, which had fallen to that all along; None otherwise.

    What is left of an epoch alone rises again with the next one, so that two of them have to be told, or none.
    """
    told = story.steps.filter(pl.col("line_seq").is_not_null() & (pl.col("kind") == str(Kind.STEP))).sort("line_seq")
    if told.is_empty() or told["epoch"].drop_nulls().n_unique() == 1:
        return None
    last = told.row(-1, named=True)
    lines = ev.scan("log_lines").filter(same_stream(last) & pl.col("seq").is_in(told["line_seq"].implode()))
    texts = lines.sort("seq").select("seq", pl.col("text").str.replace_all(ANSI, "")).collect().rows()
    found = [(seq, _seconds(left[1])) for seq, text in texts if (left := _LEFT.search(text)) is not None]
    if len(found) < _FALLING or found[-1][0] != last["line_seq"]:
        return None
    ahead = [seconds for _, seconds in found]
    early = ahead[len(ahead) // _FALLING :]
    if ahead[-1] > 0 or _FALLING * ahead.count(0.0) > len(ahead) + _FALLING or max(ahead) <= 0:
        return None
    return None if any(later > _AGREE * sooner for sooner, later in pairwise(early)) else last


_FALLING: Final = 10
"""Reports that tell the time that is left; a tenth of them may be wide of the mark, or round it to nothing."""


def _seconds(text: str) -> float:
    if ":" in text:
        parts = [int(part) for part in text.split(":")]
        return float(sum(part * 60**at for at, part in enumerate(reversed(parts))))
    return sum(float(value) * _UNITS[unit.lower()] for value, unit in _PART.findall(text))


_PART: Final = re.compile(r"(?i)(\d{1,6}(?:\.\d{1,3})?) ?(us|ms|sec|s|min|m|h|d)\b")
