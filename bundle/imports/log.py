"""Logs of any program: the reader of last resort, which takes every text that nobody else claims."""

from __future__ import annotations

import codecs
import re
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports import text
from inquest.bundle.imports.bare_clock import BareClock, day_by_the_end
from inquest.bundle.imports.broken_lines import joined, soft_width, width
from inquest.bundle.imports.collected import DATED, before_lines, newest_first
from inquest.bundle.imports.source import is_utf16, utf16_without_mark
from inquest.bundle.imports.speakers import speakers
from inquest.bundle.imports.touched import looks_touched
from inquest.bundle.line_clock import ClockReader
from inquest.bundle.line_rank import NODE_GATE, NODE_IN_TEXT, RANK_GATES, RANK_IN_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_NOT_TEXT: Final = bytes({*range(1, 8), *range(14, 27), 28, 29, 30, 31})
"""Control characters that no log holds; NUL, backspace and escape do occur."""
_MOST_CONTROL: Final = 0.01
_MOST_NUL: Final = 0.9
"""Shares of a sample; a log that outlived a power cut may end in blocks of NUL."""

HELD: Final = 512 << 20
"""Bytes of lines that are held to be put in order, where the newest stand first."""

_NODES: Final = tuple(re.compile(pattern.encode(), re.MULTILINE) for pattern in NODE_IN_TEXT)


def is_text(sample: bytes) -> bool:
    """Whether ``sample`` is text, by the control characters in it; of nothing but NUL, a power cut made it."""
    written = sample.replace(b"\0", b"")
    if not written:
        return True
    if len(written) < (1 - _MOST_NUL) * len(sample):
        return False
    return len(written) - len(written.translate(None, _NOT_TEXT)) <= _MOST_CONTROL * len(written)


def clock_of(source: Source, context: Context) -> ClockReader:
    """The reader of the clocks in ``source``; a year it lacks is the one that other files tell."""
    return ClockReader.of(source.head, source.tail, context.year, context.utc_offset_minutes, context.days)


class _Log:
    name = "log"
    title = "Log of a program"
    tables = ("log_lines", "processes")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        return is_text(source.head)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        if source.head and not source.head.strip(b"\0"):
            context.warn(f"{source.name}: begins with NUL bytes only, as a file does that was lost in a power cut.")
        yield from rows_of(source, source.head, _utf8(source.chunks(), source.head), context)
        if (code := _status_in_typescript(source)) is not None:
            yield "processes", [{"event": "exit", "role": "task", "rank": source.rank, "exit_code": code}]


def _status_in_typescript(source: Source) -> int | None:
    """The status that script(1) wrote below what the one command that it ran had shown (util-linux 2.35 and later).

    That of a whole session at a terminal is the last command's, whichever that was.
    """
    begun = _OF_ONE_COMMAND.match(source.head)
    done = _DONE_WITH.search(source.tail[-_FOOTER:]) if begun else None
    return int(done[1]) if done else None


_OF_ONE_COMMAND: Final = re.compile(rb'Script started on [^\n\[]{10,60}\[(?:[^\n]{0,400} )?COMMAND="')
_DONE_WITH: Final = re.compile(rb'\nScript done on [^\n\[]{10,60}\[COMMAND_EXIT_CODE="(\d{1,3})"\]\s*$')
_FOOTER: Final = 200

_CLOCK: Final = r"\d:\d\d:\d\d"

KIND = _Log()


