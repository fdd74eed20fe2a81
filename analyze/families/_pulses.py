"""Lines of a program that goes on telling that it lives while nothing goes on: the same count, and a time that grows.

``w1 | pulse: lap 16, putting my tracks in the spool (for 30 s)``: what such a line says in words is the program's own.
That all its numbers stand but one, and that this one grows by as much as the time between two of them, needs no words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._gpu_table import table_of
from inquest.analyze.families._standstill import OVER
from inquest.analyze.families._stood_still import SENT, ended_by_somebody
from inquest.analyze.families._wall import time_of_day_s
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._gpu_table import GpuTable
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class Pulse:
    """What one speaker went on telling.

    Attributes:
        rows: Its lines of ``log_lines``, in order.
        counts: The whole numbers in them, none of which moved.
        length_s: For how long, by the number that grew or by the clock of the lines.
        no_cpu: Whether one of the numbers says that no processor was used meanwhile.
        waits: Where in the kernel its process slept, as ``ps`` tells it beside a processor time that stood.
        idle: Whether all that it tells stands, and a number of it says that GPU or processor did nothing.
        since_last: Whether it says in words that what grows is the time since the last work.
    """

    rows: tuple[Row, ...]
    counts: tuple[int, ...]
    length_s: float
    no_cpu: bool
    waits: str | None
    idle: bool
    since_last: bool

    @property
    def last(self) -> Row:
        """The line it told last."""
        return self.rows[-1]


def last_pulses(ev: Evidence, story: Story) -> tuple[Pulse, ...]:
    """All that any process of the log still told, where that were pulses which stood: one of each that spoke."""
    if not ev.has("log_lines"):
        return ()
    return ev.once(("last pulses",), lambda: _last_pulses(ev, story))


def _last_pulses(ev: Evidence, story: Story) -> tuple[Pulse, ...]:
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    lines = ev.scan("log_lines").filter(pl.col("text").is_not_null())
    if not told.is_empty():
        last = told.row(-1, named=True)
        here = pl.col("source").eq_missing(pl.lit(last["source"], dtype=pl.String)) & (pl.col("node") == last["node"])
        lines = lines.filter(here & (pl.col("seq") > last["line_seq"]))
    rows = list(lines.sort("node", "source", "seq").tail(_READ).collect().iter_rows(named=True))
    if len({(row["node"], row["source"]) for row in rows}) != 1:
        return ()
    table = table_of(ev, rows[0])
    groups: dict[tuple[str, tuple[str, ...]], list[_Told]] = {}
    for row in rows:
        one = _read(row, table)
        # Who speaks is told by a number, too, as ``w1`` does: a group is told by the words and the numbers but one.
        groups.setdefault((one.form, one.still), []).append(one)
    found = [pulse for each in groups.values() if (pulse := _pulse(each)) is not None]
    if not found:
        return ()
    if any(pulse.idle for pulse in found) and _always_told(ev, told, found, table):
        return ()
    first = min(pulse.rows[0]["seq"] for pulse in found)
    at = ended_by_somebody(ev, story)
    if at is not None and at > first:
        # Asked to end, a program tells where it was, and its watch goes on meanwhile.
        rows = [row for row in rows if row["seq"] < at]
    end = max(pulse.last["seq"] for pulse in found)
    spoken = {row["seq"] for pulse in found for row in pulse.rows}
    asked = min((row["seq"] for row in rows if _ASKED.match(row["text"])), default=end)
    between = [row for row in rows if first <= row["seq"] <= min(asked, end) and row["seq"] not in spoken]
    return tuple(found) if len(between) <= _BETWEEN * len(spoken) else ()


def _always_told(ev: Evidence, told: pl.DataFrame, found: list[Pulse], table: GpuTable | None) -> bool:
    """Whether the same was told of a GPU while training went on: who reads it reads another one, or none."""
    if told.is_empty():
        return False
    last = told.row(-1, named=True)
    before = ev.scan("log_lines").filter(same_stream(last) & (pl.col("seq") < last["line_seq"]))
    rows = before.filter(pl.col("text").is_not_null()).sort("seq").tail(_READ).collect().iter_rows(named=True)
    said = {(one.form, one.still) for row in rows for one in [_read(row, table)]}
    return any((one.form, one.still) in said for pulse in found if pulse.idle for one in [_read(pulse.last, table)])


def stood_to_the_end(story: Story, pulses: tuple[Pulse, ...]) -> bool:
    """Whether nothing but its own guard, a limit or somebody's signal ended what the pulses tell of."""
    if not pulses or story.ended_well or story.of(*OVER, *_TAKEN) or story.last_planned is not None:
        return False
    return all(
        failure.death is not None and (failure.death.term_signal in SENT or failure.death.exit_code)
        for failure in story.failures
    ) and not [crash for crash in story.crashes if crash.cause.cause not in (Cause.INTERRUPT, Cause.LAUNCHER)]


