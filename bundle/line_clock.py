"""The clock a line of text carries, read for many lines at once.

Shapes and their precision are in ``shared/reference/log-formats.md``, section 3. Most clocks in logs are local time;
some lack the year. A year is only taken from another line of the same source, never guessed and never from the clock
of the machine that reads.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable

_YEAR_SEEN: Final = re.compile(rb"(?<![\d.])(20[1-4]\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T _]\d\d:\d\d:\d\d")
_YEAR_BEHIND: Final = re.compile(rb"(?<![\d./-])\d{1,2}[./]\d{1,2}[./](20[1-4]\d),? \d{1,2}:\d\d:\d\d")
_REACH: Final = 96
"""How far into a line a clock is looked for, in bytes: later ones are the message's, not the line's."""

_NOT_A_LINE_CLOCK: Final = r"^ +time +: 20"
"""torchrun's summary: when a worker failed, in whole seconds, not when the line was written."""

_LEADING: Final = re.compile(
    r"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d))"
    r" [A-Za-z0-9][\w.-]{0,63} [\w./-]{1,64}(?:\[\d{1,9}\])?: "
    r"|<\d{1,3}>1 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) \S{1,255} \S{1,48} \S{1,128}"
    r" \S{1,32} (?:-|(?:\[[^\]]{0,400}\])+) ?"
    r"|(?:\[?20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?:(?:stdout|stderr) [FP] )?"
)
"""What ts, kubectl, docker, journald and syslog (RFC 5424) put before every line."""
_ISO: Final = r"20\d\d[-/]\d\d[-/]\d\d[T _,]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_OF_A_RECORD: Final = rf"""^\{{.*?["']@?(?:timestamp|time|ts|datetime|asctime|date)["']: ?["']({_ISO})["']"""
"""The time of a record of JSON stands where its writer sorts it: behind all else in those of Google's logging."""
_ZONED: Final = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d)"
_GLOG: Final = r"[IWEF](?P<month>\d{1,2})(?P<day>\d\d) (?P<clock>\d\d:\d\d:\d\d)\.(?P<fraction>\d{6,9})"
_ABSL: Final = r"[IWEF]0000 00:00:(?P<second>1\d{9})\.(?P<fraction>\d{6})"
_TIME: Final = r"(?P<clock>\d{1,2}:\d\d:\d\d)(?:[.,](?P<fraction>\d{1,9}))?(?: ?(?P<half>[AaPp])(?:[Mm]\b|\.[Mm]\.))?"
"""Where a half of the day is told, the hours of the second one begin at 12."""
_SLASHED: Final = rf"(?:^|[^\w./-])(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/(?P<year>20\d\d),? {_TIME}"
"""``07/28/2026 11:00:03`` or ``28/07/2026 11:00:03``: which of both, the dates of the source tell."""
_CTIME: Final = (
    r"\[[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) (?P<clock>\d\d:\d\d:\d\d) (?P<year>20\d\d)\]"
)
_MONTH: Final = r"(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_OWN: Final = (
    # [07 Apr 05:44:19], 10-Feb-2026 07:49:07
    rf"(?:^|[^\w.])(?P<day>\d{{1,2}})[ -]{_MONTH}(?:[ -](?P<year>20\d\d))?[ :T,]{{1,2}}{_TIME}",
    # Thu Jan 22 18:16:07 UTC 2026, (Oct 27 20:38:13)
    rf"(?:^|[^\w.]){_MONTH} +(?P<day>\d{{1,2}})[ T]{_TIME}(?:(?: [A-Z]{{2,5}})? (?P<year>20\d\d))?",
    # 2026年8月14日 12:48:44, 【08月14日 12:48:44】, 08월 14일 12:48:44
    rf"(?:(?P<year>20\d\d)[年년] ?)?(?P<month>\d{{1,2}})[月월] ?(?P<day>\d{{1,2}})[日일] ?{_TIME}",
    # 05.08.2026 22:36:07
    rf"(?:^|[^\d.])(?P<day>\d\d)\.(?P<month>\d\d)\.(?P<year>20\d\d)[ ,T]{{1,2}}{_TIME}",
    # 05.08. 22:36:07
    rf"^\W{{0,3}}(?P<day>0[1-9]|[12]\d|3[01])\.(?P<month>0[1-9]|1[0-2])\.?(?P<year>)[ ,T]{{1,2}}{_TIME}",
)
"""Clocks of loops that format their own; where a shape lacks the year, another line of the source tells it."""
_SHORT: Final = rf"(?:^|[^\w./-])(?P<a>\d\d)[-/](?P<b>\d\d)(?P<year>)[ T]{_TIME}"
"""04-14 12:31:28, 09/07 06:22:29, or the day first, as the dates of the source tell."""
_SHORT_YEAR: Final = rf"^\W{{0,3}}(?P<a>\d\d)/(?P<b>\d\d)/(?P<c>\d\d) {_TIME}"
"""26/11/25 12:10:06, as log4j writes it: the year stands where that of the source does."""
_COMPACT: Final = (
    r"^(?:\d{1,5}: )?\D{0,16}(?P<year>20\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])[-_T]"
    r"(?P<h>[01]\d|2[0-3])(?P<m>[0-5]\d)(?P<s>[0-5]\d)(?:\D|$)"
)
"""20260224-090121"""
_UNIX: Final = (
    r"""(?:["'](?:t|ts|time|timestamp|created)["']: ?|^(?:\[[A-Z]{4,8}\] )?\[|^(?:(?:t|ts|time)=)?)"""
    r"(?P<second>1[5-9]\d{8})"
    r"(?:\.(?P<fraction>\d{1,9})|(?P<ms>\d{3}))?[,}\]\s|;]"
)
"""Seconds since 1970: in records of JSON, as ROS prints them (``[INFO] [1768543476.565001965] [node]: ``), or first."""
_OWN_REACH: Final = 48


_ANY_CLOCK: Final = r"\d:\d\d:\d"
"""Every shape holds it."""

_STAMPS_AT_MOST: Final = 3
"""Loggers of one source whose stamps are read by their place."""
_LINES_ASKED: Final = 16
_LINES_AGREED: Final = 4
"""Of the lines asked, how many must bear a stamp of one form in one place for it to be worth a pass of its own."""
_PARTS: Final = re.compile(
    r"20\d\d(?P<date>[-/])\d\d(?P=date)\d\d(?P<gap>[T _,])\d\d:\d\d:\d\d(?P<point>[.,])?(?P<digits>(?<=[.,])\d{1,9})?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class _Stamp:
    """The form that a logger gives the clock of its lines, and the place: most lines of a source have one in common.

    Where a line bears exactly this, its clock is read by slices; every other line is left to the regular expressions of
    ``ClockReader``, which give the same for these lines, at a tenth of the pace.
    """

    before: int
    """Characters before it, all of them ASCII and none a 2, so that no date can begin earlier."""
    date: str
    gap: str
    point: str
    digits: int
    zone: str

    def borne_by(self, text: pl.Series) -> pl.Series:
        """Which lines bear it."""
        fraction = f"{re.escape(self.point)}[0-9]{{{self.digits}}}" if self.digits else ""
        more = "" if self.digits == _NANO_DIGITS else "0-9" if self.digits else ".,"
        end = re.escape(self.zone) if self.zone else rf"(?:[^{more}Z+\-]|$)"
        two = "[0-9][0-9]"
        found = text.str.contains(
            rf"^[\x00-\x7F&&[^2\n]]{{{self.before}}}20{two}{self.date}{two}{self.date}{two}{self.gap}{two}:{two}:{two}"
            rf"{fraction}{end}"
        )
        if self.before:
            found &= ~text.str.contains(_NOT_A_LINE_CLOCK)
        return found.fill_null(value=False)

    def ts_ns(self, text: pl.Series, utc_offset_minutes: int) -> pl.Series:
        """UTC nanoseconds of lines that bear it; null where they name no instant."""
        stamp = text.str.slice(self.before, _TO_SECONDS)
        form = f"%Y{self.date}%m{self.date}%d{self.gap}%H:%M:%S"
        found = stamp.str.to_datetime(form, time_unit="ns", strict=False).dt.epoch("ns")
        if self.digits:
            fraction = text.str.slice(self.before + _TO_SECONDS + 1, self.digits).cast(pl.Int64)
            found += fraction * 10 ** (_NANO_DIGITS - self.digits)
        offset = utc_offset_minutes
        if self.zone:
            digits = self.zone[1:].replace(":", "") or "0000"
            offset = (int(digits[:2]) * 60 + int(digits[2:])) * (-1 if self.zone[0] == "-" else 1)
        return found - offset * _MINUTE


_TO_SECONDS: Final = len("2026-11-20 18:00:00")
_NANO_DIGITS: Final = 9


def _common_stamp(text: pl.Series) -> _Stamp | None:
    """The stamp that many of a few lines bear; None where too few agree."""
    asked = text.gather_every(max(1, len(text) // _LINES_ASKED)).head(_LINES_ASKED).drop_nulls().to_list()
    told: Counter[_Stamp] = Counter()
    for line in asked:
        found = _PARTS.search(line[: 2 * _REACH])
        if found is None or found.start() > _REACH or (found["point"] and not found["digits"]):
            continue
        before = line[: found.start()]
        if before.isascii() and "2" not in before:
            digits = len(found["digits"] or "")
            told[
                _Stamp(len(before), found["date"], found["gap"], found["point"] or "", digits, found["zone"] or "")
            ] += 1
    if not told:
        return None
    stamp, lines = told.most_common(1)[0]
    return stamp if lines >= _LINES_AGREED else None


@dataclass(frozen=True, slots=True)
class ClockReader:
    """Reads clocks of one source.

    Attributes:
        year: Stands in where a shape has none; None leaves such lines without a time.
        utc_offset_minutes: The zone of clocks that tell none, east positive.
        day_first: Whether ``05/08`` is the fifth of August.
    """

    year: int | None
    utc_offset_minutes: int = 0
    day_first: bool = False

    @classmethod
    def of(
        cls,
        head: bytes,
        tail: bytes,
        year: int | None,
        utc_offset_minutes: int,
        days: frozenset[tuple[int, int]] = frozenset(),
    ) -> ClockReader:
        """The reader of a source that begins and ends like this; ``year``, and ``days``, are what others tell.

        ``days`` are months and days of absolute times; they decide only what the source itself leaves open.
        """
        return cls(year_in(head) or year_in(tail) or year, utc_offset_minutes, _day_first(head + b"\n" + tail, days))

    def ts_ns(self, text: pl.Series) -> pl.Series:
        """UTC nanoseconds for each line of ``text``; null where the line carries no clock."""
        left = pl.DataFrame({"text": text}).with_row_index("row")
        times = []
        for _ in range(_STAMPS_AT_MOST):
            if (stamp := _common_stamp(left["text"])) is None:
                break
            alike = stamp.borne_by(left["text"])
            hits = left if (all_alike := alike.all()) else left.filter(alike)
            times.append(hits.select("row", ts_ns=stamp.ts_ns(hits["text"], self.utc_offset_minutes)))
            left = left.clear() if all_alike else left.filter(~alike)
        if len(times) == 1 and times[0].height == len(text):
            return times[0]["ts_ns"]
        if not _seldom(left["text"], _OF_A_RECORD):
            hits = left.filter(left["text"].str.contains(_OF_A_RECORD))
            times.append(hits.select("row", ts_ns=self._iso(hits["text"].str.extract(_OF_A_RECORD))))
            left = left.join(hits, on="row", how="anti", maintain_order="left")
        bare = left.filter(~left["text"].str.contains(_ANY_CLOCK))
        left = left.filter(left["text"].str.contains(_ANY_CLOCK))
        shapes = (
            *((_ISO, self._iso), (_ABSL, self._absl), (_GLOG, self._glog), (_SLASHED, self._slashed)),
            (_CTIME, self._ctime),
        )
        for regex, read in shapes:
            carries = left["text"].str.contains(regex)
            if not carries.any():
                continue
            hits = left.filter(carries)
            hits = hits.filter((hits["text"].str.find(regex) <= _REACH) & ~hits["text"].str.contains(_NOT_A_LINE_CLOCK))
            times.append(hits.select("row", ts_ns=read(hits["text"])))
            left = left.filter(~carries)
        owns = (*((regex, self._own) for regex in _OWN), (_SHORT, self._in_order), (_SHORT_YEAR, self._short_year))
        for regex, tell in owns:
            if _seldom(text, regex):
                continue
            hits = left.filter(left["text"].str.contains(regex) & (left["text"].str.find(regex) <= _OWN_REACH))
            times.append(hits.select("row", ts_ns=tell(hits["text"], regex)))
            left = left.join(hits, on="row", how="anti", maintain_order="left")
        for regex, read in ((_COMPACT, self._compact), (_UNIX, self._unix)):
            if not _seldom(text, regex):
                hits = bare.filter(bare["text"].str.contains(regex))
                times.append(hits.select("row", ts_ns=read(hits["text"])))
        if not times:
            return pl.Series("ts_ns", [None], dtype=pl.Int64).new_from_index(0, len(text))
        rows = pl.DataFrame({"row": pl.int_range(len(text), dtype=pl.get_index_type(), eager=True)})
        return rows.join(pl.concat(times), on="row", how="left", maintain_order="left")["ts_ns"]

    def _iso(self, text: pl.Series) -> pl.Expr:
        found = text.str.extract(f"({_ISO})")
        whole = pl.lit(found)
        stamp = pl.concat_str(
            whole.str.head(10).str.replace_all("/", "-", literal=True), whole.str.slice(11, 8), separator=" "
        )
        second = stamp.str.to_datetime("%Y-%m-%d %H:%M:%S", time_unit="ns", strict=False).dt.epoch("ns")
        rest = whole.str.slice(19)
        if not found.str.contains(_ZONED).any():
            return second + _fraction(rest.str.slice(1)) - self.utc_offset_minutes * _MINUTE
        zone = rest.str.extract(r"(Z|[+-]\d\d:?\d\d)$")
        sign = pl.when(zone.str.starts_with("-")).then(-1).otherwise(1)
        hours, minutes = (
            zone.str.slice(1, 2).cast(pl.Int64, strict=False),
            zone.str.tail(2).cast(pl.Int64, strict=False),
        )
        offset = (
            pl.when(zone == "Z")
            .then(0)
            .when(zone.is_not_null())
            .then(sign * (hours * 60 + minutes))
            .otherwise(self.utc_offset_minutes)
        )
        return second + _fraction(rest.str.extract(r"^[.,](\d+)")) - offset * _MINUTE

    def _glog(self, text: pl.Series) -> pl.Expr:
        if self.year is None:
            return pl.lit(None, pl.Int64)
        part = pl.lit(text).str.extract_groups(_GLOG).struct.field
        return self._local(pl.lit(str(self.year)), part("month"), part("day"), part("clock")) + _fraction(
            part("fraction")
        )

    def _absl(self, text: pl.Series) -> pl.Expr:
        part = pl.lit(text).str.extract_groups(_ABSL).struct.field
        return part("second").cast(pl.Int64) * 1_000_000_000 + _fraction(part("fraction"))

    def _slashed(self, text: pl.Series) -> pl.Expr:
        return self._in_order(text, _SLASHED)

    def _ctime(self, text: pl.Series) -> pl.Expr:
        part = pl.lit(text).str.extract_groups(_CTIME).struct.field
        month = part("month").replace_strict(_MONTHS, default=None, return_dtype=pl.String)
        return self._local(part("year"), month, part("day"), part("clock"))

    def _own(self, text: pl.Series, regex: str) -> pl.Expr:
        part = pl.lit(text).str.extract_groups(regex).struct.field
        return self._at(self._year_of(part), part("month"), part("day"), part)

    def _in_order(self, text: pl.Series, regex: str) -> pl.Expr:
        """Of a shape whose month and day only their order tells."""
        part = pl.lit(text).str.extract_groups(regex).struct.field
        return self._at(self._year_of(part), *self._ordered(part), part)

    def _short_year(self, text: pl.Series, regex: str) -> pl.Expr:
        """Of a shape of three short numbers, of which the first or the last is the year."""
        if self.year is None:
            return pl.lit(None, pl.Int64)
        part = pl.lit(text).str.extract_groups(regex).struct.field
        short = f"{self.year % 100:02d}"
        month, day = self._ordered(part)
        first = pl.when(part("a") == short)
        told = first.then(part("b")).when(part("c") == short).then(month), first.then(part("c")).otherwise(day)
        return self._at(pl.lit(str(self.year)), *told, part)

    def _ordered(self, part: Callable[[str], pl.Expr]) -> tuple[pl.Expr, pl.Expr]:
        """Month and day."""
        return (part("b"), part("a")) if self.day_first else (part("a"), part("b"))

    def _year_of(self, part: Callable[[str], pl.Expr]) -> pl.Expr:
        told = pl.lit(None if self.year is None else str(self.year), pl.String)
        return pl.when(part("year") == "").then(told).otherwise(pl.coalesce(part("year"), told))

    def _at(self, year: pl.Expr, month: pl.Expr, day: pl.Expr, part: Callable[[str], pl.Expr]) -> pl.Expr:
        """UTC nanoseconds of a date and a time as ``_TIME`` finds it; the month may be an English name."""
        month = pl.coalesce(month.replace_strict(_MONTHS, default=None, return_dtype=pl.String), month)
        hour = part("clock").str.extract(r"^(\d+)").cast(pl.Int64)
        half = part("half").str.to_uppercase()
        hour = pl.when(half == "A").then(hour % 12).when(half == "P").then(hour % 12 + 12).otherwise(hour)
        clock = pl.concat_str(hour.cast(pl.String).str.zfill(2), part("clock").str.extract(r"(:\d\d:\d\d)$"))
        return self._local(year, month, day, clock) + _fraction(part("fraction").fill_null(""))

    def _compact(self, text: pl.Series) -> pl.Expr:
        part = pl.lit(text).str.extract_groups(_COMPACT).struct.field
        clock = pl.concat_str(part("h"), part("m"), part("s"), separator=":")
        return self._local(part("year"), part("month"), part("day"), clock)

    def _unix(self, text: pl.Series) -> pl.Expr:
        part = pl.lit(text).str.extract_groups(_UNIX).struct.field
        return part("second").cast(pl.Int64) * 1_000_000_000 + _fraction(pl.coalesce(part("fraction"), part("ms")))

    def _local(self, year: pl.Expr, month: pl.Expr, day: pl.Expr, clock: pl.Expr) -> pl.Expr:
        """UTC nanoseconds of a local date and clock in text; null where they name no instant."""
        stamp = pl.concat_str(year, month.str.zfill(2), day.str.zfill(2), clock, separator=" ")
        whole = stamp.str.to_datetime("%Y %m %d %H:%M:%S", time_unit="ns", strict=False)
        return whole.dt.epoch("ns") - self.utc_offset_minutes * _MINUTE


_MINUTE: Final = 60_000_000_000
_MONTHS: Final = {
    name: f"{number:02d}"
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), 1
    )
}


def _seldom(text: pl.Series, regex: str) -> bool:
    """Whether hardly a line holds it: who prints a clock of his own does so all along."""
    asked = text.gather_every(max(1, len(text) // _LINES_SEEN)).head(_LINES_SEEN)
    if asked.is_empty():
        return True
    return asked.str.contains(regex).sum() * _OF_LINES < len(asked)


_LINES_SEEN: Final = 256
_OF_LINES: Final = 8


def strip_clock(text: str) -> str:
    """``text`` without the clock it begins with (and the stream or host behind it, as collectors put them)."""
    found = _LEADING.match(text)
    return text[found.end() :] if found else text


def year_in(sample: bytes) -> int | None:
    """The year of the first full date in ``sample``; None when it holds none."""
    found = _YEAR_SEEN.search(sample) or _YEAR_BEHIND.search(sample)
    return int(found[1]) if found else None


def _day_first(sample: bytes, days: frozenset[tuple[int, int]]) -> bool:
    """Whether the dates of a source that may be read in two ways name the day before the month.

    A number that no month has decides, or a full date beside them that one reading gives and the other does not; where
    there is none, the same of ``days``.
    """
    pairs = {(int(a), int(b)) for a, b in _PAIRS.findall(sample)}
    first, second = any(a > _MONTHS_OF_A_YEAR for a, _ in pairs), any(b > _MONTHS_OF_A_YEAR for _, b in pairs)
    if first or second:
        return first and not second
    full = {(int(month), int(day)) for month, day in _FULL.findall(sample)} or days
    return bool({(b, a) for a, b in pairs} & full) and not pairs & full


_PAIRS: Final = re.compile(rb"(?<![\w./-])(\d{1,2})[/-](\d{1,2})(?:/(?:20)?\d\d)?,?[ T]\d{1,2}:\d\d:\d\d")
_FULL: Final = re.compile(rb"(?<!\d)20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?!\d)")
_MONTHS_OF_A_YEAR: Final = 12


def _fraction(digits: pl.Expr) -> pl.Expr:
    """Nanoseconds of the digits behind the point; 0 where there are none."""
    return digits.str.pad_end(9, "0").cast(pl.Int64, strict=False).fill_null(0)