def rows_of(source: Source, head: bytes, chunks: Iterable[bytes], context: Context) -> Iterator[tuple[str, Any]]:
    """Rows of ``log_lines`` for a text that begins with ``head`` and comes in ``chunks``."""
    if looks_touched(head):
        from inquest.bundle.imports import by_hand

        if wanted := by_hand.mends(head):
            head, chunks = b"".join(by_hand.mended([head], wanted)), by_hand.mended(chunks, wanted)
    clock = clock_of(source, context)
    many = _tells_nodes(source)
    before, wide = before_lines(head), width(head) or soft_width(head)
    named = speakers(head)
    day_ns = day_by_the_end(source, clock, context.utc_offset_minutes)
    bare = BareClock(context.utc_offset_minutes, day_ns)
    last_ns: int | None = None
    frames = text.frames(chunks)
    if newest_first(head):
        frames = oldest_first(frames, source.name, context)
    for frame in frames if wide is None else joined(frames, wide):
        ts_ns = bare.told(frame["text"], clock.ts_ns(frame["text"]), last_ns)
        # A line without a clock was written after the last one that has it.
        ts_ns = pl.concat([pl.Series("ts_ns", [last_ns], dtype=pl.Int64), ts_ns]).fill_null(strategy="forward")[1:]
        last_ns = ts_ns[-1]
        if named is not None:
            rows = named.apart(frame.with_columns(ts_ns, pl.lit("file").alias("stream")), source.name)
            rank, rank_by = ranks(rows["text"], source)
            by = pl.when(pl.col("told").is_null()).then(rank_by).otherwise(pl.lit("text")).alias("rank_by")
            yield "log_lines", rows.with_columns(pl.coalesce("told", rank).alias("rank"), by).drop("told")
            continue
        rows = frame.with_columns(ts_ns, pl.lit("file").alias("stream"), *ranks(frame["text"], source))
        if before is not None:
            # A time of day that no date belongs to is kept where it stands: nothing else would tell it.
            plain = pl.col("text").str.replace(before, "")
            lost = pl.col("ts_ns").is_null() & pl.col("text").str.contains(_CLOCK) & ~plain.str.contains(_CLOCK)
            rows = rows.with_columns(pl.when(lost).then("text").otherwise(plain))
        yield "log_lines", rows.with_columns(_nodes(frame["text"])) if many else rows


def _utf8(chunks: Iterable[bytes], head: bytes) -> Iterator[bytes]:
    """``chunks``, as UTF-8 where they are UTF-16, as PowerShell's ``>`` and ``Tee-Object`` write it.

    Files are read so by their source; this is for packed ones and pipes. Offsets of such lines count the bytes of the
    UTF-8.
    """
    if not is_utf16(head):
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(utf16_without_mark(head) or "utf-16")("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def oldest_first(frames: Iterator[pl.DataFrame], name: str, context: Context) -> Iterator[pl.DataFrame]:
    """Records in the order in which they were written; what stands above the first of them stays there."""
    held: list[pl.DataFrame] = []
    for frame in frames:
        held.append(frame)
        if sum(part.estimated_size() for part in held) > HELD:
            context.warn(f"{name}: too long to be put in order whole; list the oldest line first.")
            yield from chain(held, frames)
            return
    record = pl.col("text").str.contains(DATED).cum_sum().cast(pl.Int64)
    if held:
        yield pl.concat(held).sort(pl.when(record > 0).then(-record).otherwise(-(2**62)), maintain_order=True)


def _tells_nodes(source: Source) -> bool:
    """Whether lines of several nodes were merged into this one file.

    Where lines name a single node, the others may be of any: they stay in one place, and so does their order.
    """
    sample = source.head + source.tail
    if not any(mark in sample for mark in (b"NCCL ", b"slurmstepd-")):
        return False
    return len({found[1] for pattern in _NODES for found in pattern.finditer(sample)}) > 1


def _nodes(lines: pl.Series) -> pl.Series:
    """Column ``node`` of lines, by their own text where its form leaves no doubt."""
    told = pl.coalesce(pl.col("text").str.extract(pattern, 1) for pattern in NODE_IN_TEXT)
    gated = pl.when(pl.col("text").str.contains(NODE_GATE)).then(told)
    return pl.DataFrame({"text": lines}).select(gated.alias("node"))["node"]


def ranks(lines: pl.Series, source: Source) -> list[pl.Series]:
    """Columns ``rank`` and ``rank_by`` of lines: by their own text where it tells, else by the name of the file."""
    given = pl.lit(source.rank, pl.Int64).alias("rank"), pl.lit(source.rank_by, pl.String).alias("rank_by")
    all_rows = pl.DataFrame({"text": lines}).with_row_index("row")
    hits = all_rows.filter(pl.any_horizontal(pl.col("text").str.contains(gate) for gate in RANK_GATES))
    if hits.is_empty():
        return all_rows.select("row", *given).drop("row").get_columns()
    found = [(pl.col("text").str.extract(regex, 1).cast(pl.Int64, strict=False), name) for regex, name in RANK_IN_TEXT]
    told = hits.select(
        "row",
        rank=pl.coalesce(*(value for value, _ in found)),
        rank_by=pl.coalesce(*(pl.when(value.is_not_null()).then(pl.lit(name)) for value, name in found)),
    )
    joined = all_rows.select("row").join(told, on="row", how="left", maintain_order="left")
    return joined.select(
        pl.coalesce("rank", given[0]).alias("rank"),
        pl.when(pl.col("rank").is_null()).then(given[1]).otherwise("rank_by").alias("rank_by"),
    ).get_columns()
