"""What dcgmi prints: ``dmon`` as readings, failures of ``diag`` and ``health`` as events, ``discovery`` as names.

Formats: ``dcgmi/DeviceMonitor.cpp``, ``Diag.cpp``, ``Health.cpp``, ``Query.cpp`` and ``DcgmiOutput.cpp`` of DCGM 4.6.0.
It prints no time: one in the line before (``date`` in a loop) is taken for what comes first, or one that ``ts`` or
``awk`` put before every line of ``dmon``, else what `Gathered.settle` names. Where the command stands beside the one
clock above all of it, the rounds follow at its ``-d``. A year that those leave out is the one
that other files tell. A GPU is told by DCGM's number of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports.metric_table import DCGM_FIELDS
from inquest.bundle.imports.series import MAX_VALUES, Gathered, Series, unnamed_gpu
from inquest.bundle.imports.told_time import in_year_ns, month_of, told_ns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_NAMES: Final = {field.short: f"DCGM_FI_{field.names[0]}" for field in DCGM_FIELDS}
_HEADER: Final = re.compile(r"#\s*Entity\s+(\S.*)$")
_ROW: Final = re.compile(r"\s*(GPU|GPU-I|GPU-CI|SW|NvSwitch|Switch|Link|CPU|CPUCore)\s+(\d{1,4})(?:\s+(.*))?$")
_STAMP: Final = re.compile(
    r"([\[(]?[A-Z0-9][\w:.,+/ -]{7,38}?[\])]?)[ \t]*[ \t:|,][ \t]*(?=#\s*Entity\s|ID(?:\s|$)|GPU\s+\d{1,4}\s)"
)
"""A clock before a line of ``dmon``, put there by what its output went through."""
_COMMAND: Final = re.compile(r"\bdcgmi dmon\b(?:.*?\s(?:-d|--delay)[ =]?(?P<delay>\d{2,7})\b)?")
_DELAY_MS: Final = 1000
"""Between two rounds where the command does not tell (``dcgmi dmon --help``)."""
_CELLS: Final = re.compile(r"\|\s?([^|]*?)\s*\|\s?(.*?)\s*\|$")
_RULE: Final = re.compile(r"[+|][-=+ ]*(?:\w+)?[-=+ ]+[+|]$")
_TITLE: Final = re.compile(
    r"\|\s+(?:Diagnostic\s+\|\s+Result|Health Monitor Report|(?:GPU|Switch|CPU) ID\s+\|\s+Device Information)\s+\|$"
)
_REPORTS: Final = (("Health", "health"), ("GPU ID", "found"), ("Information", "other"), ("Diagnostic", "diag"))
_NAMED: Final = {"Name": "gpu_models", "Device UUID": "gpu_uuids"}
_GPU: Final = re.compile(r"GPU ?(\d{1,4})\b")
_INDEX: Final = re.compile(r"\d{1,4}")
_RESULT: Final = re.compile(r"GPU ?(\d{1,4}): (Pass|Fail|Skip|Warn|Not Run)$")
_NOBODY: Final = -1
_OTHER: Final = re.compile(
    r"Successfully ran diagnostic|\d+ \S+ found\b|Note: Use -a|Running iteration|ID\b|Id\b|[$#>] ?(?:sudo )?dcgmi"
    r"|Error: "
)
_BAD: Final = ("Fail", "Warn")
_HEALTH: Final = ("Warning", "Failure")
_SYSTEM_LEVEL: Final = 3
_SAMPLED_LINES: Final = 400
_MOST_OTHER: Final = 0.08
_LINE_CAP: Final = 4096
_DETAIL_CAP: Final = 600
_BATCH: Final = 20_000


class _Dcgmi:
    name = "dcgmi"
    title = "Output of dcgmi dmon, diag, health or discovery"
    tables = ("gpu_samples", "gpu_events", "node_info")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        lines = [line.strip() for line in source.head.decode("utf-8", "replace").splitlines() if line.strip()]
        known = other = clocks = 0
        for line in lines[:_SAMPLED_LINES]:
            _, line = _stamped(line[:_LINE_CAP])
            header = _HEADER.match(line)
            if _TITLE.match(line) or (header and set(header[1].split()) & _NAMES.keys()):
                known += 1
            elif not (_ROW.match(line) or line.startswith(("|", "+")) or _OTHER.match(line)):
                clock = told_ns(line, 0) is not None
                clocks, other = clocks + clock, other + (not clock)
        # In a log, clocks are on every line.
        return 0 < known >= clocks and other <= _MOST_OTHER * min(len(lines), _SAMPLED_LINES)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        reader = _Reader(context, _turn(source))
        for line in source.lines(_LINE_CAP):
            reader.take(line)
            if len(reader.events) >= _BATCH:
                yield "gpu_events", pl.DataFrame(reader.events, infer_schema_length=None)
                reader.events.clear()
            if reader.values >= MAX_VALUES:
                reader.end()
                yield from reader.gathered.rows(last=False)
                reader.gathered.forget()
                reader.values = 0
        reader.end()
        if reader.without_year:
            context.warn("Lines tell no year: their times stay unknown; a file with the year beside it would tell.")
        reader.gathered.settle(source.name)
        yield from reader.gathered.rows()
        if (names := reader.names()) is not None:
            yield "node_info", [names]
        if reader.events:
            yield "gpu_events", pl.DataFrame(reader.events, infer_schema_length=None)


KIND = _Dcgmi()


class _Reader:
    """Lines of dcgmi in order: monitor rounds become scrapes, reports become events."""

    def __init__(self, context: Context, turn: int | None = None) -> None:
        self.gathered = Gathered(context)
        self.without_year = False
        self._turn = turn
        self.events: list[dict[str, Any]] = []
        self.values = 0
        self._context = context
        self._time: int | None = None
        self._pace_ns: int | None = None
        self._next_ns: int | None = None
        self._columns: list[tuple[str, int]] = []
        self._round: set[str] = set()
        self._test = ""
        self._report = ""
        self._health: list[str] = []
        self._event: dict[str, Any] | None = None
        self._known: dict[tuple[str, str], Series | None] = {}
        self._failed = ""
        self._bad: dict[int | None, str] = {}
        self._texts: dict[int | None, str] = {}
        self._gpu: int | None = _NOBODY
        self._found: dict[int, dict[str, str]] = {}

    def names(self) -> dict[str, Any] | None:
        """GPUs of the node in the order of their numbers; None where nothing told them."""
        told = [self._found[gpu] for gpu in sorted(self._found)]
        if not told or not all("gpu_uuids" in one for one in told):
            return None
        columns = [name for name in _NAMED.values() if all(name in one for one in told)]
        return {"gpus": len(told), **{name: ",".join(one[name] for one in told) for name in columns}}

    def take(self, line: str) -> None:
        """One line."""
        clock, line = _stamped(line[:_LINE_CAP].rstrip())
        stamp = None if clock is None else self._told(clock)
        if (told := _COMMAND.search(line)) is not None:
            self._pace_ns = int(told["delay"] or _DELAY_MS) * 1_000_000
        if not line.strip():
            return
        if header := _HEADER.match(line.lstrip()):
            offset = len(line) - len(line.lstrip()) + header.start(1)
            self._columns = [(found[0], offset + found.start()) for found in re.finditer(r"\S+", header[1])]
        elif title := _TITLE.match(line):
            self._end_of_test()
            self._report = next(report for word, report in _REPORTS if word in title[0])
            self._test, self._health, self._gpu = "", [], _NOBODY
        elif line.startswith(("|", "+")):
            if (cells := _CELLS.match(line)) and not _RULE.match(line):
                self._cells(cells[1], cells[2])
        elif self._columns and (row := _ROW.match(line)):
            self._row(row, line)
            # GPUs of one round bear the clock of the first.
            self._time = stamp if self._time is None else self._time
        elif (time := told_ns(line, self._context.utc_offset_minutes)) is not None:
            self.end()
            self._time = self._next_ns = time
        elif not _OTHER.match(line.lstrip()):
            self._context.refuse("lines that are not dcgmi's")

    def _told(self, clock: str) -> int | None:
        """The time that a clock before a line tells; a year it lacks is the one in which the file ends."""
        offset, year = self._context.utc_offset_minutes, self._context.year
        if (month := month_of(clock)) is None:
            return told_ns(clock, offset)
        self.without_year |= year is None
        before = self._turn is not None and month >= self._turn
        return None if year is None else in_year_ns(clock, year - before, offset)

    def end(self) -> None:
        """The round of the monitor, or the report, is over."""
        self._end_of_test()
        if self._round:
            at = self._time
            if self._pace_ns is not None and self._next_ns is not None:
                # A clock stands above all of it alone, and the command beside it tells how far its rounds lie apart.
                at = self._next_ns if at is None else at
                self._next_ns = at + self._pace_ns
            self.gathered.scrapes.append(at)
            self._round, self._time = set(), None

    def _row(self, row: re.Match[str], line: str) -> None:
        if row[1] != "GPU":
            self._context.refuse(f"lines of what is no whole GPU ({row[1]})")
            return
        if row[2] in self._round:
            self.end()
        self._round.add(row[2])
        values = (row[3] or "").split()
        if len(values) != len(self._columns):  # some are blank: the columns' places tell which
            ends = [start for _, start in self._columns[1:]] + [None]
            values = [line[start:end].strip() for (_, start), end in zip(self._columns, ends, strict=True)]
        for (short, _), text in zip(self._columns, values, strict=True):
            try:
                value = float(text)
            except ValueError:
                continue
            series = self._series(short, row[2])
            if series is not None:
                series.times.append(self.gathered.scrape())
                series.values.append(value)
                self.values += 1

    def _series(self, short: str, gpu: str) -> Series | None:
        key = (short, gpu)
        if key not in self._known:
            self._known[key] = self.gathered.series(_NAMES.get(short, short), {"gpu": gpu})
        return self._known[key]

    def _cells(self, left: str, right: str) -> None:
        if self._report == "diag":
            self._diag(left.strip(), right)
        elif self._report == "health":
            self._health_line(left, right)
        elif self._report == "found":
            self._discovered(left.strip(), right)

    def _discovered(self, left: str, right: str) -> None:
        """A line of ``dcgmi discovery -l``: the number of a GPU stands before the first of its lines."""
        if _INDEX.fullmatch(left):
            self._gpu = int(left)
        key, colon, value = right.partition(": ")
        if colon and key in _NAMED and self._gpu is not None and self._gpu != _NOBODY:
            name = value.removesuffix("(last known)").strip().replace(",", " ")
            self._found.setdefault(self._gpu, {})[_NAMED[key]] = name

    def _diag(self, left: str, right: str) -> None:
        """A line of ``dcgmi diag``: a test and its result, the result of one GPU, or text that explains one."""
        told = _RESULT.match(right)
        kind, _, whom = left.partition(": ")
        if kind in ("Warning", "Error"):
            gpu = _GPU.search(whom) or _GPU.match(right)
            self._gpu = int(gpu[1]) if gpu else None
            self._texts[self._gpu] = (self._texts.get(self._gpu, "") + right)[:_DETAIL_CAP]
        elif kind == "Info":
            self._gpu = _NOBODY
        elif left:
            self._end_of_test()
            self._test, self._gpu = left, _NOBODY
            self._failed = right.partition(" ")[0] if right.startswith(_BAD) else ""
            if self._failed:
                self._bad |= {int(gpu): self._failed for gpu in _INDEX.findall(right.partition("GPU")[2])}
        elif told:
            self._gpu = _NOBODY
            if told[2] in _BAD:
                self._bad[int(told[1])] = told[2]
        elif self._gpu != _NOBODY:
            self._texts[self._gpu] = (self._texts[self._gpu] + right)[:_DETAIL_CAP]

    def _end_of_test(self) -> None:
        """Events of one test: one for each GPU it found wanting, or one for the node where it names none."""
        whom: dict[int | None, str] = {**self._bad}
        for gpu in self._texts:
            whom.setdefault(gpu, self._failed)
        if self._failed and not whom:
            whom[None] = self._failed
        if self._bad and None in whom:
            for gpu in self._bad:
                self._texts[gpu] = self._texts.get(gpu) or self._texts[None]
            del whom[None]
        for gpu, result in whom.items():
            what = f"dcgmi diag, {self._test}" if self._test else "dcgmi diag"
            told = ": ".join(filter(None, (what, result, self._texts.get(gpu))))
            self._add(gpu, told[:_DETAIL_CAP])
        self._bad, self._texts, self._failed, self._test = {}, {}, "", ""

    def _health_line(self, left: str, right: str) -> None:
        """A line of ``dcgmi health --check``: a tree of kind, number, "Errors" and systems; text follows its system."""
        label = left.strip().removeprefix("->").strip()
        if not label:
            if self._event is not None and right.strip():
                joint = ": " if self._event["detail"].endswith(_HEALTH) else " "
                self._event["detail"] = f"{self._event['detail']}{joint}{right.strip()}"[:_DETAIL_CAP]
            return
        level = left.index("->") // 3 + 1 if "->" in left else 0
        self._health = [*self._health[:level], label]
        self._event = None
        kind, number = (*self._health, "", "")[:2]
        if level == _SYSTEM_LEVEL and kind == "GPU" and number.isdecimal() and right.strip() in _HEALTH:
            self._event = self._add(int(number), f"dcgmi health, {label}: {right.strip()}")

    def _add(self, gpu: int | None, detail: str) -> dict[str, Any]:
        uuid = None if gpu is None else unnamed_gpu(gpu)
        event = {"ts_ns": self._time, "gpu_uuid": uuid, "gpu_index": gpu, "event": "health", "detail": detail}
        self.events.append(event)
        return event


def _stamped(line: str) -> tuple[str | None, str]:
    """The clock that stands before a line of ``dmon``, and the line as dcgmi printed it."""
    found = _STAMP.match(line)
    if found is None or (told_ns(found[1], 0) is None and month_of(found[1]) is None):
        return None, line
    return found[1], line[found.end() :]


def _turn(source: Source) -> int | None:
    """The month in which clocks without a year begin, where they end in an earlier one: a new year came between."""
    months = [
        month
        for part in (source.head, source.tail)
        for line in part.decode("utf-8", "replace").splitlines()
        if (clock := _stamped(line[:_LINE_CAP])[0]) and (month := month_of(clock))
    ]
    return months[0] if months and months[-1] < months[0] else None
