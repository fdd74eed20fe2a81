"""How long training lasted, from its first report to its last, by whichever clock a log has."""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import itertools
import re
import statistics
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._pace import clocked
from inquest.analyze.families._spoken_times import EVALUATES, SAVES
from inquest.analyze.logs.named_numbers import TIMES, numbers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story
    from inquest.analyze.logs.named_numbers import Number


def wall_s(ev: Evidence, story: Story) -> float | None:
    """Seconds between its first report and its last; where only the end tells a time, of all of it; None: untold."""
    return ev.once(("wall",), lambda: _wall_s(ev, story))


def _wall_s(ev: Evidence, story: Story) -> float | None:
    times = clocked(story)["ts_ns"].drop_nulls()
    if len(times) > 1 and (span := (int(times.max()) - int(times.min())) / 1e9) > 0:  # type: ignore[arg-type]
        return span
    reports, below = _texts(ev, story)
    if not reports:
        return None
    named = _by_elapsed(reports)
    since_first = None if named is None else named[-1] - named[0]
    return _by_day_clocks(reports) or since_first or _by_last_words(below)


class OwnClock(NamedTuple):
    """What a program tells, report by report, of how long it had run: seconds.

    Attributes:
        last_s: At its last report.
        usual_s: From one to the next, the median.
    """

    last_s: float
    usual_s: float


def own_clock(ev: Evidence, story: Story) -> OwnClock | None:
    """The clock of a program's own that began with it, where no line tells the time that is; None: it has none."""
    return ev.once(("own clock",), lambda: _own_clock(ev, story))


def _own_clock(ev: Evidence, story: Story) -> OwnClock | None:
    if clocked(story)["ts_ns"].drop_nulls().n_unique() > 1:
        return None
    reports, _ = _texts(ev, story)
    for read in (_by_bars, _by_stopwatch, _by_elapsed, _by_nameless):
        if (values := read(reports)) is not None and values[0] <= _BEGUN * values[-1]:
            return OwnClock(values[-1], statistics.median(b - a for a, b in itertools.pairwise(values)))
    return None


_BEGUN: Final = 0.5
"""A clock that had gone on for most of its time before its first report began with something else."""


