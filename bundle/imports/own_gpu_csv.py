"""Tables of GPU readings in columns of somebody's own names: ``timestamp,util_pct,mem_used_mib,power_w,temp_c``.

Who samples a GPU by a script of his own names what he reads as he likes. A table is taken for one where a column tells
times, one how busy a GPU was, and another its memory, power or temperature; and where nothing tells of a CPU or of
steps, beside which a bare name may mean anything. Units are those of the names; a number without one is left out,
but for shares, which the numbers tell. JSON lines are such a table too. Beside them stand what else `gpu_words` knows,
in its languages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from inquest.bundle.imports.gpu_words import Extent, in_bounds, word
from inquest.bundle.imports.own_gpu_objects import as_table
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
_TIME: Final = re.compile(
    r"time_?stamp|(?:date_?)?time(?:_?(?:utc|local))?|ts|date|when"
    r"|zeit(?:punkt|stempel)?|datum(?:_?zeit)?|uhrzeit|fecha(?:_?(?:y_)?hora)?|hora|instante|data(?:_?(?:e_)?hora)?"
    r"|horodatage|heure|temps|orario|время|时间|時刻|日時"
)
_INDEX: Final = re.compile(
    r"gpu|gpu_?(?:id|idx|index|no|num(?:ber)?|nr)|device(?:_?(?:id|index))?|index|idx|karte|tarjeta|placa|carte|显卡"
)
_HOST: Final = re.compile(
    r"host(?:_?name)?|node(?:_?name)?|machine|knoten(?:name)?|rechner|nodo|equipo|n[oó]|m[aá]quina|n(?:oe|œ)ud|h[oô]te"
    r"|узел|хост|节点|主机|ノード|ホスト"
)
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
_MORE: Final = frozenset({"DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"})
"""What `gpu_words` knows that needs no unit: a share that the numbers tell, a code, bits."""
_IN_MIB: Final = {"gib": 1024.0, "gb": 1e9 / 2**20, "mb": 1e6 / 2**20, "bytes": 2.0**-20, "b": 2.0**-20}


_BY_METRIC: Final = {
    "DCGM_FI_DEV_GPU_UTIL": "utilization_gpu",
    "DCGM_FI_DEV_FB_USED": "memory_used",
    "DCGM_FI_DEV_POWER_USAGE": "power_draw",
    "DCGM_FI_DEV_GPU_TEMP": "temperature_gpu",
}
"""The same fields under DCGM's name, as `gpu_words` calls them."""


class _Column(NamedTuple):
    """What a column tells: of which GPU (empty: the row tells), which field, and what makes it nvidia-smi's unit."""

    at: int
    gpu: str
    field: str
    scale: float
    bare: bool
    known: bool = False
    """Known to `gpu_words`, under DCGM's name."""


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
        lines = _head(source)
        table = _table_of(source)
        if table is None:
            return False
        told = [_row(line) for line in lines[1:-1] if line.strip()]  # the last one may be cut
        timed = [len(row) > table.time and told_ns(row[table.time], 0) is not None for row in told[:_ROWS]]
        bare = [column.at for column in table.columns if column.bare]
        numbers = (_number(row[at]) for row in told for at in bare if at < len(row))
        return bool(timed) and all(timed) and (not bare or any((one or 0.0) > _MORE_THAN_ALL for one in numbers))

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        if (table := _table_of(source)) is not None:
            yield from rows(_points(table, as_table(source.lines()), context), context)


KIND = _OwnGpuCsv()


def _head(source: Source) -> list[str]:
    return list(as_table(source.head[:_HEAD].decode("utf-8", "replace").splitlines()))


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
        if at not in (time, index, host) and (column := _column(at, gpu, called)) is not None:
            columns.append(column)
    fields = {_BY_METRIC.get(column.field, column.field) for column in columns if column.field not in _MORE}
    apart = {column.gpu == "" for column in columns}
    if time < 0 or "utilization_gpu" not in fields or len(fields) < 2 or len(apart) != 1:
        return None
    return _Table(time, index, host, tuple(columns))


def tells_no_time(source: Source) -> bool:
    """Whether the columns of a table are readings of GPUs, and none is a time: evidence that nobody can place."""
    lines = _head(source)
    names = [_plain(name) for name in _row(lines[0])] if lines else []
    known = (_column(at, "", name) for at, name in enumerate(names) if _INDEX.fullmatch(name) is None)
    fields = {column.field for column in known if column is not None}
    return not any(_TIME.fullmatch(name) for name in names) and len(fields) >= _SURELY_OF_GPUS


_SURELY_OF_GPUS: Final = 3
"""Fields of a GPU that no table of something else has side by side."""


def _column(at: int, gpu: str, called: str) -> _Column | None:
    """What a column's name says; None for what is no reading of a GPU that is known."""
    for field, pattern in _FIELDS:
        if (found := pattern.fullmatch(called)) is not None:
            scale = _IN_MIB.get(found[1], 1.0) if field == "memory_used" else 1.0
            return _Column(at, gpu, field, scale, found.groupdict().get("bare") is not None)
    told = word(called)
    if told is None or (told.scale is None and told.metric not in _MORE):
        return None
    return _Column(at, gpu, told.metric, told.scale or 0.0, bare=False, known=True)


def _table_of(source: Source) -> _Table | None:
    """Where things stand in a file, the shares without a unit settled by the numbers of its head."""
    lines = _head(source)
    table = _table(_row(lines[0])) if lines else None
    if table is None:
        return None
    told = [_row(line) for line in lines[1:-1]]
    settled = (_settled(column, told) if not column.scale else column for column in table.columns)
    return table._replace(columns=tuple(column for column in settled if column is not None))


def _settled(column: _Column, told: list[list[str]]) -> _Column | None:
    """The column with what makes its numbers DCGM's; None where they may be of several units."""
    extent = Extent()
    for row in told:
        if column.at < len(row) and (number := _number(row[column.at])) is not None:
            extent.take(number)
    scale = extent.scale(column.field, whole=True)
    return None if scale is None else column._replace(scale=scale)


def _points(table: _Table, lines: Iterable[str], context: Context) -> Iterator[Point]:
    given = iter(lines)
    next(given, "")
    seen: tuple[int, str] | None = None
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
                column.field: number * column.scale
                for column in table.columns
                if column.gpu == gpu and column.at < len(row) and (number := _number(row[column.at])) is not None
                if not column.known or in_bounds(column.field, number * column.scale)
            }
            if numbers:
                yield "nvidia_smi", {"gpu": gpu or index, **({"host": host} if host else {})}, numbers, when


def _number(cell: str) -> float | None:
    """A number, with a point or a comma before its parts, or bits as ``0x40``."""
    if _BITS.fullmatch(cell):
        return float(int(cell, 16))
    return float(cell.replace(",", ".")) if _NUMBER.fullmatch(cell) else None


_BITS: Final = re.compile(r"0x[0-9a-fA-F]{1,16}")
_NUMBER: Final = re.compile(r"\d{1,12}(?:[.,]\d{1,9})?")
