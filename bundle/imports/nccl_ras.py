"""Answers of NCCL's RAS subsystem: what ``ncclras`` prints, as text (2.24 on) or JSON (2.28.7 on).

RAS asks every process of the job, so one answer tells of all ranks: which did not answer, which are in another state,
and which have launched fewer operations. The forms are those of ``src/ras/client_support.cc``. Hosts are addresses, so
a row names its host and not its node. The text names only ranks that stand out; the JSON names all. An answer is a
moment's: ranks one operation apart are usual, ranks that stay apart in a second answer are not.
"""

from __future__ import annotations

import datetime
import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.errors import InputError
from inquest.bundle.imports._values import batches, int64, text
from inquest.bundle.imports.text import frames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

    Row = dict[str, Any]

MAX_BYTES: Final = 64 << 20
"""An answer about 10,000 ranks has 5 MB."""
_JSON: Final = re.compile(rb'\s*\{\s*"nccl_version"')
_TEXT: Final = re.compile(rb"\s*(?:NCCL version [^\n]* compiled with CUDA [^\n]*\n[^\n]*\n\s*)?Job summary\r?\n=====")
_VERSION: Final = re.compile(r"^NCCL version ([^ ]+) compiled with CUDA")
_COMM: Final = re.compile(r"^#\d+-\d+ \(([0-9a-f]{1,16})\) ([A-Z]+)")
_SECTION: Final = re.compile(r"^(INCOMPLETE|DEAD|TIMEOUT)$")
_SHARED: Final = re.compile(r"^  \d+ ranks (?:have|reported) (?:status )?(.+)$")
_RANK: Final = re.compile(
    r"^  Rank (\d{1,9})(?: (?:has|reported) (?:status )?(.+?))? -- "
    r"(?:GPU (\d{1,4})[^\[]*? managed by process (\d{1,10}) on node (\S+)|\[process information not found\])"
)
_MISSING: Final = re.compile(r"^  The missing ranks?: ([\d,]+)$")
_PROCESS: Final = re.compile(r"^  Process (\d{1,10}) on node (\S+) managing GPUs? ")
_LAUNCHED: Final = re.compile(r"launched up to operation (\d{1,18})$")
_NONE_LAUNCHED: Final = "not launched any operations"
_LONGEST: Final = 200
_LONGEST_LINE: Final = 1000
"""RAS writes short lines; a long one could keep a pattern busy for long."""


class _NcclRas:
    name = "nccl-ras"
    title = "NCCL RAS status"
    tables = ("nccl_comms", "log_lines")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        return bool(_TEXT.match(source.head)) or (
            bool(_JSON.match(source.head)) and b'"communicators"' in source.head[:1000]
        )

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        if _JSON.match(source.head):
            yield from batches(_answers(source, context), "nccl_comms")
            return
        told = _Told()
        for lines in frames(source.chunks()):
            yield "log_lines", lines.with_columns(pl.lit("file").alias("stream"))
            yield "nccl_comms", [row for line in lines["text"].to_list() for row in told.rows(line)]


KIND: Final = _NcclRas()


def _answers(source: Source, context: Context) -> Iterator[Row]:
    """Rows of the answers in a file, one after the other."""
    content = source.read(MAX_BYTES).decode("utf-8", "replace")
    at, decoder = 0, json.JSONDecoder()
    while (begin := re.compile(r"\s*").match(content, at)) is not None and begin.end() < len(content):
        try:
            answer, at = decoder.raw_decode(content, begin.end())
        except (ValueError, RecursionError) as error:
            if at == 0:
                raise InputError(f"{source.name}: an answer of NCCL's RAS whose JSON is broken ({error}).") from error
            context.refuse("answers whose JSON is broken or cut off")
            return
        if isinstance(answer, dict):
            yield from _of_answer(answer, context)


