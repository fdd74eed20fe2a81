"""From estimates to rows: the aligned time of every row, and the table that says how it was found."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle import parquet
from inquest.bundle.clock.estimate import NEVER
from inquest.bundle.clock.observe import LIMIT
from inquest.bundle.summary import MERGE_CAPTURE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from inquest.bundle.clock.estimate import Aligned, Alignment

_REMEMBERED: Final = 1024
"""Alignments whose lines are remembered from batch to batch."""
_SAME_NS: Final = 4
"""Rounding makes pieces of one line differ by less."""


def apply(batch: pa.RecordBatch, alignment: Alignment | None) -> pa.RecordBatch:
    """``batch`` with ``ts_ns`` on the aligned clock; rows without a time of their own clock keep what they have."""
    if alignment is None:
        return batch
    own = batch.column("ts_mono_ns")
    index = batch.schema.get_field_index("ts_ns")
    least, greatest = (bound.as_py() for bound in pc.min_max(own).values())
    if least is None:
        return batch
    if not own.null_count and least > -LIMIT and greatest < LIMIT:
        return batch.set_column(index, batch.schema.field(index), _aligned(own, alignment.pieces))
    possible = pc.and_(pc.greater(own, parquet.number(-LIMIT)), pc.less(own, parquet.number(LIMIT)))
    possible = pc.fill_null(possible, pa.scalar(False, pa.bool_()))
    aligned = _aligned(pc.if_else(possible, own, parquet.number(None)), alignment.pieces)
    return batch.set_column(index, batch.schema.field(index), pc.if_else(possible, aligned, batch.column(index)))


@lru_cache(maxsize=_REMEMBERED)
def _lines(pieces: tuple[Aligned, ...]) -> tuple[Aligned, ...]:
    """The pieces that begin another line than the one before: most only bound the same line otherwise."""
    lines = [pieces[0]]
    for number, piece in enumerate(pieces[1:], 1):
        # Nothing ends the last: as long as the one before.
        end = pieces[number + 1].begin if number + 1 < len(pieces) else 2 * piece.begin - pieces[number - 1].begin
        if max(abs(lines[-1].at(t) - piece.at(t)) for t in (piece.begin, end)) > _SAME_NS:
            lines.append(piece)
    return tuple(lines)


def _aligned(own: pa.Array, pieces: tuple[Aligned, ...]) -> pa.Array:
    lines = _lines(pieces)
    if len(lines) == 1:
        return _by_piece(own, lines[0])
    least, latest = (bound.as_py() for bound in pc.min_max(own).values())
    if least is None:
        return own
    begun = [line for line in lines[1:] if line.begin <= least]
    aligned = _by_piece(own, begun[-1] if begun else lines[0])
    for line in lines[len(begun) + 1 :]:
        if line.begin <= latest:
            aligned = pc.if_else(pc.greater_equal(own, parquet.number(line.begin)), _by_piece(own, line), aligned)
    return aligned


def _by_piece(own: pa.Array, piece: Aligned) -> pa.Array:
    aligned = pc.add(own, parquet.number(piece.offset))
    if piece.drift:
        since = pc.cast(pc.subtract(own, parquet.number(piece.begin)), pa.float64(), safe=False)
        moved = pc.round(pc.multiply(since, pa.scalar(piece.drift, pa.float64())))
        aligned = pc.add(aligned, pc.cast(moved, pa.int64()))
    return aligned


def rows(node: str, alignments: Mapping[tuple[str, str], Alignment]) -> Iterator[pa.RecordBatch]:
    """Rows of ``clock_alignment`` of one node: of each boot its pieces, then what every source says of them."""
    found: list[dict[str, Any]] = []
    for (_, boot_id), alignment in sorted(item for item in alignments.items() if item[0][0] == node):
        first, last = alignment.span if alignment.span != NEVER else (None, None)
        ends = [*(piece.begin for piece in alignment.pieces[1:]), last]
        common = {"node": node, "boot_id": boot_id or None, "capture": MERGE_CAPTURE, "reference": alignment.reference}
        found += [
            {
                **common,
                "from_mono_ns": None if first is None else piece.begin,
                "to_mono_ns": end,
                "offset_ns": piece.offset,
                "drift_ppm": round(piece.drift * 1e6, 6),
                "bound_ns": piece.bound_ns,
                "utc_bound_ns": piece.utc_bound_ns,
                "method": alignment.method,
                "detail": alignment.detail,
            }
            for piece, end in zip(alignment.pieces, ends, strict=True)
        ]
        found += [
            {
                **common,
                "from_mono_ns": first,
                "to_mono_ns": last,
                "method": source,
                "count": count,
                "residual_p50_ns": median,
                "residual_p99_ns": high,
            }
            for source, (count, median, high) in sorted(alignment.residuals.items())
        ]
    schema = parquet.plain_schema("clock_alignment")
    if found:
        yield pa.RecordBatch.from_pylist([{**row, "seq": seq} for seq, row in enumerate(found)], schema=schema)
