"""What several witnesses told of the same run of a job or step, read as one row which knows what all of them knew.

A recorder writes down what the controller says whenever that changes, the next recorder goes on, and accounting is
imported afterwards. Each tells of the same runs; readers count rows of ``slurm_jobs`` as runs. A bundle holds every
telling, as a merge found it: what is joined depends on all that were told, and no merge knows whether it has seen the
last of them. They are joined when the table is read, over the whole of it, so that a bundle reads the same in whatever
order and groups its parts were merged. The rules by which rows are one run are those of the import
(`inquest.bundle.imports._slurm_runs`).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.bundle.schema import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Row = dict[str, Any]
    Key = tuple[str, str, str, int]

TABLES: Final = frozenset({"slurm_jobs", "slurm_steps"})
_IMPORTED: Final = "import-"
"""How names of imports begin: an import has joined its own rows already, and may hold the accounting of a cluster."""
_MOST_ROWS: Final = 200_000
"""With more rows of recorded jobs, all stay: no job of one bundle has so many."""
_OWN: Final = frozenset(column.name for column in IDENTITY)
_MARK: Final = "\0key"
_RECORDING: Final = ("node", "capture", "boot_id")
NAMES: Final = ("job_id_raw", "job_id")
"""Columns that name the job."""
_JOB: Final = pl.coalesce(NAMES)
"""The controller's number of the job, by which all witnesses know it."""


class ToldOnce:
    """A table of runs, each told once.

    Args:
        tellings: Gives all rows of the table, of the columns it is asked for; called anew for each pass.
        schema: The stored columns of the table.
    """

    def __init__(self, tellings: Callable[[Sequence[str]], Iterable[pl.DataFrame]], schema: pl.Schema) -> None:
        self._tellings = tellings
        self._schema = schema

    @cached_property
    def runs(self) -> pl.DataFrame:
        """One row for each run of the jobs that several told of, or whose state one recorder followed."""
        jobs = self._jobs
        if jobs.is_empty():
            return pl.DataFrame(schema=self._schema)
        rows: list[Row] = []
        for frame in self._tellings(list(self._schema)):
            rows += frame.filter(_JOB.is_in(jobs.implode())).to_dicts()
        return pl.DataFrame(_joined(rows), schema=self._schema, orient="row")

    def others(self, tellings: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """``tellings`` that ``runs`` does not tell; they have the columns by which jobs are told apart."""
        for frame in tellings:
            yield frame if self._jobs.is_empty() else frame.filter(~_JOB.is_in(self._jobs.implode()).fill_null(False))

    @cached_property
    def _jobs(self) -> pl.Series:
        """Jobs that a recorder tells of, or more than one import."""
        told = pl.DataFrame(schema={**{name: pl.String() for name in (*_RECORDING, "job")}, "n": pl.UInt32()})
        for frame in self._tellings([*_RECORDING, *NAMES]):
            here = frame.group_by(*_RECORDING, job=_JOB).agg(n=pl.len().cast(pl.UInt32))
            told = pl.concat([told, here]).group_by(*_RECORDING, "job").agg(pl.col("n").sum())
        recorded = ~pl.col("capture").str.starts_with(_IMPORTED)
        jobs = (
            told.drop_nulls("job")
            .group_by("job")
            .agg((recorded.any() | (pl.len() > 1)).alias("joined"), pl.col("n").sum())
            .filter("joined")
        )
        return (jobs if jobs["n"].sum() <= _MOST_ROWS else jobs.clear())["job"]


def _joined(rows: list[Row]) -> list[Row]:
    """One row a run, in the order of identities; it depends on the set of ``rows`` alone."""
    from inquest.bundle.imports._slurm_runs import one_row_a_run

    # Who saw the run longest knows most of it; of equals, the later row of a recorder.
    rows.sort(key=lambda row: (-(row["elapsed_s"] or 0), *_key(row)[:3], -row["seq"]))
    given = {_key(row): row for row in rows}
    bare = [{name: value for name, value in row.items() if name not in _OWN} | {_MARK: _key(row)} for row in rows]
    told = {row.pop(_MARK): row for row in one_row_a_run(bare)}
    return [given[key] | told[key] for key in sorted(told)]


def _key(row: Row) -> Key:
    return row["node"], row["capture"], row["boot_id"] or "", row["seq"]
