"""Which program of a job's ran for the longest time, and how it left: a script or a pipe has a status of its own."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.bundle.store import Store

_RUNS: Final = r"^(?:\S{0,300}/)?python[0-9.]{0,8} (?:-[a-zA-Z]{1,3} )*([^\s-]\S*)"
"""A program of Python's, by its file or its module."""
_LONG: Final = 0.5
"""Part of the longest life of a program beyond which another one may be what trains."""
FAULTS: Final = frozenset(
    {signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGSYS}
)
"""Signals by which no script ends a helper in order."""


def failed_program(store: Store) -> dict[str, Any] | None:
    """The row of ``processes`` by which the longest running program of Python's left with an error, or of a fault.

    None where any program that ran for about as long, or the same one anew, left well at last. The row bears
    ``program``, the name of its file.
    """
    if "processes" not in store.tables():
        return None
    told = store.scan("processes").filter(
        pl.col("event").is_in(["start", "exit"]) & pl.col("role").ne_missing("outside")
    )
    rows = told.sort("ts_ns", "node", "seq", nulls_last=True, maintain_order=True).collect()
    process = ["node", "capture", "pid"]
    rows = rows.with_columns(
        program=pl.col("argv").str.extract(_RUNS).str.split("/").list.last().forward_fill().over(process),
        began=pl.col("ts_ns").min().over(process),
    )
    ends = rows.filter(
        (pl.col("event") == "exit")
        & pl.col("program").is_not_null()
        & pl.any_horizontal(pl.col("exit_code", "term_signal").is_not_null())
    ).with_columns(life=(pl.col("ts_ns") - pl.col("began")).max().over("program"))
    last = ends.unique("program", keep="last", maintain_order=True)
    last = last.filter(pl.col("life") >= _LONG * pl.col("life").max())
    well = (pl.col("exit_code").fill_null(0) == 0) & ~pl.col("term_signal").is_in(FAULTS).fill_null(value=False)
    if last.is_empty() or last.select(well.any()).item():
        return None
    return last.sort("life", "program", descending=[True, False]).row(0, named=True)