@dataclass(frozen=True, slots=True)
class _Told:
    """A line: its words, its numbers but the one that may grow, and that one with its unit."""

    row: Row
    form: str
    still: tuple[str, ...]
    grows: float | None
    rests: bool = False
    """Whether it is a row of a table by which a GPU held memory and did nothing."""


def _said(row: Row) -> str:
    """What a line says, without when."""
    text = _READING.sub("", _FIELD_CLOCK.sub("", re.sub(ANSI, "", str(row["text"])[:_WIDE])))
    text = _HEAD_SECONDS.sub(r"\1", _SENSOR.sub("", text), count=1)
    return _HEAD_CLOCK.sub(r"\1", _DATE.sub("", text), count=1)


def _read(row: Row, table: GpuTable | None) -> _Told:
    if table is not None and (seen := table.read(str(row["text"]))) is not None:
        return _Told(row, seen.whose, (seen.busy, seen.held), None, seen.rests)
    text = _said(row)
    spans = [(found.span(1), float(found[1]) * _UNITS_S[_unit(text, found.span(1))]) for found in _SPAN.finditer(text)]
    spans = spans or [
        (found.span(2), float(found[2]) * _UNITS_S[found[1].lower()]) for found in _KEY_SPAN.finditer(text)
    ]
    # A bar, and ``ps``, tell of how long by a clock: the first of several.
    spans = spans or [(found.span(), _clock_s(found.group())) for found in _RUNNING.finditer(text)]
    at, grows = spans[0] if spans else (None, None)
    for span, seconds in spans[1:]:
        if _SINCE.search(text[: span[0]]) is not None:
            at, grows = span, seconds
    numbers = [found for found in _NUMBER.finditer(text) if at is None or not at[0] <= found.start() < at[1]]
    still = tuple(found.group() for found in numbers)
    return _Told(row, _NUMBER.sub("#", text), still, grows)


def _clock_s(text: str) -> float:
    seconds = 0
    for part in text.split(":"):
        seconds = 60 * seconds + int(part)
    return float(seconds)


def _unit(text: str, at: tuple[int, int]) -> str:
    return text[at[1] :].lstrip()[:1].lower()


def _pulse(told: list[_Told]) -> Pulse | None:
    """The pulse that lines with the same words and numbers are, where the one number that is left grows with time."""
    text = str(told[-1].row["text"])
    no_cpu = all(_used_none(str(one.row["text"])) for one in told)
    # What was used in all is one of the numbers that stand.
    no_cpu = no_cpu or _PROCESSOR_TIME.search(text) is not None
    idle = _GPU_IDLE.search(text) is not None or told[-1].rests
    grown = [one.grows for one in told if one.grows is not None]
    idle = not grown and (idle or no_cpu)
    if idle:  # all of it stands, and its clock tells for how long
        grown = [one.row["ts_ns"] / 1e9 for one in told if one.row["ts_ns"] is not None]
        grown = grown if len(grown) == len(told) else _day_clocks(told)
    if len(told) < _LEAST or len(grown) < len(told):
        return None
    gaps = [high - low for low, high in pairwise(grown)]
    rounded = 0.0 if any(value % 1 for value in grown) else 1.0
    if min(gaps) <= 0 or max(gaps) > _EVEN * min(gaps) + rounded:
        return None
    stamps = [one.row["ts_ns"] for one in told]
    if len(set(stamps)) == 1 and len(clocks := _day_clocks(told)) == len(told):
        stamps = [int(at * 1e9) for at in clocks]  # one clock above them all, as the head of a typescript is
    if None not in stamps and any(
        (high - low) / 1e9 < gap / _EVEN for (low, high), gap in zip(pairwise(stamps), gaps, strict=True)
    ):
        return None  # what grows is no time
    counts = tuple(int(number) for number in told[-1].still if number.isdecimal())
    rows, since = tuple(one.row for one in told), _SINCE_LAST.search(text) is not None
    return Pulse(rows, counts, grown[-1] - grown[0], no_cpu, _slept_in(_said(told[-1].row)), idle, since)


