"""GPU readings as monitors hand out their series: one value a line, one chart a file, or JSON.

Forms, all of which tell a name, a GPU, a time and a number: tables of series, time and value (Grafana's older export,
``history`` of Zabbix), tables of one chart with a column for each GPU (netdata's ``/api/v1/data?format=csv``, pmrep of
PCP), ``PUTVAL`` of collectd, the answer of Datadog's ``/api/v1/query``, and the events of the system that W&B writes
down line by line (``wandb-events.jsonl``). Names are those of `gpu_words`, and count only where something beside them
says that they are of GPUs: sensors, discs and cards of other kinds have numbers too.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from inquest.bundle.imports._values import nanoseconds, real, utf8
from inquest.bundle.imports.gpu_words import Extent, Word, in_bounds, word
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.metric_table import METRICS
from inquest.bundle.imports.series import TABLES
from inquest.bundle.imports.telegraf import rows
from inquest.bundle.imports.told_time import told_ns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.source import Source
    from inquest.bundle.imports.telegraf import Point

_HEAD: Final = 65536
_HELD: Final = 100_000
"""Readings by which units are settled that nobody tells."""
_MAX_JSON: Final = 64 << 20
"""Bytes of a JSON answer that are read at once: Datadog gives some hundred points a series."""
_MAX_NAME: Final = 300
"""Characters of a series' name; more is no name."""
_TIME: Final = re.compile(r"(?i)#?(?:time|timestamp|clock|date|datetime|zeit|fecha|temps|ts)")
_VALUE: Final = re.compile(r"(?i)value(?: #[A-Z])?|wert|valor|valeur|val")
_HOST_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,253}(?::\d{1,5})?")
_HOST: Final = re.compile(r"(?i)host(?:name)?|node(?:name)?|instance|machine|rechner|server")
_NAME: Final = re.compile(r"(?i)series|metric|key_?|item|name|field|chart|serie")
_OF_GPUS: Final = re.compile(r"(?i)gpu|nvidia|nvml|cuda|dcgm|vram|xid|(?<![a-z])sm[ _.-]")
"""What says that a number is of a GPU, where ``card 1`` and ``rack/3`` do not."""
_ONE_GPU: Final = re.compile(r"(?i)(?<![a-z])(?:gpu|nvidia|card|cuda|gpu_device|device)[ _:#=-]{0,2}(\d{1,3})(?![\w.])")
_UUID: Final = re.compile(r"\bGPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?\b")
_SEAT: Final = re.compile(r"(?P<host>[A-Za-z][\w.-]{0,61}\w)[/:#]\s?(?:gpu)?[ _-]?(?P<gpu>\d{1,3})")
"""``node7/3``: the third GPU of a host."""
_PAIR: Final = re.compile(
    r"(?i)\b(host|hostname|node|instance|gpu|gpu_device|device|gpu_id|index|uuid)[:=]\"?([\w.-]+)"
)
_PUTVAL: Final = re.compile(
    r'PUTVAL "?(?P<host>[\w.-]+)/gpu_nvidia-(?P<gpu>\d{1,3})/(?P<name>[\w-]+)"? (?:interval=[\d.]+ )?'
    r"(?P<time>\d{9,11}(?:\.\d{1,9})?):(?P<value>-?[\d.]{1,20})"
)
_CHART: Final = re.compile(r"(?:.*/)?(?:netdata[_-](?P<host>[\w.-]+?)[_-])?nvidia_smi[._](?P<chart>\w+)\.csv")
"""How a chart of netdata's is named, where its file is named after it."""
_EVENT: Final = re.compile(r'^\{(?=.*"_timestamp": ?\d).*"system\.gpu\.\d{1,3}\.\w+":')
"""A line of W&B's events."""
_OF_EVENT: Final = re.compile(r"system\.gpu\.(\d{1,3})\.(\w+)")
_WORDS_OF_EVENTS: Final = {
    "gpu": Word("DCGM_FI_DEV_GPU_UTIL", 1.0),
    "memoryAllocatedBytes": Word("DCGM_FI_DEV_FB_USED", 2.0**-20),
    "powerWatts": Word("DCGM_FI_DEV_POWER_USAGE", 1.0),
    "temp": Word("DCGM_FI_DEV_GPU_TEMP", 1.0),
    "smClock": Word("DCGM_FI_DEV_SM_CLOCK", 1.0),
}
_NUMBER: Final = re.compile(r"(-?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,3})?)\s?([^\d\s].{0,10})?")
_NO_NUMBER: Final = "values in a form that is not understood"
_NAMED_SO: Final = frozenset({"gpu", "gpu_device", "device", "gpu_id", "index"})


