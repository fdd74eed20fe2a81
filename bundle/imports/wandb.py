"""Runs of Weights & Biases as they lie on disk: ``run-ID.wandb``, and the JSON files beside it.

The file is a log of LevelDB's form behind a header of seven bytes; every record is a protobuf message. Facts of the
format: wandb/sdk/internal/datastore.py and core/pkg/leveldb (framing: blocks of 32 KiB, plain CRC-32 of type and data),
wandb/proto/wandb_internal.proto (field numbers), docs.wandb.ai "System metrics" (names and units).
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import struct
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from google.protobuf.message import DecodeError

from inquest.bundle.imports._messages import messages
from inquest.bundle.imports._values import MAX_NAME, Row, folder, host, int64, nanoseconds, number, real
from inquest.bundle.imports.settings import rows_of, set_to, settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

CAPTURED: Final = "#output"
"""What follows the file's name in the ``source`` of lines that W&B captured."""
MAX_RECORD: Final = 4 << 20
"""Largest record that is looked into; values of a step need a few hundred bytes."""

_MAGIC: Final = b":W&B\xe1\xbe"
_BLOCK: Final = 1 << 15
_HEAD: Final = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_BATCH: Final = 5000
_MAX_LINE: Final = 1 << 16
_STREAMS: Final = {0: "stderr", 1: "stdout"}
_RUN_FOLDER: Final = re.compile(r"(?:^|/)(?:offline-)?run-\d{8}_\d{6}-(?P<run>\w+)(?:/|$)")
_OWN: Final = re.compile(
    r"(?:.*/)?(?:offline-)?run-\d{8}_\d{6}-\w+/"
    r"(?:logs/.+|files/(?:requirements\.txt|conda-environment\.yaml|config\.yaml|[^/]+\.patch|(?:code|media)/.+))"
)
"""What the client keeps beside a run. ``files/output.log`` is the job's own output, and read as any log."""
_GPU: Final = re.compile(r"gpu\.(\d{1,3})\.(\w+)")
_CORE: Final = re.compile(r"cpu\.\d{1,4}\.cpu_percent")
_MIB: Final = 1 << 20
_MAX_OBJECT: Final = 1 << 16
_MAX_JSON: Final = 64 << 20

_TYPES: Final = messages(
    "inquest.wandb",
    {
        "Record": (
            (2, "history", "History"),
            (7, "stats", "Stats"),
            (13, "output_raw", "Output"),
            (4, "output", "Output"),
            (5, "config", "Config"),
            (17, "run", "Run"),
            (18, "exit", "Exit"),
            (26, "environment", "Environment"),
        ),
        "Item": ((1, "key", "bytes"), (2, "nested_key", "*bytes"), (16, "value_json", "bytes")),
        "Step": ((1, "num", "int64"),),
        "Config": ((1, "update", "*Item"),),
        "History": ((1, "item", "*Item"), (2, "step", "Step")),
        "Time": ((1, "seconds", "int64"), (2, "nanos", "int32")),
        "Stats": ((2, "timestamp", "Time"), (3, "item", "*Item")),
        "Output": ((1, "output_type", "int32"), (2, "timestamp", "Time"), (3, "line", "bytes")),
        "Run": ((1, "run_id", "bytes"), (4, "config", "Config"), (13, "host", "bytes"), (17, "start_time", "Time")),
        "Exit": ((1, "exit_code", "int32"), (2, "runtime", "int32"), (3, "not_complete", "bool")),
        "Environment": (
            (1, "os", "bytes"),
            (3, "started_at", "Time"),
            (12, "host", "bytes"),
            (17, "cpu_count_logical", "uint32"),
            (21, "memory", "Memory"),
            (24, "gpu_nvidia", "*Gpu"),
            (25, "cuda_version", "bytes"),
        ),
        "Memory": ((1, "total", "uint64"),),
        "Gpu": ((1, "name", "bytes"), (2, "memory_total", "uint64"), (5, "uuid", "bytes")),
    },
)
# Readings of a GPU: name in W&B, column, factor from W&B's unit to ours, and whether the column is an integer.
_GPU_READINGS: Final[dict[str, tuple[str, float, bool]]] = {
    "gpu": ("engine_active", 0.01, False),
    "memory": ("mem_util", 0.01, False),
    "memoryAllocatedBytes": ("fb_used_bytes", 1, True),
    "temp": ("temp_core_c", 1, True),
    "memoryTemp": ("temp_memory_c", 1, True),
    "powerWatts": ("power_w", 1, False),
    "enforcedPowerLimitWatts": ("power_limit_w", 1, False),
    "smClock": ("sm_clock_mhz", 1, True),
    "memoryClock": ("mem_clock_mhz", 1, True),
    "fanSpeed": ("fan_percent", 1, False),
}


