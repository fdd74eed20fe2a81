"""What two recordings of one node saw together: the same event, told twice.

Two recorders may watch one node at a time (two jobs, two steps, `inquest attach` beside `inquest run`). Samples they
took at different instants are all evidence. But a message of the kernel is one message, and an event of a GPU is one
event, however many listened. Such rows fall into cells; of each cell the rows of one recording stay: the first by name.

That is a choice of a least, so nothing depends on which inputs were merged first, or on how a recording came in parts,
and merging again changes nothing. (The recording with most rows of a cell would be the better witness, but which one
that is depends on the parts at hand.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle.runs import Counts, Recording, Runs, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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

_MAX_CELLS: Final = 4_000_000
"""With more events of one node and table, all are kept."""


class Overlaps:
    """Which rows of a node and table were told by another recording too."""

    def __init__(self, runs: Runs, recordings: Sequence[Recording], table: str) -> None:
        self._table = table
        self._lost: dict[Recording, pa.Array] = {}
        if table not in CELLS:
            return
        by_boot: dict[str, list[Recording]] = {}
        for recording in recordings:
            if recording.boot_id:
                by_boot.setdefault(recording.boot_id, []).append(recording)
        for together in by_boot.values():
            if len(together) > 1:
                self._compare(runs, together)

    def _compare(self, runs: Runs, recordings: list[Recording]) -> None:
        found = pa.table({"cell": pa.array([], pa.string()), "who": pa.array([], pa.int64())})
        for who, recording in enumerate(recordings):
            for batch in runs.rows(recording, self._table, Counts()):
                cells = _cells(self._table, batch).drop_null()
                part = pa.table({"cell": cells, "who": pa.repeat(pa.scalar(who, pa.int64()), len(cells))})
                found = pa.concat_tables([found, part])
                if found.num_rows > _MAX_CELLS:
                    return
        ordered = found.group_by(["cell", "who"], use_threads=False).aggregate([])
        ordered = ordered.sort_by([("cell", "ascending"), ("who", "ascending")])
        ordered = ordered.combine_chunks()
        cells = ordered.column("cell").combine_chunks()
        # In every cell but the first row lost.
        lost = ordered.slice(1).filter(pc.equal(cells[1:], cells[:-1]))
        for who, recording in enumerate(recordings):
            theirs = lost.filter(pc.equal(lost.column("who"), who)).column("cell").combine_chunks()
            if len(theirs):
                self._lost[recording] = theirs

    def without(self, recording: Recording, rows: Iterator[pa.RecordBatch], counts: Counts) -> Iterator[pa.RecordBatch]:
        """``rows`` of ``recording`` but those that another recording tells; these are counted as duplicates."""
        lost = self._lost.get(recording)
        if lost is None:
            yield from rows
            return
        for batch in rows:
            told = pc.is_in(_cells(self._table, batch), lost, skip_nulls=True)
            count(counts.duplicates, self._table, pc.sum(told).as_py() or 0)
            yield batch.filter(pc.invert(told))


def _cells(table: str, batch: pa.RecordBatch) -> pa.Array:
    parts = []
    for name in CELLS[table]:
        values = batch.column(name)
        if name == "ts_mono_ns":
            values = pc.divide(values, _CELL_NS)
        parts.append(pc.fill_null(values.cast(pa.string()), ""))
    # No name holds a NUL, so that the parts of a cell cannot be told wrong.
    joined = pc.binary_join_element_wise(*parts, "\0")
    return pc.if_else(pc.is_valid(batch.column(_NEEDED[table])), joined, None)