def _of_answer(answer: Row, context: Context) -> Iterator[Row]:
    shared = {
        "ts_ns": _time(answer.get("timestamp"), context),
        "event": "status",
        "backend": "nccl",
        "library_version": text(answer.get("nccl_version")),
    }
    for comm in _list(answer.get("communicators")):
        whose = shared | {"comm": text(comm.get("hash")), "comm_size": int64(comm.get("size"))}
        for member in _list(comm.get("ranks")):
            counts = member.get("collective_counts")
            launched = [int64(number) for number in counts.values()] if isinstance(counts, dict) else []
            yield (
                whose
                | _who(member)
                | {
                    "state": _state(member.get("status")),
                    "last_enqueued_seq": sum(number or 0 for number in launched) if launched else None,
                }
            )
        for member in _list(comm.get("missing_ranks")):
            status = member.get("status")
            status = status if isinstance(status, dict) else {}
            missing = (
                "DEAD" if status.get("considered_dead") else "UNRESPONSIVE" if status.get("unresponsive") else "NOCOMM"
            )
            yield whose | _who(member) | {"state": missing}


def _who(member: Row) -> Row:
    return {
        "comm_rank": int64(member.get("rank")),
        "host": text(member.get("host")),
        "pid": int64(member.get("pid")),
        "cuda_device": int64(member.get("cuda_dev")),
    }


def _state(status: Any) -> str | None:  # noqa: ANN401  what a stranger wrote
    """The state of a rank, in the words that the text form has for it."""
    if not isinstance(status, dict):
        return None
    if status.get("abort_flag"):
        state = "ABORT"
    elif status.get("finalize_called") or status.get("destroy_flag"):
        state = "FINALIZE"
    else:
        state = "RUNNING" if status.get("init_state") == 0 else "INIT"
    error = int64(status.get("async_error"))
    return state if not error else f"{state}, asynchronous error {error}"


class _Told:
    """The text form, line by line."""

    def __init__(self) -> None:
        self._version: str | None = None
        self._comm: str | None = None
        self._state: str | None = None

    def rows(self, line: str) -> list[Row]:
        """What this line says of ranks, given those before it."""
        if len(line) > _LONGEST_LINE:
            return []
        if found := _VERSION.match(line):
            self._version = found[1][:_LONGEST]
        elif found := _COMM.match(line):
            self._comm, self._state = f"0x{found[1].lstrip('0') or '0'}", found[2]
        elif found := _SECTION.match(line):
            self._comm, self._state = None, found[1]
        elif found := _SHARED.match(line):
            self._state = found[1][:_LONGEST]
        elif found := _RANK.match(line):
            rank, own, device, pid, host = found.groups()
            return [self._row(int(rank), own or self._state, pid=pid, host=host, device=device)]
        elif found := _MISSING.match(line):
            return [self._row(int(rank), "INCOMPLETE") for rank in found[1].split(",") if 0 < len(rank) < 10]
        elif found := _PROCESS.match(line):
            return [self._row(None, self._state, pid=found[1], host=found[2])]
        return []

    def _row(
        self,
        rank: int | None,
        state: str | None,
        *,
        pid: str | None = None,
        host: str | None = None,
        device: str | None = None,
    ) -> Row:
        launched = _LAUNCHED.search(state or "")
        none = _NONE_LAUNCHED in (state or "")
        return {
            "event": "status",
            "backend": "nccl",
            "library_version": self._version,
            "comm": self._comm,
            "comm_rank": rank,
            "state": state[:_LONGEST] if state else None,
            "last_enqueued_seq": int(launched[1]) if launched else 0 if none else None,
            "pid": int(pid) if pid else None,
            "host": host[:_LONGEST] if host else None,
            "cuda_device": int(device) if device else None,
        }


def _time(value: Any, context: Context) -> int | None:  # noqa: ANN401
    """UTC of the local time an answer carries."""
    try:
        local = datetime.datetime.strptime(value, "%Y-%m-%d %H:%M:%S").replace(tzinfo=datetime.UTC)
    except (TypeError, ValueError):
        return None
    ns = int(local.timestamp()) * 1_000_000_000 - context.utc_offset_minutes * 60_000_000_000
    return ns if abs(ns) < 1 << 63 else None


def _list(value: Any) -> list[Row]:  # noqa: ANN401
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
