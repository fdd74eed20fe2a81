"""Collectives as the NCCL Inspector saw them: its JSON lines, one a finished collective, send or receive.

The Inspector is a profiler plugin of NCCL (``plugins/profiler/inspector``, formats v1 to v4 so far). It times what has
completed and passes over small messages, so that a collective missing here may have happened, and one in flight never
appears. Only the verbose form tells when a collective began; the other tells when its record was written.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports._values import batches, host, int64, text
from inquest.bundle.imports.text import frames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_FIRST: Final = re.compile(rb'\s*\{\s*"header"\s*:\s*\{')
_MARK: Final = b'"inspector_output_format_version"'
_MOST_US: Final = 1 << 52


class _NcclInspector:
    name = "nccl-inspector"
    title = "NCCL Inspector"
    tables = ("nccl_collectives",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        return bool(_FIRST.match(source.head)) and _MARK in source.head

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        yield from batches(self._rows(source, context), "nccl_collectives")

    def _rows(self, source: Source, context: Context) -> Iterator[dict[str, Any]]:
        for lines in frames(source.chunks()):
            for line in lines["text"].to_list():
                if not line.strip():
                    continue
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError):
                    context.refuse("lines that are no JSON")
                    continue
                row = _row(record, source)
                if row is None:
                    context.refuse("records without a collective, send or receive")
                else:
                    yield row


KIND: Final = _NcclInspector()


def _row(record: Any, source: Source) -> dict[str, Any] | None:  # noqa: ANN401  what a stranger wrote
    header, metadata, coll = (_part(record, name) for name in ("header", "metadata", "coll_perf"))
    p2p = _part(record, "p2p_perf")
    kind, perf = ("coll", coll) if "coll" in coll else ("p2p", p2p)
    if not isinstance(perf.get(kind), str):
        return None
    began = _ns(_part(perf, "event_trace_ts").get(f"{kind}_start_ts"))
    took = _ns(perf.get(f"{kind}_exec_time_us"))
    kernels = [_part(perf, "event_trace_ts").get("kernel_events")]
    ends = [
        end
        for event in (kernels[0] if isinstance(kernels[0], list) else ())
        if (end := _ns(_part(event, None).get("kernel_stop_ts"))) is not None
    ]
    return {
        "node": host(text(metadata.get("hostname"))),
        "ts_ns": began if began is not None else _ns(metadata.get("dump_timestamp_us")),
        "pid": int64(metadata.get("pid")),
        "rank": source.rank,
        "comm": text(header.get("id"), 80),
        "comm_rank": int64(header.get("rank")),
        "comm_size": int64(header.get("n_ranks")),
        "op": text(perf[kind], 80),
        "coll_seq": int64(perf.get(f"{kind}_sn")),
        "root": int64(perf.get("p2p_peer")),
        "bytes": int64(perf.get(f"{kind}_msg_size_bytes")),
        "duration_ns": took,
        "enqueue_mono_ns": began,
        "complete_mono_ns": max(ends, default=None),
    }


def _part(value: Any, name: str | None) -> dict[str, Any]:  # noqa: ANN401
    part = value if name is None else (value.get(name) if isinstance(value, dict) else None)
    return part if isinstance(part, dict) else {}


def _ns(microseconds: Any) -> int | None:  # noqa: ANN401
    """Nanoseconds of a time or span in microseconds; 0 is written for what was not traced."""
    value = int64(microseconds)
    return value * 1000 if value is not None and 0 < value < _MOST_US else None