def _texts(ev: Evidence, story: Story) -> tuple[list[str], list[str]]:
    """The reports of the last stream, or evenly some of many, and the lines below the last of them."""
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    if told.height < _LEAST or not ev.has("log_lines"):
        return [], []
    last = told.row(-1, named=True)
    own = told.filter(same_stream(last))["line_seq"].unique().sort()
    own = own.gather_every(1 + len(own) // _READ)
    lines = ev.scan("log_lines").filter(same_stream(last))
    texts = lines.filter(pl.col("seq").is_in(own.implode())).sort("seq").select(pl.col("text").str.slice(0, _WIDE))
    below = lines.filter(pl.col("seq") > last["line_seq"]).sort("seq").select(pl.col("text").str.slice(0, _WIDE))
    read = texts.collect()["text"].to_list(), below.head(_BELOW).collect()["text"].to_list()
    return [text or "" for text in read[0]], [text or "" for text in read[1]]


_LEAST: Final = 6
_READ: Final = 4000
_WIDE: Final = 400
_BELOW: Final = 12


def usual_gap_s(ev: Evidence, story: Story) -> float | None:
    """Seconds from a report to the next by times of day without a day, the median; None: no such times."""
    gaps = _day_gaps(_texts(ev, story)[0])
    return statistics.median(gaps) or None if gaps else None


def _by_day_clocks(reports: Sequence[str]) -> float | None:
    """By times of day without a day, or times since the start, at the head of every report."""
    return float(sum(_day_gaps(reports))) or None


def _day_gaps(reports: Sequence[str]) -> list[int]:
    seconds = [at for text in reports if (at := time_of_day_s(text)) is not None]
    if len(seconds) < _LEAST or len(seconds) < len(reports):
        return []
    return [(later - sooner) % DAY_S for sooner, later in itertools.pairwise(seconds)]


def time_of_day_s(text: str) -> int | None:
    """The time of day at the head of a line, in seconds since midnight; None where none stands there."""
    at = _DAY_CLOCK.search(text[:_HEAD])
    return None if at is None else int(at[1]) * 3600 + int(at[2]) * 60 + int(at[3])


_DAY_CLOCK: Final = re.compile(r"(?<![\d:.])(\d{1,2}):([0-5]\d):([0-5]\d)(?![\d:])")
_HEAD: Final = 48
DAY_S: Final = 86_400
"""Seconds of a day."""


def _by_elapsed(reports: Sequence[str]) -> list[float] | None:
    """By a time that each report tells, and that only grows."""
    return _growing(reports, lambda number: _ELAPSED.search(number.name) is not None)


def _by_nameless(reports: Sequence[str]) -> list[float] | None:
    """The same of a time that nothing names: ``8.08 ep | 25.09 bpd | 186.82 min``."""
    return _growing(reports, lambda number: not number.name and not number.of)


def _growing(reports: Sequence[str], wanted: Callable[[Number], bool]) -> list[float] | None:
    columns: dict[str, list[float]] = {}
    for text in reports:
        for number in numbers_of(text):
            if number.unit in TIMES and wanted(number):
                columns.setdefault(number.name, []).append(number.value * TIMES[number.unit])
    return next((values for values in columns.values() if _runs_on(values, len(reports))), None)


def _runs_on(values: Sequence[float], reports: int) -> bool:
    """Whether most reports tell them, and they only grow."""
    grows = all(later >= sooner for sooner, later in itertools.pairwise(values))
    return len(values) >= _LEAST and len(values) >= _MOST * reports and grows and values[-1] > values[0]


def _by_bars(reports: Sequence[str]) -> list[float] | None:
    """By a bar's own clock, ``[3:26:43<``, where one bar is drawn for all of the training."""
    found = [at for text in reports if (at := _DRAWN.search(text)) is not None]
    values = [int(at[1] or 0) * 3600.0 + int(at[2]) * 60 + int(at[3]) for at in found]
    return values if _runs_on(values, len(reports)) else None


_DRAWN: Final = re.compile(r"\[(?:(\d{1,4}):)?(\d{1,2}):(\d\d)<")


def _by_stopwatch(reports: Sequence[str]) -> list[float] | None:
    """By a time at the head of every report that begins near nought: ``[00:00:07] step 10``."""
    values = [float(at) for text in reports if (at := time_of_day_s(text)) is not None]
    return values if _runs_on(values, len(reports)) and values[0] <= _BEGINS_S else None


_BEGINS_S: Final = 600


_ELAPSED: Final = re.compile(
    r"(?:^|[^a-z])(?:elapsed|since|total|t|time|wall|so far|uptime|vergangen|verstrichen|\u00e9coul\u00e9|transcurrid\w|trascors\w|decorrid\w"
    r"|\u043f\u0440\u043e\u0448\u043b\u043e|up\u0142yn\u0119\u0142o|ge\u00e7en|verlopen)(?:[^a-z]|$)|\u7d4c\u904e|\u5df2\u7528|\u7528\u65f6|\uacbd\uacfc"
)
_MOST: Final = 0.9


def _by_last_words(below: Sequence[str]) -> float | None:
    """By the time that a program tells at its end, the longest of them."""
    told: list[float] = []
    for text in below:
        if _OF_A_PART.search(text):
            continue  # of the last save or validation, and not of all
        for found in _DURATION.finditer(text):
            hours, minutes, seconds, h, m, value, unit = found.groups()
            if hours is not None:
                told.append(int(hours) * 3600.0 + int(minutes) * 60 + float(seconds))
            elif h is not None:
                told.append(int(h) * 3600.0 + int(m) * 60)
            elif (scale := TIMES.get(unit.lower())) is not None:
                told.append(float(value) * scale)
    return max(told, default=0.0) or None


_OF_A_PART: Final = re.compile(f"{SAVES}|{EVALUATES.removeprefix('(?i)')}")
_DURATION: Final = re.compile(
    r"(?i)(?<![\d:.-])(\d{1,4}):([0-5]\d):([0-5]\d(?:\.\d+)?)(?![\d:])|\b(\d{1,4}) ?h(?:ours?|rs?)?,? ?(\d{1,2}) ?m(?:in\w*)?\b"
    r"|(?<![\w.])(\d{1,9}(?:\.\d{1,6})?) ?(s|secs?|seconds?|min(?:ute)?s?|h|hours?|hrs?|\u79d2|\u5206|\u521d|sn|\u0441\u0435\u043a)(?![\w/])"
)
