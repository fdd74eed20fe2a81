"""Lines of text as rows: where each begins, how it ended, and what is kept of it.

Text comes from strangers: it is taken in chunks of bounded size, and a line is capped, so that memory does not grow
with a file or a line.
"""

from __future__ import annotations

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
    for raw, offset, sizes in _split(chunks):
        frame = _cut(raw, offset, sizes)
        if frame.height:
            yield frame


def _split(chunks: Iterable[bytes]) -> Iterator[tuple[list[bytes], int, list[int] | None]]:
    """Segments with their terminator rules: (segments, offset of the first, sizes where a segment was capped).

    A segment ends at LF (not included) or CR (included, so that ``_cut`` can tell). Memory is bounded: of a line longer
    than a chunk only head and tail are kept.
    """
    offset, total = 0, 0
    rest, skipped = b"", 0
    for chunk in _whole_line_ends(chunks):
        total += len(chunk)
        parts = chunk.replace(b"\r", b"\r\n").split(b"\n")
        if len(parts) == 1 and len(rest) > 4 * LINE_CAP:
            keep = LINE_CAP // 2
            joined = rest[keep:] + parts[0]
            skipped += len(joined) - keep
            rest = rest[:keep] + joined[-keep:]
            continue
        parts[0] = rest + parts[0]
        head_size = len(parts[0]) + skipped
        rest, last_skipped, skipped = parts.pop(), skipped, 0
        if not parts:
            skipped = last_skipped
            continue
        yield parts, offset, [head_size] if last_skipped else None
        offset = total - len(rest)
    if rest:
        yield [rest, b"\0end"], offset, [len(rest) + skipped] if skipped else None


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


def _cut(parts: list[bytes], offset: int, sizes: list[int] | None) -> pl.DataFrame:
    """Rows from segments: offsets, line ends, text capped and decoded, empty progress segments dropped."""
    open_end = parts[-1] == b"\0end"
    if open_end:
        parts = parts[:-1]
    raw = pl.Series("raw", parts, dtype=pl.Binary)
    try:
        text = raw.cast(pl.String)
    except pl.exceptions.ComputeError:
        text = pl.Series("text", [part.decode("utf-8", "replace") for part in parts], dtype=pl.String)
    stored = raw.bin.size().cast(pl.Int64)
    if sizes:
        stored = pl.concat([pl.Series([sizes[0]], dtype=pl.Int64), stored[1:]])
    frame = pl.DataFrame({"text": text.alias("text"), "stored": stored})
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
    if open_end:
        frame = frame.with_columns(eol=pl.lit("none"))
    empty_cr = (pl.col("line_bytes") == 0) & (pl.col("eol") == "cr")
    frame = frame.filter(~(before_lf | empty_cr))
    long = pl.col("line_bytes") > LINE_CAP
    frame = frame.with_columns(truncated=long)
    if frame["truncated"].any():
        frame = frame.with_columns(text=pl.when(long).then(_capped(pl.col("text"))).otherwise(pl.col("text")))
    return frame.select("text", "offset", "eol", "line_bytes", "truncated")


def _capped(text: pl.Expr) -> pl.Expr:
    """Head and tail of a long text; in characters, so that none is cut in two."""
    half = LINE_CAP // 2
    return (
        pl.when(text.str.len_bytes() > LINE_CAP)
        .then(pl.concat_str(text.str.head(half), text.str.tail(half - 1), separator="\u2026"))
        .otherwise(text)
    )
