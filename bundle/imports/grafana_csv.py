"""Panels of Grafana saved as CSV: "Series joined by time", one series, a table of labels and values, and older forms.

Facts from Grafana's sources (``packages/grafana-data``: ``utils/csv.ts``, ``field/fieldState.ts``; and
``public/app/features/inspector/utils/download.ts``): the header names columns by legend, ``{label="value", ...}`` or
both; cells are raw (times as milliseconds since 1970) or, with "formatted data", worded in the panel's unit and the
zone of the browser; the file is called TITLE-data-as-joinbyfield-DATE.csv. For Excel it is UTF-16 with tabs, or begins
with ``sep=``. Up to Grafana 6 there were ``Series;Time;Value`` and ``Time;`` with a column for each series.

A legend often leaves out what is measured. Then the title tells it: one of the dashboard that dcgm-exporter ships, or
one that says what `gpu_words` knows (``Power``, ``SM activity``) over legends that each tell a GPU. What else a panel
may mean is not guessed.
"""

from __future__ import annotations

import codecs
import csv
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.errors import InputError
from inquest.bundle.imports.gpu_words import Extent, in_bounds, word
from inquest.bundle.imports.metric_table import METRICS, MIB
from inquest.bundle.imports.prometheus import labels_of
from inquest.bundle.imports.series import MAX_VALUES, TABLES, Gathered
from inquest.bundle.imports.told_time import told_ns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.series import Series
    from inquest.bundle.imports.source import Source

