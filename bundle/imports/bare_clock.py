"""Clocks without a date, ``20:37:33 step 40``, in a log of which another line had told the day.

Many loops print no more than the time of day. It counts on from the last line with a date, where the first such line
lies shortly behind that: who prints the time of another zone would lie an hour off, or before it. Where no date stands
above, the one of what ended the job may stand below.
"""

from __future__ import annotations

import itertools
import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle.imports import text as text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.source import Source
    from inquest.bundle.line_clock import ClockReader

_BARE: Final = (
    r"^\W{0,3}(?:(?:[A-Z]{1,8}|(?i:t|ts|time|at|when))\W{1,4})?"
    r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:[.,](\d{1,9}))?(?:[\s\]),|\"'-]|$)"
)
_SOON_S: Final = 900
"""What may pass between the line with the date and the first one without, as a job sets itself up."""
_BEFORE_S: Final = 2
_DAY: Final = 86_400
_NS: Final = 1_000_000_000
_ASKED: Final = 200
_MOSTLY: Final = 0.5
"""Of so many lines without a date this part has a time of day, where a log bears such clocks."""
_BY_THE_END: Final = 0.15
"""The same where its end tells the day: one line of a report of several bears the clock."""


@dataclass(slots=True)
class BareClock:
    """Reads the times of day of one log, frame by frame. ``utc_offset_minutes`` is that of the lines with dates."""

    utc_offset_minutes: int = 0
    first_day_ns: int | None = None
    """The day of the first of them, UTC nanoseconds of its midnight there, where the end of the log tells it."""
    _off: bool = False
    _day_ns: int | None = None
    _last_s: float = 0.0

    def told(self, text: pl.Series, ts_ns: pl.Series, before_ns: int | None) -> pl.Series:
        """``ts_ns``, UTC nanoseconds, with those of lines that tell the time of day alone.

        Args:
            text: Lines of the log.
            ts_ns: What their full clocks tell; null where they have none.
            before_ns: What the last line above told.
        """
        if self._off or not ts_ns.null_count():
            return ts_ns
        lines = pl.DataFrame({"text": text, "ts_ns": ts_ns})
        if self._day_ns is None and not self._begins(lines, before_ns):
            return ts_ns
        part = pl.col("text").str.extract_groups(_BARE).struct
        hours, minutes, seconds = (part.field(name).cast(pl.Int64, strict=False) for name in ("1", "2", "3"))
        fraction = pl.concat_str(pl.lit("0."), part.field("4").fill_null("0")).cast(pl.Float64)
        since = pl.when(pl.col("ts_ns").is_null()).then(hours * 3600 + minutes * 60 + seconds + fraction)
        bare = lines.select(since=since)["since"]
        told = bare.drop_nulls()
        if told.is_empty():
            return ts_ns
        # A time of day that falls by half a day and more is of the next one.
        fell = bare.forward_fill().fill_null(self._last_s).diff()
        fell[0] = (bare[0] if bare[0] is not None else self._last_s) - self._last_s
        days = (fell < -_DAY / 2).cum_sum()
        whole = (bare * _NS).round().cast(pl.Int64) + days.cast(pl.Int64) * _DAY * _NS + (self._day_ns or 0)
        self._last_s = float(told[-1])
        self._day_ns = (self._day_ns or 0) + int(days[-1]) * _DAY * _NS
        return lines.select(pl.coalesce("ts_ns", pl.lit(whole)))["ts_ns"]

    def _begins(self, lines: pl.DataFrame, before_ns: int | None) -> bool:
        """Find the day, from the first line with a time alone and the one with a date above it."""
        bare = pl.col("ts_ns").is_null() & pl.col("text").str.contains(_BARE)
        marked = lines.with_columns(bare=bare.fill_null(value=False), above=pl.col("ts_ns").forward_fill())
        first = marked.filter("bare").head(1)
        if first.is_empty():
            # Whoever prints the time of day does so soon, and a long log without it is not searched to its end.
            self._off = marked["ts_ns"].null_count() >= _ASKED
            return False
        asked = marked.filter(pl.col("ts_ns").is_null()).head(_ASKED)
        above = first["above"][0] if first["above"][0] is not None else before_ns
        few = asked["bare"].mean() < (_MOSTLY if self.first_day_ns is None else _BY_THE_END)  # type: ignore[operator]
        if few or (above is None and self.first_day_ns is None):
            self._off = True
            return False
        hours, minutes, seconds, _ = first.select(part=pl.col("text").str.extract_groups(_BARE)).unnest("part").row(0)
        since = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
        if above is None:
            self._day_ns, self._last_s = self.first_day_ns, float(since)
            return True
        offset_ns = self.utc_offset_minutes * 60 * _NS
        local = above + offset_ns
        day = local - local % (_DAY * _NS)
        behind = (day - local) // _NS + since
        if behind < -_DAY / 2:  # midnight lay between
            day, behind = day + _DAY * _NS, behind + _DAY
        if not -_BEFORE_S <= behind <= _SOON_S:
            self._off = True
            return False
        self._day_ns, self._last_s = day - offset_ns, float(since)
        return True