@dataclass(frozen=True, slots=True)
class WeightsAndBiases:
    """See the module."""

    name: str = "wandb"
    title: str = "Weights & Biases run"
    tables: tuple[str, ...] = ("metrics", "log_lines", "gpu_samples", "host_samples", "node_info")
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """The header of a run's file, the keys of its JSON files, or the client's own files in a run's folder."""
        head = source.head
        json_form = _json_form(head) if head.lstrip()[:1] == b"{" else None
        return head.startswith(_MAGIC) or json_form is not None or _OWN.fullmatch(source.name) is not None

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """History and exit code as metrics, the captured output as lines, readings of the system as samples."""
        if not source.head.startswith(_MAGIC):
            if _json_form(source.head) is not None:
                yield from _of_json(source, context)
            elif rows := _of_config(source):
                yield "metrics", rows
            else:
                context.warn("W&B's own notes (settings, packages, its client's log) tell nothing of the training.")
            return
        run = _Run(source.name, context, source.rank, source.rank_by)
        for record in _records(source.chunks(), context):
            try:
                run.take(_TYPES["Record"].FromString(record))
            except DecodeError:
                context.refuse("record is no message of W&B")
            yield from run.full()
        run.end()
        yield from run.full(at_least=1)


@dataclass(slots=True)
class _Run:
    """Turns the records of one file into rows, in their order."""

    name: str
    context: Context
    rank: int | None = None
    rank_by: str | None = None
    node: str | None = None
    run: str | None = None
    memory_total: int | None = None
    gpus: list[tuple[str, int | None]] = field(default_factory=list)
    seen_ns: int | None = None
    ended: bool = False
    waiting: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    open_lines: dict[str, tuple[int | None, bytes]] = field(default_factory=dict)
    said: int = 0

    def full(self, at_least: int = _BATCH) -> Iterator[tuple[str, list[Row]]]:
        """Rows of tables of which enough are waiting."""
        for table, rows in self.waiting.items():
            if len(rows) >= at_least:
                self.waiting[table] = []
                yield table, rows

    def take(self, record: Any) -> None:  # noqa: ANN401  protobuf classes made at run time have no static type
        """One record."""
        if record.HasField("history"):
            self._history(record.history)
        elif record.HasField("stats"):
            self._stats(record.stats)
        elif record.HasField("output_raw"):
            self._output(record.output_raw)
        elif record.HasField("output"):
            self._output(record.output)
        elif record.HasField("environment"):
            self._environment(record.environment)
        elif record.HasField("run"):
            self.run = _text(record.run.run_id) or self.run
            self.node = host(_text(record.run.host)) or self.node
            self._config(record.run.config)
        elif record.HasField("config"):
            self._config(record.config)
        elif record.HasField("exit"):
            self.ended = True
            self._exit(record.exit)

    def end(self) -> None:
        """Lines still open, and what the file does not tell."""
        for stream, (ts_ns, text) in self.open_lines.items():
            self._line(stream, ts_ns, text, "none")
        if not self.ended:
            self.context.warn(
                "The run has no end: its process was killed, or was still running when the file was copied."
            )

    def _add(self, table: str, **row: Any) -> None:  # noqa: ANN401
        self.waiting[table].append({"node": self.node, **row})

    def _history(self, history: Any) -> None:  # noqa: ANN401
        values: dict[str, float] = {}
        for item in history.item:
            parts = item.nested_key or [item.key]
            name = ".".join(_text(part) for part in parts)
            values |= _numbers(name, item.value_json)
        step = history.step.num if history.HasField("step") else int64(values.get("_step"))
        ts_ns = nanoseconds(values.get("_timestamp"))
        self._seen(ts_ns)
        epoch = values.get("epoch", values.get("train/epoch"))
        for name, value in values.items():
            if not name.startswith("_"):
                self._metric(name, value, step, ts_ns, epoch)

    def _metric(self, name: str, value: float, step: int | None, ts_ns: int | None, epoch: float | None = None) -> None:
        about = {"framework": "wandb", "run": self.run, "rank": self.rank, "rank_by": self.rank_by}
        self._add("metrics", **about, ts_ns=ts_ns, step=step, epoch=epoch, name=name, value=value)

    def _config(self, config: Any) -> None:  # noqa: ANN401
        """What was set, as far as it says how long the run was to train."""
        for item in config.update:
            name = ".".join(_text(part) for part in (item.nested_key or [item.key]))
            values = {name: _text(item.value_json)}
            if item.value_json.startswith(b"{") and len(item.value_json) <= _MAX_OBJECT:
                values = {key: str(value) for key, value in _numbers(name, item.value_json).items()}
            told = [told for key, value in values.items() if (told := set_to(key, value)) is not None]
            for row in rows_of(told, self.run):
                self._add("metrics", **row)

    def _exit(self, told: Any) -> None:  # noqa: ANN401
        """How the process that logged ended, as its hooks saw it; a killed one leaves no such record."""
        if not told.not_complete:
            self._metric("exit_code", float(told.exit_code), None, self.seen_ns)

    def _stats(self, stats: Any) -> None:  # noqa: ANN401
        ts_ns = _time(stats.timestamp)
        self._seen(ts_ns)
        told = ((_text(item.key), number(_text(item.value_json[:65]))) for item in stats.item)
        readings = {name: value for name, value in told if value is not None and math.isfinite(value)}
        gpus: dict[int, Row] = {}
        for name, value in readings.items():
            found = _GPU.fullmatch(name)
            if found is None or found[2] not in _GPU_READINGS:
                continue
            index = int(found[1])
            if index >= len(self.gpus) or not self.gpus[index][0]:
                self.context.refuse("reading of a GPU whose UUID the file does not tell")
                continue
            column, factor, whole = _GPU_READINGS[found[2]]
            uuid, total = self.gpus[index]
            row = gpus.setdefault(index, {"gpu_uuid": uuid, "gpu_index": index, "fb_total_bytes": total})
            row[column] = int64(round(value)) if whole else value * factor
        for row in gpus.values():
            every = {column: None for column, _, _ in _GPU_READINGS.values()}
            self._add("gpu_samples", ts_ns=ts_ns, **{**every, **row})
        available = readings.get("proc.memory.availableMB")
        cores = [value for name, value in readings.items() if _CORE.fullmatch(name)]
        if available is not None or cores:
            self._add(
                "host_samples",
                ts_ns=ts_ns,
                memory_total_bytes=self.memory_total,
                memory_available_bytes=None if available is None else int64(round(available * _MIB)),
                cpu_busy_share=sum(cores) / len(cores) / 100 if cores else None,
            )

    def _output(self, output: Any) -> None:  # noqa: ANN401
        """Pieces of the captured output, put together to lines; a line bears the time of its first piece."""
        stream, ts_ns = _STREAMS.get(output.output_type, "stdout"), _time(output.timestamp)
        self._seen(ts_ns)
        for piece in re.split(rb"(?<=[\n\r])", output.line):
            if not piece:
                continue
            begun, text = self.open_lines.pop(stream, (ts_ns, b""))
            text += piece
            if text[-1:] in (b"\n", b"\r"):
                self._line(stream, begun, text[:-1], "lf" if text.endswith(b"\n") else "cr")
            else:
                self.open_lines[stream] = (begun, text[:_MAX_LINE])

    def _line(self, stream: str, ts_ns: int | None, text: bytes, eol: str) -> None:
        self._add(
            "log_lines",
            ts_ns=ts_ns,
            stream=stream,
            rank=self.rank,
            rank_by=self.rank_by,
            source=self.name + CAPTURED,
            offset=self.said,
            text=_text(text[:_MAX_LINE]),
            eol=eol,
            line_bytes=len(text),
            truncated=len(text) >= _MAX_LINE,
        )
        self.said += len(text) + 1

    def _environment(self, told: Any) -> None:  # noqa: ANN401
        self.node = host(_text(told.host)) or self.node
        if told.HasField("memory"):
            self.memory_total = int64(told.memory.total)
        if told.gpu_nvidia:
            self.gpus = [(_text(gpu.uuid), int64(gpu.memory_total) or None) for gpu in told.gpu_nvidia]
        if told.cpu_count_logical or told.gpu_nvidia:
            self._add(
                "node_info",
                ts_ns=self.seen_ns,
                hostname=self.node,
                cpus=told.cpu_count_logical or None,
                memory_total_bytes=self.memory_total,
                gpus=len(told.gpu_nvidia) or None,
                gpu_uuids=",".join(_text(gpu.uuid) for gpu in told.gpu_nvidia) or None,
                gpu_models=",".join(_text(gpu.name) for gpu in told.gpu_nvidia) or None,
                gpu_memory_bytes=",".join(str(gpu.memory_total) for gpu in told.gpu_nvidia) or None,
                cuda_version=_text(told.cuda_version) or None,
            )

    def _seen(self, ts_ns: int | None) -> None:
        if ts_ns is not None and (self.seen_ns is None or ts_ns > self.seen_ns):
            self.seen_ns = ts_ns


