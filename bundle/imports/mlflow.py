"""MLflow: its folder of plain files (mlruns/EXPERIMENT/RUN/...) and its SQLite database (mlflow.db).

In the folder, one file holds one metric: lines of ``milliseconds value step``. Nothing in it says so, which is why
such a file counts only in a folder called ``metrics``; the metric's name is its path from there. Facts of the format:
mlflow/store/tracking/file_store.py, mlflow/entities/run_status.py, mlflow/store/tracking/dbmodels/models.py.
"""

from __future__ import annotations

import math
import re
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.errors import InputError
from inquest.bundle.imports._values import MAX_NAME, Row, batches, int64, nanoseconds, number, real, teller
from inquest.bundle.imports.settings import rows_of, set_to

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_METRIC_PATH: Final = re.compile(r"(?:(?:.*?/)??(?P<run>[^/]+)/)??metrics/(?P<metric>.+)")
_NOTE_PATH: Final = re.compile(r"(?:^|.*/)[0-9a-f]{32}/(?:tags|params)/[^/].*")
_LINE: Final = re.compile(
    rb"(?P<ms>\d{12,14}) (?P<value>[-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf))(?: (?P<step>-?\d{1,18}))?\r?\n?"
)
_META: Final = (
    re.compile(rb"^lifecycle_stage: ", re.MULTILINE),
    re.compile(rb"^(?:run_id|experiment_id): ", re.MULTILINE),
)
_STATUS: Final = {"RUNNING": 1, "SCHEDULED": 2, "FINISHED": 3, "FAILED": 4, "KILLED": 5}
"""mlflow.entities.RunStatus: the folder holds the number, the database the word."""
_SQLITE: Final = b"SQLite format 3\0"
_SECONDS: Final = 1e-3
_STEPS_OF_SQLITE: Final = 20_000_000
"""Thousands of SQLite's instructions a query may take: hours of metrics, but no endless recursion."""


