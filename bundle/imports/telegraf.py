"""GPU metrics as Telegraf and InfluxDB keep them: line protocol, JSON, and the CSV that a query answers.

Telegraf calls metrics by nvidia-smi's words (``utilization_gpu`` of the measurement ``nvidia_smi``), or as Prometheus
does where it scraped an exporter; the tables are those of `metric_table`. A CSV tells one value a row, annotated, or
one column a field, where the query turned it (``pivot``).

Formats: https://docs.influxdata.com/influxdb/v2/reference/syntax/annotated-csv/ and .../line-protocol/.
Fields and tags: https://docs.influxdata.com/telegraf/v1/input-plugins/nvidia_smi/
"""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports._values import cells, nanoseconds, real, utf8
from inquest.bundle.imports.metric_table import METRICS
from inquest.bundle.imports.series import MAX_SERIES, MAX_VALUES, TABLES, Gathered, Series

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_SM: Final = "DCGM_FI_PROF_SM_ACTIVE"
_TENSOR: Final = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"
FIELDS: Final = {
    "utilization_gpu": "DCGM_FI_DEV_GPU_UTIL",
    "utilization_memory": "DCGM_FI_DEV_MEM_COPY_UTIL",
    "memory_total": "DCGM_FI_DEV_FB_TOTAL",
    "memory_used": "DCGM_FI_DEV_FB_USED",
    "power_draw": "DCGM_FI_DEV_POWER_USAGE",
    "power_limit": "DCGM_FI_DEV_ENFORCED_POWER_LIMIT",
    "enforced_power_limit": "DCGM_FI_DEV_ENFORCED_POWER_LIMIT",
    "temperature_gpu": "DCGM_FI_DEV_GPU_TEMP",
    "fan_speed": "DCGM_FI_DEV_FAN_SPEED",
    "clocks_current_sm": "DCGM_FI_DEV_SM_CLOCK",
    "clocks_current_memory": "DCGM_FI_DEV_MEM_CLOCK",
    "pcie_link_gen_current": "DCGM_FI_DEV_PCIE_LINK_GEN",
    "pcie_link_width_current": "DCGM_FI_DEV_PCIE_LINK_WIDTH",
    "remapped_rows_correctable": "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
    "remapped_rows_uncorrectable": "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    "remapped_rows_failure": "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    "remapped_rows_pending": "DCGM_FI_DEV_ROW_REMAP_PENDING",
    "sm_active": _SM,
    "sm_activity": _SM,
    "tensor_active": _TENSOR,
    "clocks_throttle_reasons_active": "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "clocks_event_reasons_active": "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "throttle_reasons": "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "ecc_errors_uncorrected_volatile_total": "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "ecc_errors_corrected_volatile_total": "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
}
"""nvidia-smi's fields as Telegraf and gpustat call them, and what scripts of one's own add, in the units of DCGM's."""
_MOST: Final = {_SM: 1.01, _TENSOR: 1.01}
"""What a share is never beyond: where one number of a file is, all of that metric are of another unit and left out."""
_HEAD: Final = 65536
_LINE: Final = re.compile(r"((?:\\.|[^\s\\])+) (\S.*) (\d{10,19})")
_PARTS: Final = re.compile(r"(?<!\\),")
_FIELD: Final = re.compile(r'(?:^|,)((?:\\.|[^,=\\])+)=("(?:\\.|[^"\\])*"|[^,]*)')
_NUMBER: Final = re.compile(r"(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)[iu]?")
_ESCAPED: Final = re.compile(r"\\([ ,=\\])")
_GAUGES: Final = ("gauge", "counter", "value")
"""Fields under which a scraped metric stands whose measurement bears its name."""
_TIMES: Final = ("_time", "time", "timestamp")
_DIGITS: Final = {10: 10**9, 13: 10**6, 16: 10**3, 19: 1}
"""What a time of so many digits is multiplied with."""

Point = tuple[str, dict[str, str], dict[str, float], int]
"""A measurement, its tags, its fields, and its time in nanoseconds."""


class _Telegraf:
    name = "telegraf"
    title = "GPU metrics of Telegraf or InfluxDB"
    tables = TABLES
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        head = source.head[:_HEAD].decode("utf-8", "replace").rpartition("\n")[0]
        found = [point for _, point in zip(range(20), _points(head.splitlines(), None), strict=False)]
        return any(_called(name, field) for name, _, fields, _ in found for field in fields)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        yield from rows(_points(source.lines(), context), context)


KIND = _Telegraf()