def _numbers(name: str, told: bytes) -> dict[str, float]:
    """Numbers of one item: its own, or those of an object (clients before 0.16 do not spread it), by dotted name."""
    if told.startswith(b"{") and len(told) <= _MAX_OBJECT:
        with contextlib.suppress(ValueError, RecursionError):
            return dict(_spread(name, json.loads(told)))
        return {}
    value = number(_text(told[:65]))
    return {} if value is None or not 0 < len(name) <= MAX_NAME else {name: value}


def _spread(name: str, held: object, depth: int = 4) -> Iterator[tuple[str, float]]:
    if isinstance(held, dict) and depth and "_type" not in held:  # images, tables and their like name their type
        for key, value in held.items():
            yield from _spread(f"{name}.{key}", value, depth - 1)
    elif (value := _lenient(held)) is not None and len(name) <= MAX_NAME:
        yield name, value


# --- the JSON files beside it ----------------------------------------------------------------------------------------


def _json_form(head: bytes) -> str | None:
    """Which of W&B's JSON files a head is of."""
    if (b'"_wandb"' in head and b'runtime"' in head) or (b'"_step"' in head and b'"_timestamp"' in head):
        # Several objects are a history of lines, which the reader of logs knows.
        return "summary" if head.count(b'"_runtime"') <= 1 and head.count(b'"_timestamp"') <= 1 else None
    if all(key in head for key in (b'"startedAt"', b'"executable"', b'"host"', b'"program"')):
        return "metadata"
    return None


