"""What several witnesses told of the same run of a job or step: one row stays, which knows what all of them knew.

A recorder writes down what the controller says whenever that changes, the next recorder goes on, and accounting is
imported afterwards. Each tells of the same runs; readers count rows of ``slurm_jobs`` as runs. The rules by which rows
are one run are those of the import (`inquest.bundle.imports._slurm_runs`). Nothing depends on the order of inputs, and
merging again changes nothing: the row that stays keeps its identity, and what it lacks comes from the same others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle.runs import Counts, Recording, Runs, count
from inquest.bundle.schema import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Row = dict[str, Any]
    Key = tuple[str, str, str, int]

TABLES: Final = frozenset({"slurm_jobs", "slurm_steps"})
_IMPORTED: Final = "import-"
"""How names of imports begin: an import has joined its own rows already, and may hold the accounting of a cluster."""
_MOST_ROWS: Final = 200_000
"""With more rows of recorded jobs, all stay: no job of one bundle has so many."""
_OWN: Final = frozenset(column.name for column in IDENTITY)
_MARK: Final = "\0key"


class SameRuns:
    """Which rows of a table tell what others tell too, and what those that stay learn from them."""

    def __init__(self, runs: Runs, recordings: Sequence[Recording], table: str) -> None:
        self._table = table
        self._known: dict[Key, Row | None] = {}
        jobs = self._jobs(runs, recordings) if table in TABLES else None
        if jobs is None:
            return
        rows: list[Row] = []
        for recording in recordings:
            for batch in runs.rows(recording, table, Counts()):
                rows += batch.filter(pc.is_in(_job(batch), jobs, skip_nulls=True)).to_pylist()
        if len(rows) <= _MOST_ROWS:
            self._join(rows)

    def told_once(self, rows: Iterator[pa.RecordBatch], counts: Counts) -> Iterator[pa.RecordBatch]:
        """``rows``, counted as written already, without those that others make needless."""
        for batch in rows:
            if not self._known:
                yield batch
                continue
            kept: list[Row] = []
            for row in batch.to_pylist():
                told = self._known.get(_key(row), row)
                if told is not None:
                    kept.append(row | told)
            count(counts.rows_out, self._table, len(kept) - batch.num_rows)
            count(counts.duplicates, self._table, batch.num_rows - len(kept))
            if kept:
                yield pa.RecordBatch.from_pylist(kept, schema=batch.schema)

    def _jobs(self, runs: Runs, recordings: Sequence[Recording]) -> pa.Array | None:
        """Jobs that a recorder tells of, or more than one import."""
        found = pa.table({"job": pa.array([], pa.string()), "who": pa.array([], pa.int64())})
        for who, recording in enumerate(recordings):
            for batch in runs.rows(recording, self._table, Counts()):
                told = pa.table({"job": _job(batch), "who": pa.repeat(pa.scalar(who, pa.int64()), batch.num_rows)})
                found = pa.concat_tables([found, told.group_by(["job", "who"], use_threads=False).aggregate([])])
        recorded = [who for who, each in enumerate(recordings) if not each.capture.startswith(_IMPORTED)]
        by_job = found.group_by("job", use_threads=False).aggregate([("who", "count_distinct")])
        several = by_job.filter(pc.greater(by_job["who_count_distinct"], 1))["job"]
        by_recorder = found.filter(pc.is_in(found["who"], pa.array(recorded, pa.int64())))["job"]
        jobs = pc.unique(pa.chunked_array([*several.chunks, *by_recorder.chunks], pa.string())).drop_null()
        return jobs if len(jobs) else None

    def _join(self, rows: list[Row]) -> None:
        from inquest.bundle.imports._slurm_runs import one_row_a_run

        # Who saw the run longest knows most of it; of equals, the later row of a recorder.
        rows.sort(key=lambda row: (-(row["elapsed_s"] or 0), *_key(row)[:3], -row["seq"]))
        given = {_key(row): row for row in rows}
        bare = [{name: value for name, value in row.items() if name not in _OWN} | {_MARK: _key(row)} for row in rows]
        self._known = dict.fromkeys(given)
        for row in one_row_a_run(bare):
            self._known[row.pop(_MARK)] = row


def _key(row: Row) -> Key:
    return row["node"], row["capture"], row["boot_id"] or "", row["seq"]


def _job(batch: pa.RecordBatch) -> pa.Array:
    """The controller's number of the job, by which all witnesses know it."""
    names = [batch.column(name).cast(pa.string()) for name in ("job_id_raw", "job_id")]
    return pc.coalesce(*names)
