"""A store straight from files: logs, directories of them, pipes, and whatever else is known, without a bundle.

Small input stays in memory; large input goes through private temporary files, so that memory does not grow with a log.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle import hostlist
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.rows import UNKNOWN_NODE
from inquest.bundle.scan import TS
from inquest.bundle.schema import NOT_THE_RUN
from inquest.bundle.store import MemoryStore, StoreInfo

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from inquest.bundle.imports.reports import Imported, ImportReport

NODE = UNKNOWN_NODE


class ImportedStore(MemoryStore):
    """A store over imported files. Rows of large input lie in temporary files until the process ends.

    ``report`` says what became of every file.
    """

    def __init__(self, imported: Imported) -> None:
        rows, self.report = imported.rows, imported.report
        kept = {table: rows.collect(table, self.report.capture) for table in rows.tables()}
        super().__init__({table: frame for table, frame in kept.items() if frame is not None}, _info(imported))
        self._large = {table: rows.scan(table, self.report.capture) for table, frame in kept.items() if frame is None}
        self._tables = rows.tables()

    report: ImportReport

    def tables(self) -> tuple[str, ...]:
        """Names of the recorded tables that have rows, in the order of the schema."""
        return self._tables

    def scan(self, table: str) -> pl.LazyFrame:
        """Rows of a known table; see ``Store.scan``."""
        large = self._large.get(table)
        return super().scan(table) if large is None else large.with_columns(pl.col("ts_ns").cast(TS).alias("ts"))


def import_logs(
    paths: Sequence[str | os.PathLike[str]],
    *,
    exit_code: int | None = None,
    signal: int | None = None,
    utc_offset_minutes: int | None = None,
    overrides: Sequence[str] = (),
) -> ImportedStore:
    """Read files into a store; see `inquest.bundle.imports.core.import_paths` for arguments and errors.

    ``ts_ns`` of a line without a clock is that of the last clock above it in its source.
    """
    return ImportedStore(
        import_paths(
            paths, exit_code=exit_code, signal=signal, utc_offset_minutes=utc_offset_minutes, overrides=overrides
        )
    )


def job_waited_for(store: ImportedStore, paths: Sequence[str | os.PathLike[str]]) -> ImportedStore | None:
    """The job that the scheduler made this one wait for, where its log lay beside and was left out as another job's.

    None where nothing says that it waited, or several logs were left out and none is named.
    """
    none = pl.lit(None, pl.String)
    jobs = pl.concat(
        store.scan(table).select(none.alias("reason") if table == "job_scripts" else "reason", "dependency").collect()
        for table in ("slurm_jobs", "job_scripts")
    )
    if not ((jobs["reason"] == "Dependency") | jobs["dependency"].is_not_null()).any():
        return None
    named = " ".join(jobs["dependency"].drop_nulls())
    others = [
        (found[1], file.name) for file in store.report.files if (found := _OTHERS_LOG.fullmatch(file.reason or ""))
    ]
    others = [each for each in others if each[0] in re.findall(r"[\d_+]+", named)] or others
    places = [place for path in paths for place in (Path(path), Path(path).parent) if str(path) != "-"]
    logs = [place / others[0][1] for place in places if len(others) == 1]
    log = next((log for log in logs if log.is_file()), None)
    return None if log is None else import_logs([log])


_OTHERS_LOG: Final = re.compile(r"the log of job ([\w.+-]{1,40})")
"""How ``inquest.bundle.imports.chosen`` says why a log was left out."""


def _info(imported: Imported) -> StoreInfo:
    rows = imported.rows
    nodes = rows.all_nodes()
    start, end = rows.span(without=NOT_THE_RUN)
    lists = {text for frame in rows.frames("slurm_jobs", "node_list") for text in frame["node_list"].drop_nulls()}
    return StoreInfo(
        content_digest=imported.report.capture,
        job_id=imported.report.job_id,
        nodes=nodes,
        start_ns=start,
        end_ns=end,
        # Nothing tells how far the clocks of two hosts are apart: no order between them is claimed.
        offline_bound_ns=dict.fromkeys(nodes),
        manifest={"missing_nodes": hostlist.absent(lists, nodes)},
    )
