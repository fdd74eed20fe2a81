"""``nvidia-smi --query-gpu=... --format=csv`` and ``--query-compute-apps``, once or in a loop, with any fields.

The header names the fields; where it was left out (``noheader``), a line with the command before the values does.
Without either nobody can know what the numbers are, and the file is kept as text. Times are the node's local time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports.metric_table import REASONS, SLOWDOWNS
from inquest.bundle.imports.nvidia_smi import Reader, batches
from inquest.bundle.imports.series import typed
from inquest.bundle.imports.smi_fields import (
    READINGS,
    SUMS,
    WORDS,
    Gpus,
    Holders,
    count,
    mebibytes,
)
from inquest.bundle.imports.told_time import told_ns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_FIELD: Final = re.compile(r"[a-zA-Z_][\w.]{0,80}(?: \[[\w%/]{1,8}\])?")
_COMMAND: Final = re.compile(r"--query-(?:gpu|compute-apps)[= ][\"']?([\w.,]+)")
_ALIASES: Final = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "used_gpu_memory": "used_memory",
    # What a loop of one's own puts before the rest of a line.
    **dict.fromkeys(("host", "node", "nodename", "machine"), "hostname"),
    **dict.fromkeys(("time", "date", "datetime", "ts"), "timestamp"),
}
_KNOWN: Final = (
    frozenset(name for reading in READINGS for name in reading.names if "/" not in name)
    | frozenset(name for parts in SUMS.values() for names in parts for name in names if name and "/" not in name)
    | {f"clocks_{kind}_reasons.{end}" for kind in ("event", "throttle") for end in REASONS}
    | {"timestamp", "uuid", "index", "name", "pci.bus_id", "pid", "used_memory", "driver_version", "hostname"}
)
_INVENTORY: Final = frozenset(
    {"timestamp", "uuid", "index", "name", "pci.bus_id", "driver_version", "hostname", "serial", "count"}
)
_OWN: Final = {name for name in _KNOWN if "." in name} | {"pstate", "used_memory", "uuid"}
"""Fields that no other program's CSV has."""
_VALUE: Final = r"^P?(-?\d+(?:\.\d+)?)(?: ?[%A-Za-wyz][\w/]*)?$"
_ALONE: Final = r"\s*(?:[P-]?\d[\d.]*(?: [%\w]+)?|0x[0-9a-fA-F]+|\[.*\]|(?:Not )?Active|Yes|No|GPU-\S+)\s*$"
_TIME: Final = r"^20\d\d/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?$"
_TROUBLE: Final = "(?i)(GPU is lost|GPU requires reset|Unknown Error|ERR!)"
_GONE: Final = re.compile(r"\s*Unable to determine the device handle")
_SAMPLED_LINES: Final = 200
_MOST_OTHER: Final = 0.1
_LINE_CAP: Final = 16384
_MOST_FIELDS: Final = 400
"""nvidia-smi knows about 220."""
_MOST_GPUS: Final = 4096
"""GPUs of one file that are followed, and processes on one."""
_BATCH: Final = 20_000
_BATCH_BYTES: Final = 8 << 20

Row = tuple[str, dict[str, Any]]


class _NvidiaSmiCsv:
    name = "nvidia-smi-csv"
    title = "CSV of nvidia-smi --query-gpu"
    tables = ("gpu_samples", "gpu_processes", "gpu_events", "node_info")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        lines = [line for line in source.head.decode("utf-8", "replace").splitlines() if line.strip()][:_SAMPLED_LINES]
        fields: list[str] = []
        other = 0
        for line in lines:
            if found := _fields(line):
                fields = found
            elif not fields or (line.count(",") < len(fields) - 1 and not _GONE.match(line)):
                other += 1
            elif len(fields) == 1:
                other += not re.match(_ALONE, line)
        return bool(fields) and other <= _MOST_OTHER * len(lines)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        yield from _Csv(context).frames(_lines(source.chunks()))


KIND = _NvidiaSmiCsv()