@dataclass(frozen=True, slots=True)
class MLflow:
    """See the module."""

    name: str = "mlflow"
    title: str = "MLflow metrics (mlruns folder, mlflow.db)"
    tables: tuple[str, ...] = ("metrics",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """A database with MLflow's tables, a run's meta.yaml, or a metric's lines in a folder of metrics."""
        head = source.head
        if head.startswith(_SQLITE):
            return b"latest_metrics" in head and b"run_uuid" in head
        if all(key.search(head) for key in _META):
            return True
        if _METRIC_PATH.fullmatch(source.name):
            return _is_metric(head)
        return _NOTE_PATH.fullmatch(source.name) is not None

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """One row a value, and one ``run_status`` row a run, with MLflow's number of the status."""
        if source.head.startswith(_SQLITE):
            with source.as_file() as path:
                if source.head[18:20] == b"\2\2":
                    context.warn("The database keeps its latest rows in a file of its own (-wal), which was not read.")
                yield from batches(_of_database(path, source.name, context))
        elif all(key.search(source.head) for key in _META):
            yield from batches(_of_meta(source.head.decode("utf-8", errors="replace")))
        elif _is_metric(source.head):
            yield from batches(_of_lines(source, context))
        elif rows := _of_param(source):
            yield "metrics", rows
        else:
            context.warn("Tags and parameters of a run are no metrics: nothing was taken from them.")


def _of_param(source: Source) -> list[Row]:
    """What a parameter of a run says of how long it was to train."""
    run, kind, name = ["", "", *source.name.split("/")][-3:]
    told = set_to(name, source.head[:MAX_NAME].decode("utf-8", "replace")) if kind == "params" else None
    return [] if told is None else rows_of([told], run)


def _is_metric(head: bytes) -> bool:
    lines = head.splitlines(keepends=True)
    whole = lines if lines and lines[-1].endswith(b"\n") else lines[:-1]
    return bool(whole) and all(_LINE.fullmatch(line) for line in whole)


def _of_lines(source: Source, context: Context) -> Iterator[Row]:
    path = _METRIC_PATH.fullmatch(source.name)
    run, name = (path["run"], path["metric"]) if path else (None, source.name.rpartition("/")[2])
    about = {**teller(source, "mlflow", run), "name": name[:MAX_NAME]}
    rest = b""
    for chunk in source.chunks():
        lines = (rest + chunk).splitlines(keepends=True)
        rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            row = _of_line(line)
            if row is None:
                context.refuse("line is no value of a metric")
            else:
                yield {**about, **row}
        if len(rest) > 1 << 16:
            context.warn("A line without an end: the rest of the file was not read.")
            return
    if rest:
        context.refuse("line at the end of the file is torn")


def _of_line(line: bytes) -> Row | None:
    told = _LINE.fullmatch(line)
    value = number(told["value"].decode()) if told else None
    if told is None or value is None:
        return None
    step = told["step"]
    return {
        "ts_ns": nanoseconds(int(told["ms"]) * _SECONDS),
        "step": None if step is None else int(step),
        "value": value,
    }


def _of_meta(text: str) -> Iterator[Row]:
    """The status of a run; an experiment has none."""
    keys = dict(re.findall(r"^(\w+): ([^\n]*)$", text, re.MULTILINE))
    run, status = keys.get("run_id"), number(keys.get("status", ""))
    if run and status is not None:
        yield _status(run.strip("'\" "), status, number(keys.get("end_time", "")))


def _status(run: str, status: float, end_ms: float | None) -> Row:
    ended = None if end_ms is None else nanoseconds(end_ms * _SECONDS)
    return {
        "framework": "mlflow",
        "run": run[:MAX_NAME],
        "ts_ns": ended,
        "step": None,
        "name": "run_status",
        "value": status,
    }


def _of_database(path: Path, shown: str, context: Context) -> Iterator[Row]:
    """Rows of the two tables that matter; a database of a stranger is opened for reading only, without its code."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            database.execute("PRAGMA cell_size_check = ON")
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 20)
            database.set_progress_handler(_budget(), 1000)
            database.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
            # Views and virtual tables run code of the stranger's choice: only tables with pages of their own are read.
            own = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
            tables = {name for (name,) in database.execute(own)}
            if "metrics" not in tables:
                raise InputError(f"{shown}: holds no table of metrics, so it is no database of MLflow.")
            columns = {row[1] for row in database.execute("PRAGMA table_info(metrics)")}
            optional = ", ".join(name if name in columns else "NULL" for name in ("step", "is_nan"))
            query = f"SELECT key, value, timestamp, run_uuid, {optional} FROM metrics"
            for row in database.execute(query):
                told = _of_record(*row)
                if told is None:
                    context.refuse("row is no value of a metric")
                else:
                    yield told
            if "params" in tables:
                for run, name, value in database.execute("SELECT run_uuid, key, value FROM params"):
                    if isinstance(run, str) and isinstance(name, str) and (was := set_to(name, value)) is not None:
                        yield from rows_of([was], run[:MAX_NAME])
            if "runs" in tables:
                for run, status, end_ms in database.execute("SELECT run_uuid, status, end_time FROM runs"):
                    if isinstance(run, str) and status in _STATUS:
                        yield _status(run, _STATUS[status], real(end_ms))
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the module decodes names of columns and errors by itself
        context.warn(f"The database is damaged or took too long ({error}): what came before that was read.")


def _of_record(key: object, value: object, ms: object, run: object, step: object, is_nan: object) -> Row | None:
    told, when = real(value), real(ms)
    if not isinstance(key, str) or not isinstance(run, str) or told is None or not key or len(key) > MAX_NAME:
        return None
    if is_nan:
        told = math.nan
    elif abs(told) >= sys.float_info.max:  # MLflow stores infinities as the largest float
        told = math.copysign(math.inf, told)
    return {
        "framework": "mlflow",
        "run": run[:MAX_NAME],
        "ts_ns": None if when is None else nanoseconds(when * _SECONDS),
        "step": int64(step),
        "name": key,
        "value": told,
    }


def _budget() -> Any:  # noqa: ANN401  a callback of sqlite3
    left = _STEPS_OF_SQLITE

    def spent() -> int:
        nonlocal left
        left -= 1
        return int(left < 0)

    return spent


KIND: Final = MLflow()
