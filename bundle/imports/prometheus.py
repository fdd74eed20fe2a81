"""Scrapes of Prometheus exporters: the text exposition format and OpenMetrics, one scrape or many in a file.

When a scrape was taken is told by, surest first: the time beside a value, ``node_time_seconds`` of the same scrape, a
line with a clock before it (``date`` in a loop), and what `Gathered.settle` names. What none of them tells has no time.

Format: https://github.com/prometheus/docs (exposition_formats) and OpenMetrics 1.0: times are milliseconds in the
one, seconds in the other, and their magnitude tells which.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports.metric_table import METRICS
from inquest.bundle.imports.series import MAX_SERIES, MAX_VALUES, TABLES, Gathered, Series
from inquest.bundle.imports.told_time import told_ns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_NAME: Final = rb"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL: Final = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.DOTALL)
_QUOTED: Final = re.compile(rb'(?:[^"}]|"(?:[^"\\]|\\.)*")*+\}')
_NUMBER: Final = rb"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?Inf|NaN|[-+]?inf|nan"
_SAMPLE: Final = re.compile(
    rb"(" + _NAME + rb")(?:\s*\{.{0,16384}\})?\s+(?:" + _NUMBER + rb")(?:\s+-?\d+(?:\.\d+)?)?(?:\s+# \{.*)?\s*"
)
_META: Final = re.compile(rb"#\s*(?:HELP|TYPE|UNIT)\s+(" + _NAME + rb")")
_LINE_CAP: Final = 65536
_MS_FROM: Final = 10**11
"""A time beside a value is in seconds below (until the year 5138), in milliseconds from here on."""
_ESCAPES: Final = {"n": "\n", '"': '"', "\\": "\\"}
_SAMPLED_LINES: Final = 400
_MOST_OTHER: Final = 0.1
"""Share of lines that may be neither sample, comment nor clock."""


class _Prometheus:
    name = "prometheus"
    title = "Scrape of a Prometheus exporter (DCGM, node_exporter, cAdvisor)"
    tables = TABLES
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        lines = [line for line in source.head.split(b"\n")[:_SAMPLED_LINES] if line.strip()]
        if len(source.head) >= _LINE_CAP and len(lines) > 1:
            lines.pop()
        known = other = clocks = 0
        described: set[bytes] = set()
        for line in lines:
            if meta := _META.match(line):
                described.add(meta[1])
            elif sample := _SAMPLE.fullmatch(line[:_LINE_CAP]):
                known += sample[1].decode() in METRICS or _family(sample[1]) & described != set()
            elif not line.startswith(b"#"):
                clock = told_ns(line[:512].decode("utf-8", "replace"), 0) is not None
                clocks, other = clocks + clock, other + (not clock)
        return 0 < known >= clocks and other <= _MOST_OTHER * len(lines)  # in a log, clocks are on every line

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        gathered = Gathered(context)
        scrapes = _Scrapes(gathered, context)
        for line in _lines(source.chunks()):
            scrapes.take(line)
            if scrapes.values >= MAX_VALUES:
                scrapes.split()
                yield from gathered.rows(last=False)
                gathered.forget()
        scrapes.end()
        gathered.settle(source.name)
        yield from gathered.rows()


KIND = _Prometheus()


class _Scrapes:
    """The scrapes of one file, line by line. A series seen again begins the next one."""

    def __init__(self, gathered: Gathered, context: Context) -> None:
        self.values = 0
        self._gathered = gathered
        self._context = context
        self._known: dict[bytes, Series | None] = {}
        self._seen: dict[bytes, int] = {}
        self._number = 0
        self._told: int | None = None
        self._empty = True

    def take(self, line: bytes) -> None:
        """One line."""
        line = line.strip()
        if not line:
            return
        if len(line) > _LINE_CAP:
            self._context.refuse("lines longer than any exporter writes")
            return
        if line.startswith(b"#"):
            if line.startswith(b"# EOF"):
                self.end()
            elif not _META.match(line):
                self._clock_line(line)
            return
        key = line[: line.rfind(b"}") + 1] or line.split(None, 1)[0]
        if key not in self._known:
            sample = _split(line)
            if sample is None:
                self._clock_line(line)
                return
            key = sample
            if key not in self._known:
                if len(self._known) >= MAX_SERIES:
                    self._context.refuse(f"samples of series beyond the first {MAX_SERIES:,}")
                    return
                self._known[key] = self._new(key)
        fields = line[len(key) :].split(None, 2)
        try:
            value = float(fields[0])
            time = _time(float(fields[1])) if len(fields) > 1 and fields[1] != b"#" else None
        except (ValueError, IndexError, OverflowError):
            self._context.refuse("lines that are not of the exposition format")
            return
        if time is None:
            if self._seen.get(key) == self._number:
                self.end()
            self._seen[key] = self._number
        self._empty = False
        if key.startswith(b"node_time_seconds"):
            self._told = _time(value)
        series = self._known[key]
        if series is not None:
            series.times.append(self._gathered.scrape() if time is None else time)
            series.values.append(value)
            self.values += 1

    def end(self) -> None:
        """The scrape is over; what follows is of the next one."""
        if self._empty:
            return
        self._gathered.scrapes.append(self._told)
        self._told = None
        self._number += 1
        self._empty = True

    def split(self) -> None:
        """What was read so far of this scrape, and what is still to come, become rows of their own."""
        self._gathered.scrapes.append(self._told)
        self._number += 1
        self.values = 0

    def _clock_line(self, line: bytes) -> None:
        """A line that is no sample: the time of the scrape after it, or nothing we know."""
        time = told_ns(line[:512].decode("utf-8", "replace"), self._context.utc_offset_minutes)
        if time is not None:
            self.end()
            self._told = time
        elif not line.startswith(b"#"):
            self._context.refuse("lines that are not of the exposition format")

    def _new(self, key: bytes) -> Series | None:
        name, _, inside = key.decode("utf-8", "replace").partition("{")
        return self._gathered.series(name.strip(), labels_of(inside[:-1]) or {})


def _family(name: bytes) -> set[bytes]:
    """Names under which a sample may have been described: histograms and summaries have several."""
    return {name, *(name.removesuffix(end) for end in (b"_bucket", b"_sum", b"_count", b"_total", b"_created"))}


def _split(line: bytes) -> bytes | None:
    """The series of a sample line: its name and labels; None where it is no sample."""
    brace = line.find(b"{")
    blank = line.find(b" ")
    if brace < 0 or 0 <= blank < brace - 1:
        return line.split(None, 1)[0] if _SAMPLE.fullmatch(line) else None
    end = _end_of_labels(line, brace)
    return line[: end + 1] if end >= 0 else None


def _end_of_labels(line: bytes, brace: int) -> int:
    """Where the labels close: at the first brace outside quotes; -1 where they do not."""
    found = _QUOTED.match(line, brace + 1)
    return found.end() - 1 if found else -1


def labels_of(text: str) -> dict[str, str] | None:
    """Labels between braces; None where they are not of the format."""
    labels: dict[str, str] = {}
    at = 0
    text = text.strip()
    while at < len(text):
        found = _LABEL.match(text, at)
        if found is None:
            return None
        value = found[2]
        if "\\" in value:
            value = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), value, flags=re.DOTALL)
        labels[found[1]] = value
        at = found.end()
    return labels


def _time(told: float) -> int | None:
    """Nanoseconds of a time beside a value; None where it names no instant of our era."""
    milliseconds = told if abs(told) >= _MS_FROM else told * 1000
    return round(milliseconds) * 1_000_000 if 0 < milliseconds < 1e13 else None


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their ends; one beyond the cap is cut, so that memory does not grow with it."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
        rest = rest[: 2 * _LINE_CAP]
    if rest:
        yield rest
