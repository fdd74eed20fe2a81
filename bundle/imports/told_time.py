"""The time that a line of text or a file name tells: `date`, ISO, compact, epoch."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

NS: Final = 1_000_000_000
_EPOCH: Final = re.compile(r"(?<![\d.])((?:1[5-9]|2\d)\d{8})(?:(\d{3})(?!\d)|(?:\.(\d{1,9}))?)(?![\d.]*\d)")
_DATE: Final = re.compile(
    r"\b([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (?:([A-Z]{3,4}|[-+]\d{2}(?::?\d\d)?) )?(20\d\d)\b"
)
_DAY_FIRST: Final = re.compile(
    r"\b(\d{1,2}) ([A-Z][a-z]{2}) (20\d\d) (\d\d:\d\d:\d\d)(?: (AM|PM))?(?: ([A-Z]{3,4}|[-+]\d{4}))?"
)
_DIGITS: Final = re.compile(
    r"(?<!\d)(20\d\d)[-/]?([01]\d)[-/]?([0-3]\d)[T _-]?([0-2]\d)[:-]?([0-5]\d)[:-]?([0-5]\d)(?:[.,](\d{1,9}))?"
    r"(?: ?(Z|UTC\b|[-+]\d\d:?\d\d\b))?(?!\d)"
)
_DOTTED: Final = re.compile(r"(?<![\d.])([0-3]?\d)\.([01]?\d)\.(20\d\d)[ T,]{1,2}(\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?")
"""``11.04.2026 13:03:30``: where dots are written, the day stands first."""
_NO_YEAR: Final = re.compile(
    r"\W?(?:[A-Z][a-z]{2},? )?([A-Z][a-z]{2}) {1,2}(\d{1,2})[ T](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\W?"
)
"""``Oct 27 15:21:40``, as ``ts`` and syslog put it before what they are given."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def told_ns(text: str, utc_offset_minutes: int) -> int | None:
    """Nanoseconds since 1970, UTC, of the first clock in a text; None where it carries none.

    A time without a zone, or with one known by its letters only, is the cluster's local time.
    """
    if found := _DIGITS.search(text):
        year, month, day, hour, minute, second, fraction, zone = found.groups()
        clock = f"{hour}:{minute}:{second}"
        return _ns(int(year), int(month), int(day), clock, fraction or "", zone or "", utc_offset_minutes)
    if found := _EPOCH.search(text):
        return int(found[1]) * NS + int(((found[2] or found[3] or "") + "0" * 9)[:9])
    if found := _DOTTED.search(text):
        day, month, year, clock, fraction = found.groups()
        return _ns(int(year), int(month), int(day), clock, fraction or "", "", utc_offset_minutes)
    if found := _DATE.search(text):
        name, day, clock, zone, year = found.groups()
    elif found := _DAY_FIRST.search(text):
        day, name, year, clock, half, zone = found.groups()
        if half:
            hour = int(clock[:2]) % 12 + (12 if half == "PM" else 0)
            clock = f"{hour:02}{clock[2:]}"
    else:
        return None
    if name not in _MONTHS:
        return None
    return _ns(int(year), _MONTHS.index(name) + 1, int(day), clock, "", zone or "", utc_offset_minutes)


def month_of(stamp: str) -> int | None:
    """The month of a clock that tells no year and nothing beside; None for any other text."""
    found = _NO_YEAR.fullmatch(stamp)
    return _MONTHS.index(found[1]) + 1 if found is not None and found[1] in _MONTHS else None


def in_year_ns(stamp: str, year: int, utc_offset_minutes: int) -> int | None:
    """The same as `told_ns` of a clock that tells no year; None for any other text."""
    found = _NO_YEAR.fullmatch(stamp)
    if found is None or found[1] not in _MONTHS:
        return None
    month, (day, clock, fraction) = _MONTHS.index(found[1]) + 1, found.group(2, 3, 4)
    return _ns(year, month, int(day), clock, fraction or "", "", utc_offset_minutes)


def _ns(year: int, month: int, day: int, clock: str, fraction: str, zone: str, utc_offset_minutes: int) -> int | None:
    offset = utc_offset_minutes
    if zone in ("Z", "UTC", "GMT"):
        offset = 0
    elif zone[:1] in ("+", "-"):
        digits = (zone[1:].replace(":", "") + "00")[:4]
        offset = (int(digits[:2]) * 60 + int(digits[2:])) * (-1 if zone[0] == "-" else 1)
    hour, minute, second = (int(part) for part in clock.split(":"))
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=timezone(timedelta(minutes=offset)))
    except ValueError:
        return None
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86400 + since.seconds) * NS + int((fraction + "0" * 9)[:9])
