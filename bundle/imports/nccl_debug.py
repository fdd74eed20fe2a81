"""What NCCL writes of itself: files of ``NCCL_DEBUG=INFO`` or ``TRACE``, one a process (``NCCL_DEBUG_FILE``) or more.

The forms are those of ``src/debug.cc``, ``src/init.cc`` and ``src/enqueue.cc`` of NCCL 2.8 to 2.30:
``host:pid:tid [device] NCCL INFO ...``, since 2.26 with a time before it and a function behind the line of a warning.
All lines stay text; what they say of communicators and collectives becomes rows beside them. Since 2.24 a communicator
that was split from another is printed without an id: it is called by its parent's id, the number of the split, and its
color. A log of a program that
merely holds such lines is the log reader's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports import text
from inquest.bundle.imports._values import host
from inquest.bundle.line_clock import ClockReader
from inquest.bundle.nccl import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_TIME: Final = r"(?:\[[^\]\n]+\] *|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+ *)?"
_WHO: Final = rf"{_TIME}([0-9A-Za-z_.-]+):([0-9]+):([0-9]+) "
_WHERE: Final = r"(?:\[-?[0-9]+\] (?:[0-9.]+ )?(?:[0-9A-Za-z_./+-]+:[0-9]+ (?:\([^)\n]*\) )?)?)?"
LINE: Final = rf"^{_WHO}{_WHERE}NCCL (?:INFO|WARN|TRACE|CALL|ABORT) "
"""A line of NCCL's, with host, process and thread."""
_LINE: Final = re.compile(LINE.encode())
_VERSION: Final = re.compile(rb"^NCCL version \d+\.\d+")
_MOSTLY: Final = 0.9
"""Share of lines of a file named after NCCL that must be NCCL's: messages of plugins go over several lines."""

_COMM: Final = re.compile(
    r"comm (?P<ptr>0x[0-9a-f]+) rank (?P<rank>\d{1,9}) n[rR]anks (?P<size>\d{1,9}) cudaDev (?P<device>\d{1,4})"
    r"(?: nvmlDev \d+)? busId (?P<bus>[0-9a-f]+)(?: parent (?P<parent>0x[0-9a-f]+|\(nil\)))?(?: \w+Count (?P<nth>\d+))?"
    r"(?: color (?P<color>-?\d+) key -?\d+)?(?: commId (?P<id>0x[0-9a-f]+))? ?"
    r"- (?P<event>(?:Init|Abort|Destroy) (?:START|COMPLETE))"
)
_EVENTS: Final = {
    "Init START": "init_begin",
    "Init COMPLETE": "init_done",
    "Abort START": "abort",
    "Abort COMPLETE": "abort",
    "Destroy COMPLETE": "destroy",
}
_COLL: Final = (
    r"NCCL INFO ([A-Za-z]+): opCount ([0-9a-f]+) sendbuff [^ ]+ recvbuff [^ ]+ count ([0-9]+) "
    r"datatype ([0-9]+) op [0-9]+ root (-?[0-9]+) comm (0x[0-9a-f]+) \[nranks=([0-9]+)\]"
)
_COLL_GATE: Final = ": opCount "
_ROOTED: Final = ("Broadcast", "Reduce", "Send", "Recv", "Gather", "Scatter")
"""Operations whose ``root`` means something; of the others it is always 0."""
_MOST_COMMS: Final = 100_000
"""Communicators of a file that are remembered; a process makes some dozens."""


class _NcclDebug:
    name = "nccl-debug"
    title = "NCCL debug output"
    tables = ("log_lines", "nccl_comms", "nccl_collectives")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        head = [line for line in source.head.split(b"\n")[:-1] if line.strip()]
        first = head[0] if head else source.head
        if not (_LINE.match(first) or _VERSION.match(first)):
            return False
        tail = [line for line in source.tail.split(b"\n")[1:-1] if line.strip()]
        own = sum(bool(_LINE.match(line) or _VERSION.match(line)) for line in head + tail)
        return own >= (_MOSTLY if "nccl" in source.name.lower() else 1) * len(head + tail)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        clock = ClockReader.of(source.head, source.tail, context.year, context.utc_offset_minutes, context.days)
        comms = _Comms(source)
        who: dict[str, Any] = {"node": None, "pid": None, "at": None}
        for lines in text.frames(source.chunks()):
            told = lines.with_columns(
                ts_ns=clock.ts_ns(lines["text"]),
                node=pl.col("text").str.extract(LINE, 1),
                pid=pl.col("text").str.extract(LINE, 2).cast(pl.Int64, strict=False),
                tid=pl.col("text").str.extract(LINE, 3).cast(pl.Int64, strict=False),
            )
            # A line without a clock or a name belongs to the last one that has it, a banner to the first name.
            rows = _filled(told.with_columns(pl.col("ts_ns").alias("at")), who)
            yield (
                "log_lines",
                rows.select(
                    "node",
                    "pid",
                    pl.col("at").alias("ts_ns"),
                    *(pl.lit(value, kind).alias(column) for column, value, kind in _of_file(source)),
                    *("text", "offset", "eol", "line_bytes", "truncated"),
                ),
            )
            yield "nccl_comms", comms.rows(rows.filter(pl.col("text").str.contains(" rank ", literal=True)))
            coll = _collectives(rows.filter(pl.col("text").str.contains(_COLL_GATE, literal=True)), comms)
            if coll.height:
                yield "nccl_collectives", coll.with_columns(pl.lit(source.rank, pl.Int64).alias("rank"))