class _Reading(NamedTuple):
    """One number: of which GPU, what it is, and when it was read; ``sure`` where its name says that it is of a GPU."""

    tags: tuple[tuple[str, str], ...]
    told: Word
    when: int
    number: float
    sure: bool = True


class _GpuExports:
    name = "gpu-exports"
    title = "GPU readings of a monitor, series by series"
    tables = TABLES
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        head = source.head[:_HEAD].decode("utf-8", "replace")
        if _begins_datadog(head):
            return True
        whole = head if len(source.head) < _HEAD else head.rpartition("\n")[0]
        return any(one.sure for one in _readings(whole.splitlines(), source.name, Context()))

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        if _begins_datadog(source.head[:_HEAD].decode("utf-8", "replace")):
            readings = _of_datadog(source.read(_MAX_JSON))
        else:
            readings = _readings(source.lines(), source.name, context)
        yield from rows(_points(readings, context), context)


KIND = _GpuExports()


def _points(readings: Iterator[_Reading], context: Context) -> Iterator[Point]:
    """Readings in DCGM's units. The first of them settle the units that nobody tells, and those behind follow.

    So do they tell what is a GPU: ``power_w node7/3`` counts where ``gpu_util_pct node7/3`` is there too.
    """
    held = list(itertools.islice(readings, _HELD))
    gpus = {one.tags for one in held if one.sure}
    extents: dict[str, Extent] = {}
    for one in held:
        if one.told.scale is None and one.tags in gpus:
            extents.setdefault(one.told.metric, Extent()).take(one.number)
    whole = len(held) < _HELD
    scales = {metric: extent.scale(metric, whole=whole) for metric, extent in extents.items()}
    for one in itertools.chain(held, readings):
        if one.sure or one.tags in gpus:
            yield from _point(one, scales, context)
        else:
            context.refuse("numbers that nothing says to be of a GPU")


def _point(one: _Reading, scales: dict[str, float | None], context: Context) -> Iterator[Point]:
    metric, told = one.told
    scale = scales.get(metric) if told is None else told
    if scale is None:
        context.refuse("numbers whose unit nobody tells")
    elif not in_bounds(metric, one.number * scale):
        context.refuse("numbers that no GPU can have")
    else:
        yield "gpu", dict(one.tags), {metric: one.number * scale}, one.when


def _readings(lines: Iterable[str], file: str, context: Context) -> Iterator[_Reading]:
    given = iter(lines)
    first = next((line for line in given if line.strip()), "").strip("\ufeff\r\n")
    of_line = _of_putval if first.startswith("PUTVAL ") else _of_event if _EVENT.search(first) else None
    if of_line is not None:
        for line in itertools.chain((first,), given):
            yield from of_line(line)
        return
    sign = max(",;\t", key=re.sub(r'"[^"]*"', "", first).count)
    header = _cells(first, sign)
    time = next((at for at, name in enumerate(header) if _TIME.fullmatch(name)), -1)
    if time < 0 or len(header) < 2:
        return
    seats = _long(header, time) or _wide(header, time, file)
    if seats is None:
        return
    for line in given:
        cells = _cells(line, sign)
        when = told_ns(cells[time], context.utc_offset_minutes) if time < len(cells) else None
        if when is not None:
            yield from seats.of(cells, when, context)
        elif line.strip():
            context.refuse("rows without a time")


