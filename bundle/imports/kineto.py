"""Traces of the PyTorch profiler (Kineto): Chrome's trace-event JSON, plain or packed, of any size.

The format is that of ``libkineto/src/output_json.cpp``. Times are microseconds: since 1970 up to torch 2.2, and since
``baseTimeNanoseconds`` where that is given. Work on the GPU names the device in the place of a process, and the stream
in that of a thread ("stream 7" up to torch 1.9). Since torch 2.2 kernels of NCCL carry the collective they are part of.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports import json_stream
from inquest.bundle.imports._values import host, int64, text
from inquest.bundle.scan import stored_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

MANY: Final = 1_000_000
"""Spans of a trace above which short ones that tell a coroner little are left out."""
LONG_NS: Final = 1_000_000
"""Spans at least this long are kept whatever they are: they may be where time went."""

_BATCH: Final = 50_000
_MARKS: Final = (b'"schemaVersion"', b'"baseTimeNanoseconds"', b'"distributedInfo"', b'"deviceProperties"')
_BASE: Final = re.compile(rb'"baseTimeNanoseconds"\s*:\s*(\d{1,19})\b')
_ON_GPU: Final = frozenset(
    {"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync", "Kernel", "Memcpy", "Memset"}
)
"""Categories of work on the GPU; those with a capital are of torch 1.8 to 1.11."""
_TELLING: Final = frozenset({"user_annotation", "Trace", "overhead"}) | _ON_GPU
"""Categories that are always kept: steps and ranges the program marked, all work on the GPU, and the profiler's own."""
_TELLING_NAME: Final = re.compile(
    r"Synchronize|DataLoader|Optimizer|ProfilerStep|c10d::|nccl|gloo|record_param_comms|Malloc|Free"
)
_EPOCH_US: Final = range(946_684_800_000_000, 4_102_444_800_000_000)
"""Microseconds since 1970 of the years 2000 to 2100."""
_LONGEST_US: Final = 1 << 42
"""Fifty days: no span is longer."""
_BYTES: Final = {
    "float": 4,
    "double": 8,
    "bfloat16": 2,
    "half": 2,
    "long": 8,
    "int": 4,
    "short": 2,
    "char": 1,
    "byte": 1,
    "bool": 1,
}
"""Bytes an element by the name of its type, as c10 spells them."""


class _Kineto:
    name = "kineto"
    title = "PyTorch profiler trace"
    tables = ("trace_spans", "nccl_collectives", "nccl_comms")
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        head = source.head
        return head.lstrip()[:1] == b"{" and b'"traceEvents"' in head and any(mark in head for mark in _MARKS)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        trace = _Trace(source, context)
        for key, value in json_stream.members(source, "traceEvents", context):
            if key == "traceEvents":
                trace.add(value)
                if trace.full:
                    yield from trace.taken()
            elif key == "distributedInfo" and isinstance(value, dict):
                trace.job(value)
            elif key == "host_name" and isinstance(value, str):
                trace.node = host(text(value))
        yield from trace.taken()
        trace.close()


KIND: Final = _Kineto()


class _Trace:
    """Events of one file on their way to rows."""

    def __init__(self, source: Source, context: Context) -> None:
        self._context = context
        self._name = source.name
        self._thin = _spans(source) > MANY
        found = _BASE.search(source.head) or _BASE.search(source.tail)
        self._base_ns = int(found[1]) if found else None
        self.node: str | None = None
        self._rank, self._rank_by = source.rank, source.rank_by
        self._process: int | None = None
        self._spans: list[tuple[Any, ...]] = []
        self._calls: list[dict[str, Any]] = []
        self._groups: list[dict[str, Any]] = []
        self._thinned = 0
        self._undated = False

    @property
    def full(self) -> bool:
        """Whether it is time to take rows out."""
        return len(self._spans) >= _BATCH

    def taken(self) -> Iterator[tuple[str, Any]]:
        """Rows so far, which are then forgotten."""
        whose = {"node": self.node, "rank": self._rank, "rank_by": self._rank_by}
        if self._groups:
            yield "nccl_comms", [whose | group for group in self._groups]
        if self._spans:
            schema = {name: stored_schema("trace_spans")[name] for name in _COLUMNS}
            frame = pl.DataFrame(self._spans, schema=schema, orient="row")
            yield "trace_spans", frame.with_columns(pl.lit(value).alias(name) for name, value in whose.items())
        if self._calls:
            yield (
                "nccl_collectives",
                [
                    {"node": self.node, "rank": self._rank, "comm_rank": _index(call["members"], self._rank)} | call
                    for call in self._calls
                ],
            )
        self._spans, self._calls, self._groups = [], [], []

    def close(self) -> None:
        """Say what was left out."""
        if self._thinned:
            self._context.refuse(
                f"host spans under {LONG_NS // 1_000_000} ms of a trace of above {MANY:,}", self._thinned
            )
        if self._undated:
            self._context.warn(f"{self._name}: its times do not count from 1970, so its spans have none.")

    def job(self, info: dict[str, Any]) -> None:
        """Rank and process groups, as the profiler was told them."""
        rank = int64(info.get("rank"))
        if rank is not None and rank >= 0:
            if self._rank not in (None, rank):
                self._context.warn(f"{self._name}: named after rank {self._rank}, but profiled on rank {rank}.")
            self._rank, self._rank_by = rank, "content"
        groups = info.get("pg_config")
        for group in groups if isinstance(groups, list) else ():
            if isinstance(group, dict) and isinstance(name := group.get("pg_name"), str | int):
                size = int64(group.get("pg_size"))
                members = _members(group.get("ranks"), size)
                self._groups.append(
                    {
                        "event": "status",
                        "comm": text(str(name)),
                        "comm_desc": text(group.get("pg_desc")),
                        "comm_size": size,
                        "comm_rank": _index(members, self._rank),
                        "members": members,
                        "backend": text(group.get("backend_config")),
                    }
                )

    def add(self, event: Any) -> None:  # noqa: ANN401  what a stranger wrote
        """Take one event."""
        if not isinstance(event, dict) or not isinstance(name := event.get("name"), str):
            self._context.refuse("events without a name")
            return
        args = event.get("args")
        args = args if isinstance(args, dict) else {}
        phase, category = event.get("ph"), event.get("cat")
        if phase == "M":
            if name == "process_labels" and args.get("labels") == "CPU":
                self._process = int64(event.get("pid"))
            return
        if phase != "X":
            self._context.refuse(_PHASES.get(phase if isinstance(phase, str) else "", "events of other phases"))
            return
        category = text(category, 80)
        duration = _nanoseconds(event.get("dur"))
        if self._thin and category not in _TELLING and (duration or 0) < LONG_NS and not _TELLING_NAME.search(name):
            self._thinned += 1
            return
        ts_ns = self._time(event.get("ts"))
        on_gpu = category in _ON_GPU
        pid, tid = int64(event.get("pid")), _thread(event.get("tid"))
        device = int64(args.get("device"))
        stream = int64(args.get("stream"))
        if on_gpu:
            device, stream = (pid if device is None else device), (tid if stream is None else stream)
            pid, tid = self._process, None
        self._spans.append(
            (
                ts_ns,
                text(name),
                category,
                duration,
                pid,
                tid,
                device,
                stream,
                int64(args.get("correlation")),
                int64(args.get("bytes")),
            )
        )
        if on_gpu and isinstance(args.get("Collective name"), str):
            self._calls.append(_call(args, pid, ts_ns, duration))

    def _time(self, us: Any) -> int | None:  # noqa: ANN401
        if isinstance(us, bool) or not isinstance(us, int | float) or not abs(us) < _EPOCH_US.stop:
            return None
        if self._base_ns is not None:
            at = self._base_ns + _nanoseconds_of(us)
            return at if 0 <= at < _EPOCH_US.stop * 1000 else None
        if int(us) in _EPOCH_US:
            return _nanoseconds_of(us)
        self._undated = True
        return None


