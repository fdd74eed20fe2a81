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

from inquest.bundle.cells import CELLS, cells
from inquest.bundle.runs import Counts, Recording, Runs, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
                here = cells(self._table, batch).drop_null()
                part = pa.table({"cell": here, "who": pa.repeat(pa.scalar(who, pa.int64()), len(here))})
                found = pa.concat_tables([found, part])
                if found.num_rows > _MAX_CELLS:
                    return
        ordered = found.group_by(["cell", "who"], use_threads=False).aggregate([])
        ordered = ordered.sort_by([("cell", "ascending"), ("who", "ascending")])
        ordered = ordered.combine_chunks()
        told = ordered.column("cell").combine_chunks()
        # In every cell but the first row lost.
        lost = ordered.slice(1).filter(pc.equal(told[1:], told[:-1]))
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
            told = pc.is_in(cells(self._table, batch), lost, skip_nulls=True)
            count(counts.duplicates, self._table, pc.sum(told).as_py() or 0)
            yield batch.filter(pc.invert(told))