def _fields(line: str) -> list[str]:
    """Names of fields where the line is a header, or the command that leaves it out; empty for any other line."""
    if found := _COMMAND.search(line):
        names = found[1].split(",")
    else:
        names = [name.strip() for name in line.lstrip("# ").split(",")]
        if not all(_FIELD.fullmatch(name) for name in names):
            return []
        names = [name.partition(" [")[0] for name in names]
    names = [_ALIASES.get(name, name) for name in names]
    if len(names) > _MOST_FIELDS:
        return []
    return names if _OWN.intersection(names) and len(_KNOWN.intersection(names)) >= min(2, len(names)) else []


class _Csv:
    """Lines of one file: a header holds until the next one."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._fields: list[str] = []
        self._gpus = Gpus()
        self._holders = Holders()
        self._info: dict[str, str] = {}
        self._troubled: set[tuple[str, str]] = set()
        self._last: int | None = None
        self._look: dict[str, tuple[dict[str, Any], dict[int, int | None]]] = {}
        self._looked: int | None = None
        self._position = -1
        self._before: int | None = None

    def frames(self, lines: Iterable[str]) -> Iterator[tuple[str, pl.DataFrame]]:
        """Frames of rows, in the order of the lines."""
        waiting: list[str] = []
        size = 0
        for line in lines:
            if not line.strip():
                continue
            if fields := _fields(line):
                yield from self._values(waiting)
                waiting, self._fields, self._position = [], fields, -1
            elif _GONE.match(line) or line.count(",") < len(self._fields) - 1:
                yield from self._values(waiting)
                waiting = []
                yield from batches(self._apart(line))
            elif self._fields:
                waiting.append(line)
                size += len(line)
                if len(waiting) >= _BATCH or size >= _BATCH_BYTES:
                    yield from self._values(waiting)
                    waiting, size = [], 0
            else:
                self._context.refuse("values before the header that names them")
        yield from self._values(waiting)
        yield from batches(self._held())
        if told := self._gpus.node_info() | self._info:
            yield "node_info", pl.DataFrame([told])

    def _apart(self, line: str) -> Iterator[Row]:
        """A line between the values: nvidia-smi that cannot reach a GPU, or nothing we know."""
        reader = Reader(self._context.utc_offset_minutes, self._gpus)
        for table, row in reader.rows([line]):
            if table == "gpu_events" and (str(row["gpu_uuid"]), "lost") not in self._troubled:
                self._troubled.add((str(row["gpu_uuid"]), "lost"))
                yield table, row | {"ts_ns": self._last}
        if reader.unread:
            self._context.refuse("lines that are not nvidia-smi's", reader.unread)

    def _values(self, lines: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
        if not lines:
            return
        width = len(self._fields)
        cells = pl.Series("line", lines).str.splitn(",", width + 1).struct.unnest()
        if (extra := cells.columns[width:]) and cells[extra[0]].is_not_null().any():
            self._context.refuse("lines with more values than the header has names", cells[extra[0]].count())
            cells = cells.filter(pl.col(extra[0]).is_null())
        first = dict(reversed([*zip(self._fields, cells.columns, strict=False)]))  # a field may be asked for twice
        frame = cells.select(pl.col(cell).str.strip_chars().alias(name) for name, cell in first.items())
        if "hostname" in frame.columns:
            told = ~pl.col("hostname").str.starts_with("[")
            frame = frame.with_columns(node=pl.when(told).then(pl.col("hostname"))).drop("hostname")
        if not frame.height:
            return
        frame = frame.with_columns(ts_ns=self._times(frame) if "timestamp" in frame.columns else pl.lit(None, pl.Int64))
        if frame["ts_ns"].null_count():
            self._context.warn("Rows without a timestamp that can be read: they have no time.")
        for ts_ns in frame["ts_ns"].drop_nulls().tail(1):
            self._last = ts_ns
        if "driver_version" in frame.columns:
            self._info["driver_version"] = frame["driver_version"][0]
        frame = self._identified(frame)
        if "max_memory_usage" in frame.columns:
            self._context.refuse("lines of process accounting: their processes may be gone long since", frame.height)
            return
        if "pid" in frame.columns:
            yield from batches(self._processes(frame))
            return
        yield from batches(self._trouble(frame))
        readings = _readings(frame.columns)
        if readings:
            rows = frame.select("ts_ns", *_KEYS, **readings)
            if "node" in frame.columns:
                rows = rows.with_columns(frame["node"])
            told = pl.any_horizontal(pl.col(list(readings)).is_not_null())
            rows = rows.filter(told & pl.col("gpu_uuid").is_not_null())
            if rows.height:
                yield "gpu_samples", _sized(rows)
        elif not _INVENTORY.issuperset(self._fields):
            self._context.refuse("lines without a reading that has a place", frame.height)

    def _times(self, frame: pl.DataFrame) -> pl.Expr:
        """Times as nvidia-smi writes them, or as whoever put one of his own before its values."""
        local = pl.lit(self._context.utc_offset_minutes * 60 * 10**9)
        its_own = pl.when(pl.col("timestamp").str.contains(_TIME)).then(pl.col("timestamp"))
        told = its_own.str.to_datetime("%Y/%m/%d %H:%M:%S%.f", time_unit="ns", strict=False).cast(pl.Int64) - local
        others = frame["timestamp"].unique().drop_nulls().to_list()
        read = {text: told_ns(text, self._context.utc_offset_minutes) for text in others if not re.search(_TIME, text)}
        if not any(read.values()):
            return told
        by_text = pl.col("timestamp").replace_strict(read, default=None, return_dtype=pl.Int64)
        return pl.coalesce(told, by_text)

    def _identified(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with the columns that tell the GPU."""
        names = [name for name in ("uuid", "index", "pci.bus_id") if name in frame.columns]
        if not names:
            return self._in_order(frame)
        models = [name for name in ("name",) if name in frame.columns]
        distinct = frame.select(*names, *models).unique(names, keep="first", maintain_order=True)
        keys = []
        for row in distinct.iter_rows(named=True):
            uuid = uuid if (uuid := row.get("uuid") or "").startswith("GPU-") else None
            index = int(told) if (told := row.get("index") or "").isdecimal() and len(told) < 5 else None
            bus = bus if ":" in (bus := row.get("pci.bus_id") or "") else None
            self._gpus.learn(uuid, index, bus, row.get("name"))
            keys.append(self._gpus.keys(uuid, index, bus))
        told_gpus = distinct.select(names).hstack(pl.DataFrame(keys, schema=_KEY_SCHEMA))
        whole = frame.join(told_gpus, on=names, how="left", nulls_equal=True, maintain_order="left")
        if lost := whole["gpu_uuid"].null_count():
            self._context.refuse("lines that do not tell their GPU", lost)
        return whole

    def _in_order(self, frame: pl.DataFrame) -> pl.DataFrame:
        """No field tells the GPU: nvidia-smi prints them in the order of their indices, one look after the other."""
        keys = []
        for ts_ns in frame["ts_ns"]:
            if ts_ns is not None and (self._before is None or ts_ns - self._before > _ONE_LOOK_NS):
                self._position = -1
            self._before = ts_ns
            self._position += 1
            known = self._position < _MOST_IN_ORDER and (ts_ns is not None or frame.height == 1)
            keys.append(self._gpus.keys(None, self._position if known else None, None))
        if any(key["gpu_uuid"] is not None for key in keys):
            self._context.warn("No field tells the GPU: lines of one look are taken in the order of the indices.")
        if lost := sum(key["gpu_uuid"] is None for key in keys):
            self._context.refuse("lines that tell neither their GPU nor their time", lost)
        return frame.hstack(pl.DataFrame(keys, schema=_KEY_SCHEMA))

    def _trouble(self, frame: pl.DataFrame) -> Iterator[Row]:
        """The first time each GPU has an error in place of a value."""
        texts = [
            name for name in frame.columns if frame.schema[name] == pl.String and name not in (*_KEYS, "timestamp")
        ]
        bad = frame.filter(pl.any_horizontal(pl.col(texts).str.contains(_TROUBLE)))
        for row in bad.iter_rows(named=True):
            field, what = next((name, hit[1]) for name in texts if (hit := re.search(_TROUBLE, row[name] or "")))
            event = "lost" if "lost" in what.lower() else "health"
            if (str(row["gpu_uuid"]), what) in self._troubled or len(self._troubled) >= _MOST_GPUS:
                continue
            self._troubled.add((str(row["gpu_uuid"]), what))
            keys = {name: row[name] for name in (*_KEYS, "ts_ns")}
            yield "gpu_events", {**keys, "event": event, "detail": f"nvidia-smi: {what} in place of {field}"}

    def _processes(self, frame: pl.DataFrame) -> Iterator[Row]:
        """Who held which GPU: the lines of one look have one timestamp, or nearly so."""
        for row in frame.iter_rows(named=True):
            pid = count(row["pid"] or "")
            if pid is None:
                continue
            ts_ns = row["ts_ns"]
            later = ts_ns is not None and self._looked is not None and abs(ts_ns - self._looked) > _ONE_LOOK_NS
            if later or len(self._look) >= _MOST_GPUS:
                yield from self._held()
            self._looked = ts_ns
            keys = {name: row[name] for name in _KEYS}
            _, held = self._look.setdefault(str(keys["gpu_uuid"]), (keys, {}))
            if len(held) < _MOST_GPUS:
                held[pid] = mebibytes(row.get("used_memory") or "")

    def _held(self) -> Iterator[Row]:
        seen = {gpu: keys for gpu, (keys, _) in self._look.items()}
        for gpu in (*self._holders.held, *(gpu for gpu in seen if gpu not in self._holders.held)):
            keys, now = self._look.get(gpu, ({"gpu_uuid": gpu}, {}))
            yield from self._holders.look(keys, self._looked, now)
        self._look = {}


