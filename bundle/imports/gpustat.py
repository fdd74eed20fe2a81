"""What ``gpustat --json`` answers, once or again and again: a document for each look at one host."""

from __future__ import annotations

import codecs
import itertools
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports._values import int64, nanoseconds, real, utf8
from inquest.bundle.imports.series import TABLES
from inquest.bundle.imports.telegraf import Point, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_LONGEST: Final = 1 << 18
"""Characters of one look: eight GPUs with all their processes take some ten thousand."""
_MOST_TORN: Final = 1000
_DECODER: Final = json.JSONDecoder()


class _Gpustat:
    name = "gpustat"
    title = "Output of gpustat --json"
    tables = TABLES
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        head = source.head[:8192]
        return all(key in head for key in (b'"query_time"', b'"gpus"', b'"utilization.gpu"'))

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        yield from rows(_points(source, context), context)


KIND = _Gpustat()


def _points(source: Source, context: Context) -> Iterator[Point]:
    for look in _looks(source, context):
        try:
            when = datetime.fromisoformat(look["query_time"])
            gpus = [gpu for gpu in look["gpus"] if isinstance(gpu, dict)]
        except (ValueError, KeyError, TypeError):
            context.refuse("documents that are no answer of gpustat")
            continue
        local = 0 if when.tzinfo else context.utc_offset_minutes * 60
        if (ts_ns := nanoseconds((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - local)) is None:
            context.refuse("documents that are no answer of gpustat")
            continue
        for gpu in gpus:
            numbers = {key.replace(".", "_"): value for key, v in gpu.items() if (value := real(v)) is not None}
            index = int64(numbers.pop("index", None))
            tags = {key: utf8(str(gpu[key])) for key in ("uuid", "name") if gpu.get(key)}
            tags |= {"host": utf8(str(look.get("hostname", "")))} | ({} if index is None else {"index": str(index)})
            yield "gpustat", tags, numbers, ts_ns


def _looks(source: Source, context: Context) -> Iterator[dict[str, Any]]:
    """Documents one after another, each within `_LONGEST`; where one is torn, from the next bracket on."""
    utf8 = codecs.getincrementaldecoder("utf-8")("replace")
    held = ""
    torn = 0
    for chunk in itertools.chain(source.chunks(), (b"",)):
        held += utf8.decode(chunk)
        at = 0
        while (at := held.find("{", at)) >= 0 and (not chunk or len(held) - at >= _LONGEST):
            try:
                look, size = _DECODER.raw_decode(held[at : at + _LONGEST])
            except (ValueError, RecursionError):
                context.refuse("documents that are no answer of gpustat")
                at, torn = at + 1, torn + 1
                if torn > _MOST_TORN:
                    context.warn(f"{source.name}: too much of it is no answer of gpustat; the rest was not read.")
                    return
            else:
                at += size
                yield look
        held = held[at:] if at >= 0 else ""
