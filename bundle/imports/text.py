"""Lines of text as rows: where each begins, how it ended, and what is kept of it.

Text comes from strangers: it is taken in chunks of bounded size, and a line is capped, so that memory does not grow
with a file or a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LINE_CAP: Final = 65536
"""Bytes of a line that are kept: half from its head, half from its tail."""


def frames(chunks: Iterable[bytes]) -> Iterator[pl.DataFrame]:
    """Lines of ``chunks``: columns ``text``, ``offset``, ``eol``, ``line_bytes``, ``truncated`` of ``log_lines``.

    A line ends at LF, or at CR, as a progress bar's states do. Frames are never empty.
    """
    for block in _blocks(chunks):
        frame = _cut(block)
        if frame.height:
            yield frame


@dataclass(frozen=True, slots=True)
class _Block:
    """Whole lines: each CR is followed by an LF, and the LF of the last line is left out."""

    raw: bytes
    offset: int
    first_bytes: int | None = None
    """Size of the first line where it was capped."""
    open_end: bool = False
    """The last line has no end."""


def _blocks(chunks: Iterable[bytes]) -> Iterator[_Block]:
    """``chunks`` cut at line ends. Memory is bounded: of a line longer than a chunk only head and tail are kept."""
    offset, total = 0, 0
    rest, skipped = b"", 0
    for chunk in _whole_line_ends(chunks):
        total += len(chunk)
        cut = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if not cut and len(rest) > 4 * LINE_CAP:
            keep = LINE_CAP // 2
            joined = rest[keep:] + chunk
            skipped += len(joined) - keep
            rest = rest[:keep] + joined[-keep:]
            continue
        if not cut:
            rest += chunk
            continue
        if b"\r" in chunk:
            raw = rest + chunk[:cut].replace(b"\r", b"\r\n").removesuffix(b"\n")
        else:
            raw = b"".join((rest, memoryview(chunk)[: cut - 1]))  # one copy of a large chunk, not three
        yield _Block(raw, offset, skipped + _line_end(raw) if skipped else None)
        rest, skipped = chunk[cut:], 0
        offset = total - len(rest)
    if rest:
        yield _Block(rest, offset, len(rest) + skipped if skipped else None, open_end=True)


def _line_end(block: bytes) -> int:
    """Bytes of the first line of a block, a CR included."""
    end = block.find(b"\n")
    return len(block) if end < 0 else end


def _whole_line_ends(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, cut so that no CR LF is torn apart."""
    held = b""
    for chunk in chunks:
        whole = held + chunk
        held = b"\r" if whole.endswith(b"\r") else b""
        if body := whole.removesuffix(held):
            yield body
    if held:
        yield held


def _cut(block: _Block) -> pl.DataFrame:
    """Rows of a block: offsets, line ends, text capped and decoded, empty progress segments dropped."""
    try:
        text = pl.Series("text", [block.raw]).cast(pl.String).str.split("\n").explode()
        stored = text.str.len_bytes().cast(pl.Int64)
    except pl.exceptions.ComputeError:
        parts = block.raw.split(b"\n")
        text = pl.Series("text", [part.decode("utf-8", "replace") for part in parts], dtype=pl.String)
        stored = pl.Series([len(part) for part in parts], dtype=pl.Int64)
    if block.first_bytes is not None:
        stored = pl.concat([pl.Series([block.first_bytes], dtype=pl.Int64), stored[1:]])
    frame = pl.DataFrame({"text": text, "stored": stored})
    if b"\r" in block.raw:
        frame = _ends_of_lines(frame, block.offset)
    else:
        ends = (pl.col("stored") + 1).cum_sum().shift(1, fill_value=0)
        frame = frame.with_columns(eol=pl.lit("lf"), line_bytes="stored", offset=block.offset + ends)
    if block.open_end:
        frame = frame.with_columns(eol=pl.lit("none"))
    long = pl.col("line_bytes") > LINE_CAP
    frame = frame.with_columns(truncated=long)
    if frame["truncated"].any():
        frame = frame.with_columns(text=pl.when(long).then(_capped(pl.col("text"))).otherwise(pl.col("text")))
    return frame.select("text", "offset", "eol", "line_bytes", "truncated")


def _ends_of_lines(frame: pl.DataFrame, offset: int) -> pl.DataFrame:
    """Lines of a block that has carriage returns, by how they ended."""
    cr = pl.col("text").str.ends_with("\r")
    frame = frame.with_columns(
        cr=cr,
        line_bytes=pl.col("stored") - cr.cast(pl.Int64),
        offset=offset + (pl.col("stored") + (~cr).cast(pl.Int64)).cum_sum().shift(1, fill_value=0),
        after_cr=cr.shift(1, fill_value=False),
    )
    before_lf = (pl.col("line_bytes") == 0) & pl.col("after_cr") & ~pl.col("cr")
    frame = frame.with_columns(
        eol=pl.when(pl.col("cr") & ~before_lf.shift(-1, fill_value=False)).then(pl.lit("cr")).otherwise(pl.lit("lf")),
        text=pl.col("text").str.strip_suffix("\r"),
    )
    empty_cr = (pl.col("line_bytes") == 0) & (pl.col("eol") == "cr")
    return frame.filter(~(before_lf | empty_cr))


def _capped(text: pl.Expr) -> pl.Expr:
    """Head and tail of a long text; in characters, so that none is cut in two."""
    half = LINE_CAP // 2
    return (
        pl.when(text.str.len_bytes() > LINE_CAP)
        .then(pl.concat_str(text.str.head(half), text.str.tail(half - 1), separator="\u2026"))
        .otherwise(text)
    )