_PANELS: Final = {
    "gpu temperature": ("DCGM_FI_DEV_GPU_TEMP", 1.0),
    "gpu power usage": ("DCGM_FI_DEV_POWER_USAGE", 1.0),
    "gpu sm clocks": ("DCGM_FI_DEV_SM_CLOCK", 1e-6),
    "gpu utilization": ("DCGM_FI_DEV_GPU_UTIL", 1.0),
    "gpu framebuffer mem used": ("DCGM_FI_DEV_FB_USED", 1.0),
    "tensor core utilization": ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 1.0),
}
"""Titles of ``grafana/dcgm-exporter-dashboard.json``: the metric, and what a raw value is multiplied with to be one."""
_TITLE: Final = re.compile(r"(?:.*/)?(.+?)-data(?:-as-\w+)?-\d{4}-\d\d-\d\d.*\.csv(?:\.gz|\.zst)?", re.IGNORECASE)
_OF_GPU: Final = frozenset({"gpu", "UUID", "uuid", "gpu_uuid", "minor_number"})
"""Labels that only a GPU has: a panel called ``Temperature`` may be one of rooms."""
_TIME: Final = frozenset({"time", "timestamp", "date", "zeit", "fecha", "temps"})
_VALUE: Final = re.compile(r"value(?: #[A-Z])?", re.IGNORECASE)
_OF_NAME: Final = frozenset({"__name__", "metric", "series", "name"})
_LABELLED: Final = re.compile(r"([A-Za-z_:][\w:]*)? ?\{(.*)\}")
_WORD: Final = re.compile(r"[A-Za-z_][\w:]{4,}")
_GPU: Final = re.compile(r"\bgpu[ _:#=-]{0,2}\"?(\d{1,4})\b", re.IGNORECASE)
_UUID: Final = re.compile(r"\bGPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_HOST: Final = re.compile(r"[A-Za-z][\w.-]{0,61}[\w](?::\d{1,5})?")
_CELL: Final = re.compile(r"(-?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)\s*([^\d\s].{0,15})?")
_GROUPED: Final = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_UNIT: Final = re.compile(r"(?:(K|k|M|Mil|G|Bil|T|Tri|Ki|Mi|Gi|Ti|m|µ)? ?)(iB|B|bytes|Hz|W|°C|C|J|%|B/s|iB/s|s)?")
_POWERS: Final = {"K": 1, "k": 1, "M": 2, "Mil": 2, "G": 3, "Bil": 3, "T": 4, "Tri": 4}
_SMALL: Final = {"m": 1e-3, "µ": 1e-6}
_IN_COLUMN: Final = {"Hz": 1e-6, "J": 1e3, "%": 0.01}
"""What a base unit is multiplied with to be in the columns' units (MHz, mJ, shares); of others it is 1."""
_NOTHING: Final = frozenset({"", "null", "undefined", "nan", "no data", "-"})
_MAX_COLUMNS: Final = 20_000
_MAX_SERIES_IN_ROWS: Final = 100_000
_MAX_LINE: Final = 1 << 20
_HEADER_LINES: Final = 3
_FB: Final = "DCGM_FI_DEV_FB_USED"
_MIB_FROM, _MIB_TO = 2000.0, 400_000.0
"""The most of a panel of GPU memory without a unit that is in MiB: exporters tell that or bytes, never KiB."""


@dataclass(frozen=True, slots=True)
class _Panel:
    """What the title of a panel says: its metric, and what a raw value is multiplied with to be one.

    ``own`` where the title is somebody's own: then only columns count that tell their GPU, and only possible values.
    """

    title: str
    metric: str = ""
    factor: float = 1.0
    own: bool = False


@dataclass(frozen=True, slots=True)
class _Header:
    """Where a table's times, values and labels stand; ``joined`` where each value has a column of its own."""

    names: tuple[str, ...]
    time: int
    values: tuple[int, ...]
    joined: bool


class _GrafanaCsv:
    name = "grafana-csv"
    title = "Panel of Grafana, saved as CSV"
    tables = TABLES
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        lines = "".join(_texts([source.head])).splitlines()
        header = _opening(lines)
        if header is None:
            return False
        panel = _panel(source.name, lines)
        if not header.joined:
            told = [i for i, name in enumerate(header.names) if name.lower() in _OF_NAME]
            if not told:
                return _about("", panel) is not None
            rows = [_cells(line, _sign(lines)) for line in lines[1:50]]
            return any(_about(row[i], panel) for row in rows for i in told if i < len(row))
        return any(_about(header.names[index], panel) for index in header.values)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        gathered = Gathered(context)
        reader = _Reader(gathered, context, _panel(source.name, "".join(_texts([source.head])).splitlines()))
        for _ in reader.take(source):
            if reader.values >= MAX_VALUES:
                yield from gathered.rows(last=False)
                gathered.forget()
                reader.values = 0
        if reader.worded_times:
            context.warn("Times are worded in the zone of the browser that saved them.")
        yield from gathered.rows()


KIND = _GrafanaCsv()


class _Reader:
    """Rows of one file."""

    def __init__(self, gathered: Gathered, context: Context, panel: _Panel) -> None:
        self.values = 0
        self.worded_times = False
        self._gathered = gathered
        self._context = context
        self._panel = panel
        self._known: dict[tuple[str, ...], tuple[Series, str, float] | None] = {}

    def take(self, source: Source) -> Iterator[None]:
        """Take one row after the other.

        Raises:
            InputError: There is no header.
        """
        lines = _lines(source.chunks())
        first: list[str] = []
        header = None
        while header is None and len(first) < _HEADER_LINES and (line := next(lines, None)) is not None:
            first.append(line)
            header = _opening(first)
        if header is None:
            raise InputError(f"{source.name}: no header of a panel that Grafana saved.")
        sign = _sign(first)
        for line in lines:
            cells = _cells(line, sign)
            if not any(cells):
                continue
            at_ns = told_ns(cells[header.time], self._context.utc_offset_minutes) if header.time < len(cells) else None
            if at_ns is None:
                self._context.refuse("rows without a time that can be read")
                continue
            self.worded_times |= not cells[header.time].isdecimal() and not cells[header.time].endswith("Z")
            for index in header.values:
                if index < len(cells) and cells[index].lower() not in _NOTHING:
                    self._value(header, index, cells, at_ns)
            yield

    def _value(self, header: _Header, index: int, cells: Sequence[str], at_ns: int) -> None:
        found = self._series(header, index, cells)
        if found is None:
            self._context.refuse("values of series that no table has a place for")
            return
        series, metric, factor = found
        value = _number(cells[index], metric, factor)
        if value is None:
            self._context.refuse("values in a form or unit that is not understood")
            return
        if self._panel.own and metric == self._panel.metric and not in_bounds(metric, value):
            self._context.refuse("numbers that no GPU can have")
            return
        series.times.append(at_ns)
        series.values.append(value)
        self.values += 1

    def _series(self, header: _Header, index: int, cells: Sequence[str]) -> tuple[Series, str, float] | None:
        """The series of a value, its metric, and what a raw value is multiplied with."""
        if header.joined:
            key: tuple[str, ...] = (header.names[index],)
        else:
            key = tuple("" if i == header.time or i in header.values else cell for i, cell in enumerate(cells))
        if key not in self._known:
            if len(self._known) >= _MAX_SERIES_IN_ROWS:
                return None
            self._known[key] = self._new(header, key)
        return self._known[key]

    def _new(self, header: _Header, key: tuple[str, ...]) -> tuple[Series, str, float] | None:
        if header.joined:
            told = _about(key[0], self._panel)
        else:
            labels = {name: cell for name, cell in zip(header.names, key, strict=False) if cell}
            names = [cell for name, cell in labels.items() if name.lower() in _OF_NAME]
            told = _about(names[0] if names else "", self._panel)
            if told is not None:
                told = (told[0], told[1] | labels, told[2])
        series = None if told is None else self._gathered.series(told[0], told[1])
        return None if told is None or series is None else (series, told[0], told[2])


def _panel(name: str, lines: Sequence[str]) -> _Panel:
    """What the title of a panel says, as the name of its file tells it; ``lines`` are the first of its table."""
    found = _TITLE.fullmatch(name)
    title = re.sub(r"[\W_]+", " ", found[1]).strip() if found else ""
    if known := _PANELS.get(title.lower()):
        return _Panel(title, *known)
    told = word(title) if title else None
    if told is None:
        return _Panel(title)
    factor = _raw_factor(told.metric, lines) if told.scale is None else told.scale
    return _Panel(title) if factor is None else _Panel(title, told.metric, factor, own=True)


def _raw_factor(metric: str, lines: Sequence[str]) -> float | None:
    """What numbers without a unit are multiplied with to be in DCGM's; None where they may be of several units."""
    extent, sign, header = Extent(), _sign(lines), _opening(lines)
    for cells in (_cells(line, sign) for line in lines[1:-1]) if header is not None else ():
        for index in header.values if header is not None else ():
            if index < len(cells) and (raw := _raw(cells[index])) is not None:
                extent.take(raw)
    if metric == _FB and _MIB_FROM <= extent.most <= _MIB_TO:
        return 1.0
    return extent.scale(metric, whole=True)


def _about(column: str, panel: _Panel) -> tuple[str, dict[str, str], float] | None:
    """Metric, labels and factor of a column's name; None where neither it nor the panel tells a metric we know."""
    labelled = _LABELLED.fullmatch(column.strip())
    labels = labels_of(labelled[2]) if labelled else None
    if labels is not None and labelled is not None:
        metric = labelled[1] or labels.get("__name__") or ""
        if metric in METRICS:
            return metric, labels, 1.0
    else:
        named = next((word for word in _WORD.findall(column) if word in METRICS), None)
        labels = _words(column.replace(named, " ") if named else column)
        if named:
            return named, labels, 1.0
    told = next((word for word in _WORD.findall(panel.title) if word in METRICS), None)
    if told:
        return told, labels, 1.0
    if not panel.metric or (panel.own and not labels.keys() & _OF_GPU):
        return None
    return panel.metric, labels, panel.factor


def _words(legend: str) -> dict[str, str]:
    """Labels that a legend's words tell: a GPU, and a host beside it."""
    labels: dict[str, str] = {}
    rest = legend.strip()
    if found := _UUID.search(rest):
        labels["UUID"] = found[0]
        rest = rest.replace(found[0], " ")
    if found := _GPU.search(rest):
        labels["gpu"] = found[1]
        rest = rest[: found.start()] + " " + rest[found.end() :]
    rest = rest.strip(" \t:,;/|_-()[]{}")
    if rest.isdecimal() and len(rest) < 5 and "gpu" not in labels:
        labels["gpu"] = rest
    elif _HOST.fullmatch(rest) and any(character.isdigit() for character in rest):
        labels["instance"] = rest
    return labels


def _raw(cell: str) -> float | None:
    """A number without a unit; None for any other text."""
    try:
        raw = float(cell)
    except ValueError:
        return None
    return raw if math.isfinite(raw) else None


def _number(cell: str, metric: str, factor: float) -> float | None:
    """A cell as a value of its metric: raw, or worded in the panel's unit."""
    if (raw := _raw(cell)) is not None:
        return raw * factor
    found = _CELL.fullmatch(cell)
    if found is None or ("," in found[1] and not _GROUPED.fullmatch(found[1])):
        return None
    number = float(found[1].replace(",", ""))
    unit = _UNIT.fullmatch((found[2] or "").strip())
    if unit is None:
        return None
    prefix, base = unit[1] or "", (unit[2] or "").removesuffix("/s")
    scale = METRICS[metric].scale
    binary = base == "iB" or prefix.endswith("i")
    power = _POWERS.get(prefix.removesuffix("i"), 0)
    if base in ("B", "iB", "bytes") and scale == MIB:
        # Panels call DCGM's MiB megabytes: prefixes count from there.
        return number * (1024.0 if binary else 1000.0) ** (power - 2)
    size = (1024.0 if binary else 1000.0) ** power * _SMALL.get(prefix, 1.0)
    if not base:
        return number * size * factor
    return number * size * _IN_COLUMN.get(base, 1.0) / scale


def _opening(lines: Sequence[str]) -> _Header | None:
    """The header of a table; ``sep=`` may stand above it."""
    sign = _sign(lines)
    for line in [line for line in lines[:_HEADER_LINES] if line.strip() and not line.startswith("sep=")][:1]:
        names = tuple(_cells(line, sign))
        time = next((index for index, name in enumerate(names) if name.strip().lower() in _TIME), None)
        if time is None or not 2 <= len(names) <= _MAX_COLUMNS:
            return None
        others = [index for index in range(len(names)) if index != time]
        values = tuple(index for index in others if _VALUE.fullmatch(names[index].strip()))
        if values and len(others) > 1:
            return _Header(names, time, values, joined=False)
        return _Header(names, time, tuple(others), joined=True)
    return None


def _sign(lines: Sequence[str]) -> str:
    """What stands between cells."""
    if lines and lines[0].startswith("sep=") and len(lines[0].strip()) == len("sep=,"):
        return lines[0][4]
    bare = re.sub(r'"[^"]*"', "", lines[0]) if lines else ""
    return max(",;\t", key=bare.count)


def _cells(line: str, sign: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(iter(csv.reader([line], delimiter=sign)), [])]
    except csv.Error:
        return []


def _texts(chunks: Iterable[bytes]) -> Iterator[str]:
    """The text of a file: UTF-8, or what Grafana writes for Excel."""
    decoder = None
    for chunk in chunks:
        if decoder is None:
            name = "utf-16" if chunk.startswith(codecs.BOM_UTF16_LE) else "utf-8-sig"
            decoder = codecs.getincrementaldecoder(name)("replace")
        yield decoder.decode(chunk)
    if decoder is not None:
        yield decoder.decode(b"", final=True)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    rest = ""
    for text in _texts(chunks):
        *whole, rest = (rest + text).split("\n")
        yield from (line.rstrip("\r") for line in whole)
        rest = rest[:_MAX_LINE]
    if rest:
        yield rest.rstrip("\r")