def _used_none(text: str) -> bool:
    """Whether a line says that no processor was used."""
    return any(float(found[1] or found[2]) == 0 for found in _PROCESSOR.finditer(text))


def _day_clocks(told: list[_Told]) -> list[float]:
    """Times of day at the heads of lines, in seconds, where each has one and none is of another day."""
    return [float(at) for one in told if (at := time_of_day_s(str(one.row["text"]))) is not None]


def _slept_in(text: str) -> str | None:
    """Where in the kernel a process slept by a line of ``ps`` that tells what processor time it had used before."""
    slept = _SLEEPS.search(text)
    clocks = [_clock_s(found.group()) for found in _RUNNING.finditer(text)]
    return slept[1] if slept is not None and any(clocks[1:]) else None


_TAKEN: Final = (Kind.SLURM_OOM, Kind.CGROUP_OOM, Kind.NODE_FAILURE, Kind.PREEMPTED, Kind.SEGFAULT)
"""What took a process that others may then have waited for."""
_READ: Final = 400
_WIDE: Final = 400
_LEAST: Final = 4
"""Lines that tell of one who goes on telling the same."""
_EVEN: Final = 1.5
_BETWEEN: Final = 0.25
"""Lines of others among them, as a share of them."""
_ASKED: Final = re.compile(
    r"(?:[\w.@:~/ -]{0,60}[$#]|\$) (?:sudo )?(?:py-spy|ps|nvidia-smi|gdb|strace|top|cat|lsof|pstree)\b"
)
"""Where a person begins to ask what is going on."""
_DATE: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]?|\d{4}/\d\d/\d\d ?|\b[A-Z][a-z]{2} {1,2}\d{1,2} (?=\d\d:)|(?<=\w)\[\d{2,8}\]:"
)
_HEAD_CLOCK: Final = re.compile(r"^(\D{0,20}?)\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?")
"""When a line was written, which stands before all that it tells."""
_FIELD_CLOCK: Final = re.compile(
    r"(?i)\b[\"']?(?:ts|time(?:stamp)?|asctime|when|at)[\"']?[=:] ?[\"']?"
    r"(?:\d{9,19}(?:\.\d{1,9})?|\d{4}-\d\d-\d\d[T ][\d:.,]{5,18}(?:Z|[+-]\d\d:?\d\d)?)[\"']?,?"
)
"""The same as a field of a record."""
_READING: Final = re.compile(r"(?<![\w.])\d{1,5}(?:\.\d{1,3})? ?(?:W|V|°?C|MHz|rpm)\b")
"""What a sensor reads wavers while nothing goes on."""
_SENSOR: Final = re.compile(
    r"(?i)\b(?:watts?|power(?:_w)?|temp(?:erature)?(?:_c)?|fan|rss(?:_\w{1,3})?)[\"']?[=:] ?\d{1,6}(?:\.\d{1,3})?%?"
    r"|(?<![a-z])(?:\w{1,12}[_ ])?cpu(?:[_ ](?:load|util|usage|pct|percent))?[\"']?[=: ]{1,2}"
    r"(?:(?:\d|10)(?:\.\d{1,3})? ?%|0\.[012]\d?(?![\d%]))"
)
"""The same as fields, and a processor that does next to nothing."""
_HEAD_SECONDS: Final = re.compile(r"^(\[[^\]]{1,30}\] {0,3})?\[? {0,6}\d{1,9}\.\d{3,6}\]?(?=\s)")
"""Seconds since a program began, where each line begins with them, or they stand behind who speaks."""
_KEY_SPAN: Final = re.compile(
    r"(?i)(?<![a-z])(?:since\w{0,20}|idle|age|waited|waiting|stalled|silent|stuck|elapsed)_(s|m|h)(?:ec|ecs|econds|in)?"
    r"[\"']?[=:] ?(\d{1,7}(?:\.\d{1,6})?)\b"
)
"""A span whose unit stands in its name."""
_RUNNING: Final = re.compile(r"(?<![\d:.-])\d{1,3}:\d\d(?::\d\d)?(?![\d:])")
"""How long something has run: ``239/240 [01:08<00:00, 29.94b/s]``, the ``etime`` of ``ps``."""
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_SPAN: Final = re.compile(
    r"(?<![\w.])(\d{1,7}(?:\.\d{1,6})?) ?(?:[smh]|(?i:secs?|seconds?|mins?|minutes?|hours?))\b(?! of)"
)
_SINCE: Final = re.compile(r"(?i)\b(?:for|since|after|seit|depuis|desde|da)\b[^\d]{0,20}$")
_UNITS_S: Final = {"s": 1.0, "m": 60.0, "h": 3600.0}
_PROCESSOR: Final = re.compile(
    r"(?i)(?<![\d.])(\d{1,6}(?:\.\d{1,6})?) ?(?:s|sec|seconds|%)? (?:of )?(?:the )?(?:processor|cpu)\b"
    r"|\b(?:processor|cpu)(?:\b[a-z_ ]{0,12}|_(?:pct|percent|util|usage|load)\b)[\"']?[:= ]{1,2}"
    r"(\d{1,6}(?:\.\d{1,6})?)(?![\d.])"
)
"""How much processor time a line says was used: ``0.0 s of processor``, ``cpu 0%``."""
_PROCESSOR_TIME: Final = re.compile(
    r"(?i)(?<![a-z])(?:(?:process|main|trainer|proc)_)?cpu[_ ]?(?:s|sec|secs|seconds|time(?:_s)?)[\"']?[=: ]{1,2}"
    r"(?!0+(?:\.0*)?(?![\d.]))\d{1,8}\.\d{1,6}(?![\d.])"
)
"""What a process has used of a processor since it began: ``cpu_s=5.3``, which whoever computes sees grow."""
_GPU_IDLE: Final = re.compile(
    r"(?i)\bgpu[ _]?\d{0,3}\b[^\d%]{0,16}\b0(?:\.0)? ?%|(?:\b|dev_|gpu_|device_)util\w*[ :=]{1,3}0(?:\.0)? ?%"
    r"|\b(?:gpu|dev(?:ice)?|cuda|card|sm)_(?:busy|util\w*|active|load|usage)[\"']?[ :=]{1,3}0(?:\.0{1,4})?(?![\d.])"
    r"|(?:利用率|使用率|稼働率|사용률)\W{0,3}0(?:\.0)? ?%"
)
"""``gpu0 util 0 %``."""
_SINCE_LAST: Final = re.compile(
    r"(?i)\bsince (?:the |its |my )?last (?:batch|step|report|iteration|update|epoch|progress|sample|word|message)\b"
    r"|\b(?:no|without(?: a| any)?) (?:new )?(?:progress|steps?|batch(?:es)?|updates?|output|iterations?)\b"
    r".{0,24}\b(?:for|since|in)\b"
    r"|\bsince[_ ]last(?:_\w{1,7})?[\"']?[=: ]{1,2}\d"
    r"|\bnothing (?:new|more|done|happen\w*)\b|\b(?:stuck|no change|unchanged|still (?:at|in|on|waiting))\b"
)
"""Words of one who watches, for what grows."""
_SLEEPS: Final = re.compile(
    r"(?<=[ \d])[SD][sl+<NL]{0,4} .{0,80}?\b((?:anon_)?pipe_(?:read|write|wait)|futex_\w{1,30}"
    r"|do_(?:poll|select|epoll)\w{0,20}|poll_schedule_timeout\w{0,20}|ep_poll|hrtimer_nanosleep|unix_\w{1,30}"
    r"|sk_wait_data|inet_csk_accept|wait_woken|wait_on_\w{1,30}|io_schedule\w{0,20}|(?:rpc|nfs)_\w{1,30}"
    r"|(?:rwsem|mutex|down|locks_lock|flock_lock)_?\w{0,30})(?![\w.])"
)
"""A state of ``ps`` that does not run, and where in the kernel (``wchan``) it sleeps: for no child of its own."""