class _Long(NamedTuple):
    """A table of one value a row: where its name, its host and its value stand."""

    names: tuple[int, ...]
    host: int
    value: int

    def of(self, cells: list[str], when: int, context: Context) -> Iterator[_Reading]:
        """The reading of a row."""
        if max(*self.names, self.value) >= len(cells):
            context.refuse("rows that end too soon")
            return
        text = " ".join(cells[at] for at in self.names)
        called = _called(text)
        number = _number(cells[self.value])
        if called is None:
            context.refuse("values of series that no table has a place for")
        elif number is None:
            context.refuse(_NO_NUMBER)
        else:
            tags = dict(called[1])
            if 0 <= self.host < len(cells) and _HOST_NAME.fullmatch(cells[self.host]):
                tags["host"] = cells[self.host]
            yield _Reading(tuple(sorted(tags.items())), called[0], when, number, _says_gpu(text))


class _Wide(NamedTuple):
    """A table with a column for each GPU: what each column tells."""

    columns: tuple[tuple[int, Word, tuple[tuple[str, str], ...]], ...]

    def of(self, cells: list[str], when: int, context: Context) -> Iterator[_Reading]:
        """The readings of a row."""
        for at, told, tags in self.columns:
            cell = cells[at] if at < len(cells) else ""
            if (number := _number(cell)) is not None:
                yield _Reading(tags, told, when, number)
            elif cell:
                context.refuse(_NO_NUMBER)


def _long(header: list[str], time: int) -> _Long | None:
    value = next((at for at, name in enumerate(header) if _VALUE.fullmatch(name)), -1)
    host = next((at for at, name in enumerate(header) if _HOST.fullmatch(name)), -1)
    names = tuple(at for at, name in enumerate(header) if _NAME.fullmatch(name) and at not in (time, host, value))
    return _Long(names, host, value) if value >= 0 and names else None


def _wide(header: list[str], time: int, file: str) -> _Wide | None:
    """All columns beside the time must be of GPUs: a table of other things as well has a reader of its own."""
    chart = _CHART.fullmatch(file)
    columns: list[tuple[int, Word, tuple[tuple[str, str], ...]]] = []
    sure = set()
    for at, name in enumerate(header):
        if at == time:
            continue
        if chart is not None:
            seat, told = _ONE_GPU.fullmatch(name), word(chart["chart"])
            called = None if seat is None or told is None else (told, {"gpu": seat[1]})
            if called is not None and chart["host"]:
                called[1]["host"] = chart["host"]
        else:
            called = _called(name)
        if called is None:
            return None
        tags = tuple(sorted(called[1].items()))
        columns.append((at, called[0], tags))
        if chart is not None or _says_gpu(name):
            sure.add(tags)
    return _Wide(tuple(columns)) if columns and all(column[2] in sure for column in columns) else None


@lru_cache(maxsize=4096)
def _called_so(text: str) -> tuple[Word, dict[str, str]] | None:
    """What a series is and of which GPU, told in one text: ``gpu_util_pct node7/3``, ``nvidia.power-gpu0``.

    Many rows repeat it.
    """
    tags: dict[str, str] = {}
    if found := _UUID.search(text):
        tags["UUID"] = found[0]
        rest = text.replace(found[0], " ")
    elif found := _SEAT.search(text):
        tags |= found.groupdict()
        rest = text.replace(found[0], " ")
    elif found := _ONE_GPU.search(text):
        tags["gpu"] = found[1]
        rest = f"{text[: found.start()]} {text[found.end() :]}"
    else:
        return None
    parts = [part for part in re.split(r"[\s\[\]{}()\"']+", rest) if part.strip(" -_.:/")]
    for at, part in enumerate(parts):
        if (told := _metric(part.strip(" -_.:/"))) is not None:
            others = [other for other in parts if other is not parts[at]]
            if len(others) == 1 and "host" not in tags and re.fullmatch(r"[A-Za-z][\w.-]*\d[\w.-]*", others[0]):
                tags["host"] = others[0].strip("-:")
            return told, tags
    return None