_COLUMNS: Final = (
    "ts_ns",
    "name",
    "category",
    "duration_ns",
    "pid",
    "tid",
    "cuda_device",
    "cuda_stream",
    "correlation",
    "bytes",
)
_PHASES: Final = {
    **dict.fromkeys("stf", "arrows between spans"),
    **dict.fromkeys("iIR", "marks without duration"),
    "C": "counters",
    **dict.fromkeys("BEbe", "spans told by begin and end apart"),
}


def _call(args: dict[str, Any], pid: int | None, ts_ns: int | None, duration: int | None) -> dict[str, Any]:
    """A collective, from the kernel that ran it: what it is, and when it was done; not when it was enqueued."""
    size = int64(args.get("Group size"))
    elements = int64(args.get("In msg nelems"))
    dtype = text(args.get("dtype"))
    width = _BYTES.get((dtype or "").lower())
    members = _members(args.get("Process Group Ranks"), size)
    group = args.get("Process Group Name")
    peer = int64(args.get("Dst Rank")) if args["Collective name"] == "send" else int64(args.get("Src Rank"))
    return {
        "ts_ns": ts_ns,
        "pid": pid,
        "comm": text(str(group)) if isinstance(group, str | int) else None,
        "op": text(args["Collective name"], 80),
        "coll_seq": int64(args.get("Seq")),
        "comm_size": size,
        "members": members,
        "elements": elements,
        "dtype": dtype,
        "bytes": elements * width if elements is not None and width and 0 <= elements < 1 << 55 else None,
        "root": _index(members, peer),
        "duration_ns": duration,
        "complete_mono_ns": ts_ns + duration if ts_ns is not None and duration is not None else None,
    }


def _spans(source: Source) -> int:
    """How many spans a file holds, counted without reading them; of standard input only the beginning can be seen."""
    if source.path is None:
        return source.head.count(b'"dur"')
    return sum(chunk.count(b'"dur"') for chunk in source.chunks())


def _members(ranks: Any, size: int | None) -> str | None:  # noqa: ANN401
    """Global ranks of a group, comma-separated; None where the list is cut short, as that of large groups is."""
    if isinstance(ranks, str):
        found = [] if "..." in ranks else [int(rank) for rank in re.findall(r"\d{1,9}", ranks)]
    else:
        found = [rank for item in (ranks if isinstance(ranks, list) else ()) if (rank := int64(item)) is not None]
    return ",".join(map(str, found)) if found and len(found) == size else None


def _index(members: str | None, rank: int | None) -> int | None:
    listed = members.split(",") if members else []
    return listed.index(str(rank)) if str(rank) in listed else None


def _thread(tid: Any) -> int | None:  # noqa: ANN401
    """Number of a thread or stream, with or without the word before it."""
    if isinstance(tid, str) and (found := re.fullmatch(r"(?:stream |thread )?(\d{1,18})", tid)):
        return int(found[1])
    return int64(tid)


def _nanoseconds(us: Any) -> int | None:  # noqa: ANN401
    """A duration in nanoseconds; None for what is none."""
    if isinstance(us, bool) or not isinstance(us, int | float) or not 0 <= us < _LONGEST_US:
        return None
    return _nanoseconds_of(us)


def _nanoseconds_of(us: float) -> int:
    whole = int(us)  # a double holds a thousandth of today's microseconds, but not a thousand of them
    return whole * 1000 + round((us - whole) * 1000)