def _of_config(source: Source) -> list[Row]:
    """What the settings that were noted of a run say of how long it was to train."""
    named = _RUN_FOLDER.search(folder(source.name) or "")
    told = settings(source.head.decode("utf-8", "replace")) if source.name.endswith("/config.yaml") else ()
    return rows_of(told, named["run"] if named else None)


def _of_json(source: Source, context: Context) -> Iterator[tuple[str, Any]]:
    try:
        told = json.loads(source.read(_MAX_JSON))
    except (ValueError, RecursionError):
        context.warn("The file is torn or damaged: nothing was taken from it.")
        return
    if not isinstance(told, dict):
        return
    if _json_form(source.head) == "metadata":
        yield "node_info", [_node_of(told)]
        return
    named = _RUN_FOLDER.search(folder(source.name) or "")
    about = {"framework": "wandb", "run": named["run"] if named else None}
    about |= {"step": int64(told.get("_step")), "ts_ns": nanoseconds(real(told.get("_timestamp")))}
    rows = [
        {**about, "name": name, "value": value}
        for name, held in told.items()
        if not name.startswith("_") and len(name) <= MAX_NAME and (value := _lenient(held)) is not None
    ]
    if rows:
        yield "metrics", rows


def _node_of(told: Row) -> Row:
    gpus = told.get("gpu_nvidia")
    gpus = [gpu for gpu in gpus if isinstance(gpu, dict)] if isinstance(gpus, list) else []
    memory = told.get("memory")
    return {
        "node": host(_said(told.get("host"))),
        "hostname": _said(told.get("host")),
        "os": _said(told.get("os")),
        "cpus": int64(told.get("cpu_count_logical")),
        "gpus": len(gpus) or None,
        "gpu_uuids": ",".join(_said(gpu.get("uuid")) or "" for gpu in gpus) or None,
        "gpu_models": ",".join(_said(gpu.get("name")) or "" for gpu in gpus) or None,
        "memory_total_bytes": int64(_whole(memory.get("total"))) if isinstance(memory, dict) else None,
        "cuda_version": _said(told.get("cudaVersion")),
    }