KIND: Final = _NcclDebug()


def _of_file(source: Source) -> tuple[tuple[str, Any, Any], ...]:
    return (
        ("stream", "file", pl.String),
        ("rank", source.rank, pl.Int64),
        ("rank_by", source.rank_by, pl.String),
    )


def _filled(lines: pl.DataFrame, last: dict[str, Any]) -> pl.DataFrame:
    """``node``, ``pid`` and ``at`` of lines, where they have none those of the last line that has; keeps the last."""
    columns = tuple(last)
    filled = lines.with_columns(
        pl.col(column).forward_fill().fill_null(pl.lit(last[column], lines.schema[column])) for column in columns
    ).with_columns(pl.col("node", "pid").backward_fill())
    last.update(filled.select(columns).row(-1, named=True))
    strangers = [name for name in filled["node"].unique() if name is not None and host(name) is None]
    return filled.with_columns(pl.when(~pl.col("node").is_in(strangers)).then("node").alias("node"))


class _Comms:
    """Communicators of the processes of a file, by the address that later lines name them by."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._made: list[tuple[int | None, str, int, str | None, int]] = []
        self._at: dict[tuple[int | None, str], str | None] = {}

    def rows(self, lines: pl.DataFrame) -> list[dict[str, Any]]:
        """What lines say of communicators being made and ended."""
        found = []
        for line in lines.iter_rows(named=True):
            told = _COMM.search(line["text"])
            event = _EVENTS.get(told["event"]) if told is not None else None
            if told is None or event is None:
                continue
            comm = told["id"] or self._split(line["pid"], told)
            if event.startswith("init"):
                if len(self._made) < _MOST_COMMS:
                    self._at[line["pid"], told["ptr"]] = comm
                    self._made.append((line["pid"], told["ptr"], line["offset"], comm, int(told["rank"])))
            else:
                comm = self._at.get((line["pid"], told["ptr"]))
            found.append(
                {
                    "node": line["node"],
                    "ts_ns": line["ts_ns"],
                    "pid": line["pid"],
                    "rank": self._source.rank,
                    "rank_by": self._source.rank_by,
                    "comm": comm,
                    "comm_ptr": told["ptr"],
                    "parent_comm_ptr": told["parent"] if told["parent"] != "(nil)" else None,
                    "comm_rank": int(told["rank"]),
                    "comm_size": int(told["size"]),
                    "cuda_device": int(told["device"]),
                    "bus_id": told["bus"],
                    "backend": "nccl",
                    "event": event,
                    "state": told["event"],
                }
            )
        return found

    def _split(self, pid: int | None, told: re.Match[str]) -> str | None:
        """What a split is called here: splitting is a collective call, so its number is the same on all ranks."""
        parent = self._at.get((pid, told["parent"])) if told["parent"] and told["nth"] else None
        return f"{parent}/{told['nth']}/{told['color']}" if parent else None

    def named(self, calls: pl.DataFrame) -> pl.DataFrame:
        """``calls`` (pid, ptr, offset) with id and own rank of the communicator last made at that address."""
        schema = {"pid": pl.Int64, "ptr": pl.String, "offset": pl.Int64, "comm": pl.String, "comm_rank": pl.Int64}
        made = pl.DataFrame(self._made, schema=schema, orient="row").sort("offset")
        return calls.sort("offset").join_asof(
            made, on="offset", by=["pid", "ptr"], strategy="backward", check_sortedness=False
        )


def _collectives(lines: pl.DataFrame, comms: _Comms) -> pl.DataFrame:
    """Collectives that lines say were enqueued. NCCL's own count is hexadecimal; none of these lines tells an end."""
    calls = lines.with_columns(pl.col("text").str.extract_groups(_COLL).alias("part")).unnest("part")
    calls = comms.named(calls.filter(pl.col("1").is_not_null()).rename({"6": "ptr"}))
    number, elements = (pl.col(part).cast(pl.Int64, strict=False) for part in ("4", "3"))
    numbers = list(range(len(TYPES)))
    size = number.replace_strict(numbers, [size for _, size in TYPES], default=None, return_dtype=pl.Int64)
    return calls.select(
        "node",
        "ts_ns",
        "pid",
        "tid",
        "comm",
        "comm_rank",
        op=pl.col("1"),
        coll_seq=pl.col("2").str.to_integer(base=16, strict=False),
        elements=elements,
        dtype=number.replace_strict(numbers, [name for name, _ in TYPES], default=None, return_dtype=pl.String),
        bytes=pl.when(elements < 1 << 55).then(elements * size),
        root=pl.when(pl.col("1").is_in(_ROOTED)).then(pl.col("5").cast(pl.Int64, strict=False)),
        comm_size=pl.col("7").cast(pl.Int64, strict=False),
        enqueue_mono_ns=pl.col("ts_ns"),
    )
