"""What a program says at its end of where its time went: ``total write time 0:47:07, wall 0:53:24``.

One line tells of the whole run then, where no report does. It counts where it tells the whole as well, or what was
computed, and where that is about as long as the run was, as far as that is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._pace import steps_done
from inquest.analyze.families._wall import wall_s
from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.told_times import EVALUATION, told_times
from inquest.bundle.timers import DATA, SAVE

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_SUMS_UP: Final = (
    r"(?i)\b(?:totals?|sum(?:me|ma|med)?|overall|altogether|in all|gesamt|insgesamt|zusammen|итого|всего|somme|suma"
    r"|soma|totale|yhteensä|totaal)\b"
    r"|合计|总计|合計|総計|총"
)
"""Words of lines that tell of a whole run."""
_OF_A_PART: Final = r"(?i)\b(?:eval\w*|valid\w*|test\w*|epoch|epoche|époque|época|window|last \d+|per)\b"
"""Those of a part of it, or of something else."""
_LAST: Final = 40
"""Lines from the end of a file on in which a program sums up."""
_STAMP: Final = re.compile(
    r"^\W*(?:\d{2,4}[-/.]\d\d[-/.]\d{2,4}[ T,]*)?(?:\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?\W+(?=[^\W\d])"
)
_HOURS: Final = re.compile(r"(?<![\d:])(\d{1,3}):([0-5]\d):([0-5]\d)(?![\d:])")
_COMMA: Final = re.compile(r"(?<![\d.,])(\d{1,9}),(\d{1,9})(?![\d,])")
_LONG_S: Final = 300
"""Runs that are shorter began and ended for most of their time."""
_ALIKE: Final = (0.5, 1.5)
"""What is told of a whole run, as a multiple of the time from its first report to its last."""


@dataclass(frozen=True, slots=True)
class InAll:
    """What a run did most of its time.

    Attributes:
        column: ``DATA`` or ``SAVE``.
        share: Which part of its time that was.
        seconds: How long in all.
        row: The line that tells it.
    """

    column: str
    share: float
    seconds: float
    row: Row


def in_all(ev: Evidence, story: Story, least: float) -> InAll | None:
    """What took no less than ``least`` of the time by the last line that sums it up; None where none does."""
    told = ev.once(("in all",), lambda: _summed_up(ev, story))
    if told is None or told.share < least or steps_done(story) < ev.threshold("d.least_steps"):
        return None
    return told


def _summed_up(ev: Evidence, story: Story) -> InAll | None:
    if not ev.has("log_lines"):
        return None
    text = pl.col("text").fill_null("").str.replace_all(ANSI, "").str.slice(0, 400)
    ends = ev.scan("log_lines").filter(pl.col("seq") > pl.col("seq").max().over("node", "source") - _LAST)
    lines = ends.filter(text.str.contains(_SUMS_UP) & ~text.str.contains(_OF_A_PART))
    found = [
        told
        for row in lines.with_columns(plain=text).collect().sort("node", "source", "seq").iter_rows(named=True)
        if (told := _read(row)) is not None
    ]
    # Of several that tell otherwise, nobody knows which tells of the run.
    if len({(each.column, round(each.share, 1)) for each in found}) != 1:
        return None
    last, wall = found[-1], wall_s(ev, story)
    whole = last.seconds / last.share
    return last if wall is None or _ALIKE[0] * wall <= whole <= _ALIKE[1] * wall else None


def _read(row: Row) -> InAll | None:
    text = _STAMP.sub("", str(row["plain"]), count=1)
    text = _HOURS.sub(lambda t: f"{int(t[1]) * 3600 + int(t[2]) * 60 + int(t[3])} s", text)
    told = told_times(_COMMA.sub(r"\1.\2", text))
    if told is None or not told.timed or told.whole < _LONG_S or told.parts.get(EVALUATION):
        return None
    column, seconds = max(told.parts.items(), key=lambda each: each[1])
    # A whole that is but the sum of what is told besides may leave out the computing.
    if column not in (DATA, SAVE) or not (told.sure or told.whole > 1.02 * sum(told.parts.values())):
        return None
    return InAll(column, seconds / told.whole, seconds, row)