def rows(points: Iterable[Point], context: Context) -> Iterator[tuple[str, Any]]:
    """Rows of the GPUs that points are of."""
    gathered = Gathered(context)
    known: dict[tuple[object, ...], Series | None] = {}
    held = 0
    beyond: set[str] = set()
    for name, tags, fields, when in points:
        labels = {**tags, "modelName": tags.get("name", "")}
        for field, value in fields.items():
            if (metric := _called(name, field)) is None:
                continue
            key = (metric, *sorted(tags.items()))
            if key not in known:
                if len(known) >= MAX_SERIES:
                    context.refuse(f"series beyond the first {MAX_SERIES:,}")
                    continue
                known[key] = gathered.series(metric, labels)
            if value > _MOST.get(metric, math.inf):
                beyond.add(metric)
            if (series := known[key]) is not None:
                series.times.append(when)
                series.values.append(value)
                held += 1
        if held >= MAX_VALUES:
            yield from gathered.rows(last=False)
            gathered.forget()
            held = 0
    for each in [found for told, found in known.items() if told[0] in beyond]:
        context.refuse("shares that are beyond all there is")
        if each is not None:
            del each.times[:], each.values[:]
    yield from gathered.rows()


def _called(measurement: str, field: str) -> str | None:
    """The metric's name in the table; None for what has no place there."""
    if field in METRICS:
        return field
    if field in _GAUGES and measurement in METRICS:
        return measurement
    return FIELDS.get(field.removeprefix("mean_"))


def _points(lines: Iterable[str], context: Context | None) -> Iterator[Point]:
    kept = (line.strip("\ufeff\r") for line in lines)
    first = next((line for line in kept if line and not line.startswith("#")), "")
    both = (line for part in ((first,), kept) for line in part if line and not line.startswith("#"))
    if first.startswith("{"):
        yield from _of_json(both, context)
    elif _LINE.fullmatch(first):
        yield from _of_lines(both, context)
    elif any(name in first for name in _TIMES):
        yield from _of_table(both, context)


def _refuse(context: Context | None, why: str) -> None:
    if context is not None:
        context.refuse(why)


def _of_json(lines: Iterable[str], context: Context | None) -> Iterator[Point]:
    for line in lines:
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            _refuse(context, "lines that are no JSON")
            continue
        batch = told.get("metrics", [told]) if isinstance(told, dict) else []
        for each in batch if isinstance(batch, list) else ():
            if not isinstance(each, dict) or not isinstance(each.get("fields"), dict):
                continue
            tags, stamp = each.get("tags"), str(each.get("timestamp"))
            if (when := _ns(stamp)) is not None:
                named = {utf8(k): utf8(str(v)) for k, v in tags.items()} if isinstance(tags, dict) else {}
                numbers = {k: value for k, v in each["fields"].items() if (value := real(v)) is not None}
                yield str(each.get("name")), named, numbers, when


def _of_lines(lines: Iterable[str], context: Context | None) -> Iterator[Point]:
    for line in lines:
        found = _LINE.fullmatch(line)
        when = _ns(found[3]) if found else None
        if found is None or when is None:
            _refuse(context, "lines that are no line protocol")
            continue
        name, *pairs = (_ESCAPED.sub(r"\1", part) for part in _PARTS.split(found[1]))
        told = ((field[1], _NUMBER.fullmatch(field[2])) for field in _FIELD.finditer(found[2]))
        tags = {key: value for key, _, value in (pair.partition("=") for pair in pairs)}
        yield name, tags, {key: float(value[1]) for key, value in told if value}, when


def _of_table(lines: Iterable[str], context: Context | None) -> Iterator[Point]:
    """Rows under a header, which may be told anew; columns that are no field are tags."""
    header: list[str] = []
    for row in cells(lines, ",", lambda why: _refuse(context, why)):
        if any(name in row for name in _TIMES):
            header = row
            continue
        told = dict(zip(header, row, strict=False))
        when = next((found for name in _TIMES if (found := _ns(told.pop(name, ""))) is not None), None)
        if when is None:
            _refuse(context, "rows without a time")
            continue
        name = told.pop("_measurement", told.pop("name", "") if "_field" in told else "")
        if field := told.pop("_field", None):
            told[field] = told.pop("_value", "")
        numbers = {key: value for key in told if _called(name, key) and (value := _real(told[key])) is not None}
        yield name, _tags(told, numbers), numbers, when


def _tags(told: Mapping[str, str], numbers: Mapping[str, float]) -> dict[str, str]:
    no_tags = ("", "result", "table", "_start", "_stop", "_value")
    return {key: value for key, value in told.items() if key not in numbers and key not in no_tags}


def _real(text: str) -> float | None:
    found = _NUMBER.fullmatch(text)
    return float(found[1]) if found else None


def _ns(stamp: str) -> int | None:
    """Nanoseconds since 1970 of a number of any unit, or of RFC 3339."""
    if stamp.isdecimal():
        when_ns = int(stamp) * _DIGITS.get(len(stamp), 0)
        return None if nanoseconds(when_ns / 1e9) is None else when_ns
    try:
        when = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return None if when.tzinfo is None else nanoseconds(when.timestamp())
