"""Tables of GPU readings in columns of somebody's own names: ``timestamp,util_pct,mem_used_mib,power_w,temp_c``.

Who samples a GPU by a script of his own names what he reads as he likes. A table is taken for one where a column tells
times, one how busy a GPU was, and another its memory, power or temperature; and where nothing tells of a CPU or of
steps, beside which a bare name may mean anything. Units are those of the names; a number without one is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from inquest.bundle.imports.series import TABLES
from inquest.bundle.imports.telegraf import rows
from inquest.bundle.imports.told_time import told_ns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source
    from inquest.bundle.imports.telegraf import Point

_HEAD: Final = 65536
_ROWS: Final = 20
"""Rows of the head, all of which must tell a time and numbers."""
_TIME: Final = re.compile(r"time_?stamp|(?:date_?)?time(?:_?(?:utc|local))?|ts|date|when")
_INDEX: Final = re.compile(r"gpu|gpu_?(?:id|idx|index|no|num(?:ber)?)|device(?:_?(?:id|index))?|index|idx")
_HOST: Final = re.compile(r"host(?:_?name)?|node(?:_?name)?|machine")
_GPU: Final = re.compile(r"(?:gpu|cuda|device|dev|g)_?(\d{1,3})_(.+)|(.+)_(?:gpu|cuda|device|dev)_?(\d{1,3})")
"""A column of one of several GPUs: ``gpu3_util_pct``, ``util_pct_gpu3``."""
_OTHERS: Final = re.compile(
    r"(?:^|_)(?:cpu|host_mem\w*|ram|rss|swap|disk|net|nic|loss|step|epoch|iter\w*|acc\w*|lr|load_?avg|avg|mean|sum)"
    r"(?:_|$|\d)"
)
"""What a bare name beside it may be of, and readings of several GPUs at once."""
_PERCENT: Final = r"_?(?:pct|percent|perc|prozent)"
_BUSY: Final = re.compile(
    rf"(?:gpu_|sm_)?(?:util(?:i[sz]ation)?|usage|busy|load)(?:_gpu|_sm)?{_PERCENT}"
    r"|(?P<bare>gpu_?util(?:i[sz]ation)?|util(?:i[sz]ation)?_gpu)"
)
"""Without a unit it may be a part of one, or of a hundred: the numbers tell."""
_MORE_THAN_ALL: Final = 1.5
_USED: Final = re.compile(
    r"(?:gpu_)?(?:mem(?:ory)?|vram|fb)(?:_?(?:used|usage|allocated|alloc|in_use))?_?(mib|mb|gib|gb|bytes|b)"
)
_POWER: Final = re.compile(r"(?:gpu_)?power(?:_?(?:draw|usage))?_?(w|watts?)")
_HEAT: Final = re.compile(r"(?:gpu_)?temp(?:erature)?(?:_gpu)?(_?(?:c|celsius|deg_?c))?")
_FIELDS: Final = (
    ("utilization_gpu", _BUSY),
    ("memory_used", _USED),
    ("power_draw", _POWER),
    ("temperature_gpu", _HEAT),
)
_IN_MIB: Final = {"gib": 1024.0, "gb": 1e9 / 2**20, "mb": 1e6 / 2**20, "bytes": 2.0**-20, "b": 2.0**-20}


class _Column(NamedTuple):
    """What a column tells: of which GPU (empty: the row tells), which field, and what makes it nvidia-smi's unit."""

    at: int
    gpu: str
    field: str
    scale: float
    bare: bool


class _Table(NamedTuple):
    """Where things stand in a row; -1 where they do not."""

    time: int
    gpu: int
    host: int
    columns: tuple[_Column, ...]


class _OwnGpuCsv:
    name = "own-gpu-csv"
    title = "GPU readings in a table of one's own"
    tables = TABLES
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        lines = source.head[:_HEAD].decode("utf-8", "replace").splitlines()
        table = None if not lines else _table(_row(lines[0]))
        if table is None:
            return False
        told = [_row(line) for line in lines[1:-1] if line.strip()]  # the last one may be cut
        timed = [len(row) > table.time and told_ns(row[table.time], 0) is not None for row in told[:_ROWS]]
        bare = [column.at for column in table.columns if column.bare]
        numbers = (row[at] for row in told for at in bare if at < len(row) and _NUMBER.fullmatch(row[at]))
        return bool(timed) and all(timed) and (not bare or any(float(one) > _MORE_THAN_ALL for one in numbers))

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        yield from rows(_points(source.lines(), context), context)


KIND = _OwnGpuCsv()


def _row(line: str) -> list[str]:
    sign = max(",;\t", key=line.count)
    return [cell.strip(" \"'") for cell in line.strip("\ufeff\r\n").split(sign)]


def _plain(name: str) -> str:
    """A column's name in lower case, its unit behind it: ``GPU util [%]`` is ``gpu_util_pct``."""
    return re.sub(r"[\W_]+", "_", name.lower().replace("%", " pct ")).strip("_")


def _table(header: list[str]) -> _Table | None:
    names = [_plain(name) for name in header]
    if any(_OTHERS.search(name) for name in names):
        return None
    time = next((at for at, name in enumerate(names) if _TIME.fullmatch(name)), -1)
    index = next((at for at, name in enumerate(names) if _INDEX.fullmatch(name)), -1)
    host = next((at for at, name in enumerate(names) if _HOST.fullmatch(name)), -1)
    columns = []
    for at, name in enumerate(names):
        own = _GPU.fullmatch(name)
        gpu, called = ("", name) if own is None else (own[1] or own[4], own[2] or own[3])
        for field, pattern in _FIELDS:
            if at not in (time, index, host) and (found := pattern.fullmatch(called)) is not None:
                scale = _IN_MIB.get(found[1], 1.0) if field == "memory_used" else 1.0
                unitless = found.groupdict().get("bare") is not None
                columns.append(_Column(at, gpu, field, scale, unitless))
    fields = {column.field for column in columns}
    apart = {column.gpu == "" for column in columns}
    if time < 0 or "utilization_gpu" not in fields or len(fields) < 2 or len(apart) != 1:
        return None
    return _Table(time, index, host, tuple(columns))


def _points(lines: Iterable[str], context: Context) -> Iterator[Point]:
    given = iter(lines)
    table = _table(_row(next(given, "")))
    seen: tuple[int, str] | None = None
    if table is None:
        return
    for line in given:
        row = _row(line)
        when = told_ns(row[table.time], context.utc_offset_minutes) if len(row) > table.time else None
        if when is None:
            context.refuse("rows without a time")
            continue
        host = row[table.host] if 0 <= table.host < len(row) else ""
        index = row[table.gpu] if 0 <= table.gpu < len(row) else "0"
        # Several rows of one instant are of several GPUs, and which is which nobody tells.
        if table.gpu < 0 and not table.columns[0].gpu and seen == (when, host):
            context.refuse("rows that do not tell their GPU")
            continue
        seen = (when, host)
        for gpu in dict.fromkeys(column.gpu for column in table.columns):
            numbers = {
                column.field: float(row[column.at]) * column.scale
                for column in table.columns
                if column.gpu == gpu and column.at < len(row) and _NUMBER.fullmatch(row[column.at])
            }
            if numbers:
                yield "nvidia_smi", {"gpu": gpu or index, **({"host": host} if host else {})}, numbers, when


_NUMBER: Final = re.compile(r"\d{1,12}(?:\.\d{1,9})?")
