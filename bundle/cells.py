"""Which event a row tells of: rows of one cell tell of the same one, whoever wrote them down, and however often.

Of one node and boot, that is: `inquest.bundle.overlap` compares recordings by it, `inquest.bundle.runs` two states of
one row.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

CELLS: Final[dict[str, tuple[str, ...]]] = {
    "kernel_log": ("source", "kernel_seq"),
    "gpu_events": ("gpu_uuid", "event", "xid", "ts_mono_ns"),
}
"""Tables of events that every recorder of a node sees, and the columns that tell one event from another of one boot."""

_NEEDED: Final = {"kernel_log": "kernel_seq", "gpu_events": "ts_mono_ns"}
"""Where this column is null, nothing says that two rows are one event."""

_CELL_NS: Final = 10_000_000_000
"""Width of a cell in time. A driver wakes all listeners at once, and a busy node delays one of them by seconds at most;
an event at the border of two cells may stay twice."""


def cells(table: str, batch: pa.RecordBatch) -> pa.Array:
    """The cell of each row, as text; null where nothing says which event a row tells of."""
    parts = []
    for name in CELLS[table]:
        values = batch.column(name)
        if name == "ts_mono_ns":
            values = pc.divide(values, _CELL_NS)
        parts.append(pc.fill_null(values.cast(pa.string()), ""))
    # No name holds a NUL, so that the parts of a cell cannot be told wrong.
    joined = pc.binary_join_element_wise(*parts, "\0")
    return pc.if_else(pc.is_valid(batch.column(_NEEDED[table])), joined, None)