_KEYS: Final = ("gpu_uuid", "gpu_index")
_KEY_SCHEMA: Final = {"gpu_uuid": pl.String, "gpu_index": pl.Int64}
_MOST_IN_ORDER: Final = 64
"""GPUs of one look, where nothing but the order tells them apart."""
_ONE_LOOK_NS: Final = 500_000_000
"""nvidia-smi asks one GPU after the other; loops are a second long at least."""


def _readings(columns: Sequence[str]) -> dict[str, pl.Expr]:
    """Expressions for the columns of ``gpu_samples`` that these fields tell."""
    told: dict[str, pl.Expr] = {}
    for reading in READINGS:
        if names := [name for name in reading.names if name in columns]:
            told[reading.column] = pl.coalesce(_number(name) for name in names) * reading.scale
    for column, parts in SUMS.items():
        have = [[name for name in names if name in columns] for names in parts]
        if column not in told and all(have):
            told[column] = sum((pl.coalesce(_number(name) for name in names) for names in have), pl.lit(0.0))
    one_by_one = {name.rpartition(".")[2]: name for name in columns if re.match(r"clocks_\w+_reasons\.", name)}
    bits = {end: name for end, name in one_by_one.items() if end in REASONS}
    if "throttle_reasons" not in told and bits:
        mask = sum((_number(name).fill_null(0.0) * REASONS[end] for end, name in bits.items()), pl.lit(0.0))
        known = pl.all_horizontal(_number(name).is_not_null() for name in bits.values())
        told["throttle_reasons"] = pl.when((mask > 0) | (known & pl.lit(bits.keys() >= SLOWDOWNS))).then(mask)
    return told


def _number(name: str) -> pl.Expr:
    """`smi_fields.number` for a column of text."""
    text = pl.col(name)
    mask = text.str.extract(r"^0[xX]([0-9a-fA-F]{1,16})$", 1).str.to_integer(base=16, strict=False)
    word = text.str.to_lowercase().replace_strict(list(WORDS), list(WORDS.values()), default=None)
    return pl.coalesce(mask.cast(pl.Float64), text.str.extract(_VALUE, 1).cast(pl.Float64, strict=False), word)


def _sized(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame in the types of its table, without columns that hold nothing."""
    kept = [name for name in frame.columns if name in _KEYS or frame[name].count()]
    return typed("gpu_samples", frame.select(kept))


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line[:_LINE_CAP].decode("utf-8", "replace").rstrip("\r")
        rest = rest[:_LINE_CAP]
    yield rest.decode("utf-8", "replace")