def _said(value: object) -> str | None:
    return value[:MAX_NAME] if isinstance(value, str) else None


def _lenient(value: object) -> float | None:
    """A number, also where W&B wrote it as the text "NaN" or "Infinity"."""
    return number(value) if value in ("NaN", "Infinity", "-Infinity") and isinstance(value, str) else real(value)


def _whole(value: object) -> object:
    """An integer that JSON holds as text, as protobuf's JSON form does with long ones."""
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 19 else value


# --- framing ---------------------------------------------------------------------------------------------------------


def _records(chunks: Iterable[bytes], context: Context) -> Iterator[bytes]:
    """Whole records. A damaged piece costs its record, at most the rest of its block."""
    parts: list[bytes] = []
    size = 0
    for kind, data in _pieces(_blocks(chunks), context):
        if kind in (_FULL, _FIRST):
            parts, size = [], 0
        elif not parts:
            continue  # the beginning was damaged, and told of
        size += len(data)
        if size > MAX_RECORD:
            context.refuse(f"record is larger than {MAX_RECORD >> 20} MiB")
            parts = []
            continue
        parts.append(data)
        if kind in (_FULL, _LAST):
            yield b"".join(parts)
            parts = []
    if parts:
        context.refuse("record at the end of the file is torn: its writer was killed, or is still writing")


def _pieces(blocks: Iterable[bytes], context: Context) -> Iterator[tuple[int, bytes]]:
    at = len(_MAGIC) + 1
    for block in blocks:
        while len(block) - at >= _HEAD.size:
            check, length, kind = _HEAD.unpack_from(block, at)
            data = block[at + _HEAD.size : at + _HEAD.size + length]
            if kind == 0 and length == 0:
                break  # zeros up to the end of the block: reserved, and never written
            if len(data) < length and len(block) < _BLOCK:
                context.refuse("record at the end of the file is torn: its writer was killed, or is still writing")
                break
            if zlib.crc32(data, zlib.crc32(bytes((kind,)))) != check:
                context.refuse("record does not match its checksum; the rest of its block of 32 KiB was left out")
                break
            yield kind, data
            at += _HEAD.size + length
        at = 0


def _blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        rest += chunk
        whole = len(rest) - len(rest) % _BLOCK
        for begin in range(0, whole, _BLOCK):
            yield rest[begin : begin + _BLOCK]
        rest = rest[whole:]
    if rest:
        yield rest


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")


def _time(told: Any) -> int | None:  # noqa: ANN401
    """UTC nanoseconds of a protobuf Timestamp; None where it is not set or no time."""
    whole = nanoseconds(float(told.seconds))
    return None if whole is None or not 0 <= told.nanos < 10**9 else told.seconds * 10**9 + told.nanos


KIND: Final = WeightsAndBiases()
