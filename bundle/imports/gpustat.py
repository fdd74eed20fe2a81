"""What ``gpustat --json`` answers, once or again and again: a document for each look at one host."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports.series import TABLES
from inquest.bundle.imports.telegraf import Point, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_MOST: Final = 64 << 20
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
        yield from rows(_points(source.read(_MOST).decode("utf-8", "replace"), context), context)


KIND = _Gpustat()


def _points(text: str, context: Context) -> Iterator[Point]:
    at = 0
    while (at := text.find("{", at)) >= 0:
        try:
            look, at = _DECODER.raw_decode(text, at)
            when = datetime.fromisoformat(look["query_time"])
            gpus = [gpu for gpu in look["gpus"] if isinstance(gpu, dict)]
        except (ValueError, RecursionError, KeyError, TypeError):
            context.refuse("documents that are no answer of gpustat")
            at += 1
            continue
        utc = when if when.tzinfo else when.replace(tzinfo=UTC) - timedelta(minutes=context.utc_offset_minutes)
        for gpu in gpus:
            numbers = {key.replace(".", "_"): float(v) for key, v in gpu.items() if type(v) in (int, float)}
            index = numbers.pop("index", None)
            tags = {key: str(gpu[key]) for key in ("uuid", "name") if gpu.get(key)}
            tags |= {"host": str(look.get("hostname", ""))} | ({} if index is None else {"index": str(int(index))})
            yield "gpustat", tags, numbers, round(utc.timestamp() * 1000) * 1_000_000