def _called(text: str) -> tuple[Word, dict[str, str]] | None:
    return _called_so(text) if len(text) <= _MAX_NAME else None


def _says_gpu(text: str) -> bool:
    return _OF_GPUS.search(text) is not None


def _metric(name: str) -> Word | None:
    """A name of an exporter's is left to the readers that know it with its labels."""
    return None if name in METRICS else word(name)


def _of_putval(line: str) -> Iterator[_Reading]:
    found = _PUTVAL.match(line)
    told = None if found is None else word(found["name"])
    when = None if found is None else told_ns(found["time"].split(".")[0], 0)
    if found is not None and told is not None and when is not None and (number := _number(found["value"])) is not None:
        yield _Reading((("gpu", found["gpu"]), ("host", found["host"])), told, when, number)


def _of_event(line: str) -> Iterator[_Reading]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return
    when = nanoseconds(real(told.get("_timestamp"))) if isinstance(told, dict) else None
    for key, value in told.items() if when is not None else ():
        found = _OF_EVENT.fullmatch(key)
        meant = None if found is None else _WORDS_OF_EVENTS.get(found[2])
        if found is not None and when is not None and meant is not None and (number := real(value)) is not None:
            yield _Reading((("gpu", found[1]),), meant, when, number)


def _begins_datadog(head: str) -> bool:
    """Whether a text begins as Datadog's answer with a metric of a GPU's."""
    return head.lstrip().startswith("{") and '"pointlist"' in head and re.search(r'"metric": ?"gpu\.', head) is not None


def _of_datadog(content: bytes) -> Iterator[_Reading]:
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return
    series = told.get("series") if isinstance(told, dict) else None
    for each in series if isinstance(series, list) else ():
        if not isinstance(each, dict):
            continue
        said = word(str(each.get("metric", ""))[:_MAX_NAME], _unit(each.get("unit")))
        tags = _pairs(utf8(str(each.get("scope", ""))[:_MAX_NAME]))
        points = each.get("pointlist")
        if said is None or not tags or not isinstance(points, list):
            continue
        for point in points:
            milliseconds, number = map(real, point) if isinstance(point, list) and len(point) == 2 else (None, None)
            when = None if milliseconds is None else nanoseconds(milliseconds / 1e3)
            if when is not None and number is not None:
                yield _Reading(tags, said, when, number)


def _unit(told: object) -> str:
    """Datadog tells a unit by its name, or as one or two that are divided."""
    if isinstance(told, list):
        whole = [part for part in told if isinstance(part, dict)]
        return str(whole[0].get("name", "")) if len(whole) == 1 else ""
    return told if isinstance(told, str) else ""


def _pairs(scope: str) -> tuple[tuple[str, str], ...]:
    tags = {}
    for key, value in _PAIR.findall(scope):
        name = "gpu" if key.lower() in _NAMED_SO else "UUID" if key.lower() == "uuid" else "host"
        tags[name] = value
    return tuple(sorted(tags.items())) if {"gpu", "UUID"} & tags.keys() else ()


def _cells(line: str, sign: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(iter(csv.reader([line.strip("\r\n")], delimiter=sign)), [])]
    except csv.Error:
        return []


def _number(cell: str) -> float | None:
    """A number with nothing behind it; a comma in it is the decimal point, as it stands in no other place."""
    found = _NUMBER.fullmatch(cell.replace(",", ".") if cell.count(",") == 1 else cell)
    return float(found[1]) if found is not None and found[2] is None else None
