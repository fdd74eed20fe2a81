"""Tables that a program prints of where its time went: a part of the step in each line, and its share of the whole."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._pace import steps_done
from inquest.analyze.families._profiler_table import profiled
from inquest.analyze.families._wall import wall_s
from inquest.analyze.logs.reader import ANSI
from inquest.bundle.timers import COMM, DATA, SAVE, timer_of

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_ROW: Final = re.compile(
    r"(?P<name>[^\W\d_][^\d%|:=]{0,40}?)[\s|:=(]+(?P<value>\d[\d.]{0,15})[\s|(]*(?P<unit>ms|us|µs|s|secs?|seconds?)?"
    r"(?:/\w{1,12})?(?:[\s|(,]+\d[\d.]{0,15})*[\s|(,]+(?P<share>\d{1,3}(?:\.\d{1,4})?) ?%[\s|)]*$"
)
"""A name, how much it was, and at the end of the line its share."""
_SHARE: Final = r"\d ?%[\s|)]*$"
_OF_TIME: Final = re.compile(
    r"(?i)(?<![\w/])(?:times?|ms|µs|us|secs?|seconds|durations?|took|spent|zeit|temps|tiempo|tempo|время|времени|tijd"
    r"|czas)(?![\w])|时间|時間|耗时|시간|\[s\]|\(s\)|\bs/"
)
_PARTS: Final = 3
"""Parts of a table at the least; of two, each is the rest of the other."""
_NEAR: Final = 3
"""Lines of others that may stand within a table, and those above it that say what it is of."""
_WHOLE: Final = (90.0, 102.0)
"""What shares come to that are parts of one whole: a profiler's, of calls within calls, come to more."""
_TABLES: Final = 3
"""Tables that tell of a run; one alone may be of its beginning."""
_READ: Final = 5000
FELT_S: Final = 30
"""Seconds in all below which nobody minds."""


@dataclass(frozen=True, slots=True)
class MostlySpent:
    """What most of the time went to by the program's own tables.

    Attributes:
        column: Which clock of a step its name tells of (``inquest.bundle.timers``).
        share: Part of the time: the median of the tables.
        seconds: In all, held against the time from the first report to the last.
        row: The line of ``log_lines`` that tells it, of a table like the most.
    """

    column: str
    share: float
    seconds: float
    tables: int
    row: Row


def mostly_spent(ev: Evidence, story: Story, least: float) -> MostlySpent | None:
    """What no less than ``least`` of the time went to that is no computing, by nearly all tables; None: by none."""
    for column, (calls, share, seconds, row) in ev.once(("profile",), lambda: profiled(ev)).items():
        if share >= least and calls >= ev.threshold("d.least_steps"):
            return MostlySpent(column, share, seconds, 1, row)
    tables = ev.once(("share tables",), lambda: _tables(ev, story))
    whole = wall_s(ev, story)
    if len(tables) < _TABLES or whole is None or steps_done(story) < ev.threshold("d.least_steps"):
        return None
    for column in (SAVE, DATA, COMM):
        shares = [sum(each.share for each in table if each.column == column) / 100 for table in tables]
        share = statistics.median_low(shares)
        firm = sum(each >= least for each in shares) >= _NEARLY_ALL * len(shares)
        if share < least or not firm or share * whole < FELT_S:
            continue
        like = tables[shares.index(share)]
        row = max((each for each in like if each.column == column), key=lambda each: each.share).row
        return MostlySpent(column, min(share, 1.0), share * whole, len(tables), row)
    return None


_NEARLY_ALL: Final = 0.75


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    share: float
    column: str | None
    timed: bool
    row: Row


def _tables(ev: Evidence, story: Story) -> list[list[_Part]]:
    """The tables of the stream that reports, below its first report."""
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    if told.is_empty() or not ev.has("log_lines"):
        return []
    first = told.row(0, named=True)
    text = pl.col("text").fill_null("").str.replace_all(ANSI, "")
    lines = ev.scan("log_lines").filter(same_stream(first) & (pl.col("seq") >= first["line_seq"]))
    rows = lines.filter(text.str.contains(_SHARE)).sort("seq").tail(_READ).with_columns(plain=text).collect()
    tables: list[list[_Part]] = [[]]
    for row in rows.iter_rows(named=True):
        if (part := _part(row)) is None:
            continue
        table = tables[-1]
        # The next table begins with a name that this one had, or far below.
        if table and (row["seq"] - table[-1].row["seq"] > _NEAR or any(part.name == each.name for each in table)):
            tables.append([])
        tables[-1].append(part)
    whole = [each for each in tables if len(each) >= _PARTS and _adds_up(each)]
    untimed = [each[0].row["seq"] for each in whole if not any(part.timed for part in each)]
    heads = _heads(lines, untimed)
    return [each for each in whole if each[0].row["seq"] not in untimed or each[0].row["seq"] in heads]


def _part(row: Row) -> _Part | None:
    found = _ROW.search(str(row["plain"])[-_WIDE:])
    if found is None:
        return None
    name = " ".join(found["name"].split()).lower()
    timer = timer_of(f"{name} s")
    return _Part(name, float(found["share"]), None if timer is None else timer.column, found["unit"] is not None, row)


_WIDE: Final = 200


def _adds_up(table: list[_Part]) -> bool:
    return _WHOLE[0] <= sum(part.share for part in table) <= _WHOLE[1]


def _heads(lines: pl.LazyFrame, begins: list[int]) -> set[int]:
    """Those first lines of tables above which a line says that they are of time."""
    near = {begin - above: begin for begin in begins for above in range(1, _NEAR + 1)}
    told = lines.filter(pl.col("seq").is_in(list(near))).select("seq", pl.col("text").fill_null("")).collect()
    return {near[seq] for seq, text in told.iter_rows() if _OF_TIME.search(text[:_WIDE])}