def day_by_the_end(source: Source, clock: ClockReader, utc_offset_minutes: int) -> int | None:
    """The day of the first time without a date, UTC nanoseconds of its midnight, by the line with a date at the end.

    What ends a job (Slurm's ``CANCELLED AT``) is dated, and stands below its last report. None where the log tells a
    date at its begin, none at its end, or where the two clocks may be those of two zones: then they lie half hours
    apart, and as much more as there is between two reports.

    Raises:
        InputError: The file cannot be read.
    """
    if not _BEGINS.search(source.head) or not (tail := source.tail):
        return None
    ends = _lines(tail)
    dated = ends.with_columns(ts_ns=clock.ts_ns(ends["text"]))
    last = dated.with_row_index("at").filter(pl.col("ts_ns").is_not_null()).tail(_DATED_AT_MOST)
    if not 0 < last.height < _DATED_AT_MOST:
        return None
    first = last.row(0, named=True)
    above = _since_midnight(ends.head(first["at"])["text"]).drop_nulls()
    if len(above) < _REPORTS:
        return None
    if tail != source.head and clock.ts_ns(_lines(source.head)["text"]).drop_nulls().len():
        return None
    cadence = statistics.median(max(0.0, later - earlier) for earlier, later in itertools.pairwise(above))
    local = first["ts_ns"] + utc_offset_minutes * 60 * _NS
    day = local - local % (_DAY * _NS)
    silent = (local - day) / _NS - float(above[-1])
    if silent < -_BEFORE_S:
        day, silent = day - _DAY * _NS, silent + _DAY
    if silent > _ONE_ZONE * cadence + _BEFORE_S and silent % _ZONES_APART <= _ONE_ZONE * cadence + _BEFORE_S:
        return None
    midnights = 0
    before: float | None = None
    for frame in text_of.frames(_whole(source)):
        told = _since_midnight(frame["text"]).drop_nulls()
        if len(told):
            if before is None and told[0] < _STOPWATCH_S:
                return None
            fell = pl.concat([pl.Series([float(told[0]) if before is None else before]), told]).diff() < -_DAY / 2
            midnights, before = midnights + int(fell.sum()), float(told[-1])
    return int(day) - midnights * _DAY * _NS - utc_offset_minutes * 60 * _NS


_BEGINS: Final = re.compile(
    rb"(?m)^[^\w\n]{0,3}(?:(?:[A-Z]{1,8}|(?i:t|ts|time|at|when))[^\w\n]{1,4})?[012]\d:[0-5]\d:[0-5]\d[\s\]),.|\"'-]"
)
_STOPWATCH_S: Final = 120
"""What begins so soon after midnight counts from the start of the program, more likely than not."""
_DATED_AT_MOST: Final = 9
"""Lines that end a job; where more of the last lines bear a date, so does the log."""
_REPORTS: Final = 4
_ONE_ZONE: Final = 2.5
"""Usual times between reports that the last one may lie before the end, as a part of the next."""
_ZONES_APART: Final = 1800


def _lines(content: bytes) -> pl.DataFrame:
    lines = content.decode("utf-8", "replace").splitlines()
    return pl.DataFrame({"text": lines}, schema={"text": pl.String})


def _since_midnight(text: pl.Series) -> pl.Series:
    """Seconds of the day that each line begins with; null where it begins with none."""
    part = pl.col("text").str.extract_groups(_BARE).struct
    hours, minutes, seconds = (part.field(name).cast(pl.Float64, strict=False) for name in ("1", "2", "3"))
    return pl.DataFrame({"text": text}).select(since=hours * 3600 + minutes * 60 + seconds)["since"]


def _whole(source: Source) -> Iterator[bytes]:
    """The content of a plain file, beside what is counted of it as it is imported."""
    if source.path is not None:
        with source.path.open("rb") as raw:
            while chunk := raw.read(_CHUNK):
                yield chunk


_CHUNK: Final = 4 << 20
