"""Aligned time: from the clock triples of a node to the offset of its monotonic clock.

A node's wall clock may step while the job runs; its monotonic clock may not. All rows of one boot therefore get one
offset, the median of what its triples say, so that the order of rows on a node is never changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

_LIMIT: Final = 1 << 62
"""Clock readings beyond this many ns (146 years) are no times, and adding them could wrap."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """UTC minus monotonic of one boot, in ns, over a stretch of its monotonic clock.

    ``bound_ns`` is half the width of what it may be wrong by: how far the triples lie from it, plus the kernel's own
    estimate of the error of the wall clock. Null where the kernel gave none.
    """

    offset_ns: int
    bound_ns: int | None
    from_mono_ns: int
    to_mono_ns: int
    method: str = "wall"


class Triples:
    """Collects the clock triples of one boot."""

    def __init__(self) -> None:
        self._points: set[tuple[int, int, int, float | None]] = set()

    def add(self, batch: pa.RecordBatch) -> None:
        """Add rows of ``clock_samples``."""
        names = ("ts_mono_ns", "wall_ns", "read_bound_ns", "kernel_error_us")
        for mono, wall, read, kernel in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
            if mono is not None and wall is not None and 0 <= mono < _LIMIT and 0 <= wall < _LIMIT:
                self._points.add((mono, wall, read or 0, kernel))

    def align(self) -> Alignment | None:
        """The offset, or None when there are no triples."""
        if not self._points:
            return None
        deltas = sorted(wall - mono for mono, wall, _, _ in self._points)
        offset = deltas[(len(deltas) - 1) // 2]
        errors = [kernel for *_, kernel in self._points if kernel is not None and 0 <= kernel < _LIMIT / 1000]
        bound = None
        if errors:
            apart = max(abs(wall - mono - offset) + read for mono, wall, read, _ in self._points)
            bound = apart + round(max(errors) * 1000)
        return Alignment(offset, bound, min(p[0] for p in self._points), max(p[0] for p in self._points))


def apply(batch: pa.RecordBatch, alignment: Alignment | None) -> pa.RecordBatch:
    """``batch`` with ``ts_ns`` on the aligned clock; rows without a monotonic time keep what they have."""
    if alignment is None:
        return batch
    mono = batch.column("ts_mono_ns")
    possible = pc.fill_null(pc.and_(pc.greater(mono, -_LIMIT), pc.less(mono, _LIMIT)), False)
    aligned = pc.add(pc.if_else(possible, mono, None), alignment.offset_ns)
    index = batch.schema.get_field_index("ts_ns")
    return batch.set_column(index, batch.schema.field(index), pc.if_else(possible, aligned, batch.column(index)))
