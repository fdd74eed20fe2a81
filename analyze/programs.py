"""How single processes of a job left: a script, a pipe or a loader's parent has a status of its own."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Any, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.bundle.store import Store

RUNS: Final = r"^(?:\S{0,300}/)?python[0-9.]{0,8} (?:-[a-zA-Z]{1,3} )*([^\s-]\S*)"
"""A program of Python's, by its file or its module."""
TRAINS: Final = re.compile(
    r"(?i)train|fit|tun(?:e|ing)|torchrun|accelerate|deepspeed|mpirun|srun|main|run|learn|sft|lora|grpo|dpo|pretr|model|job"
)
"""A part of the names that programs and commands have which train."""
TIMEOUT_STATUS: Final = 124
"""Exit status of timeout(1) when its limit was reached."""
TIMED_OUT: Final = (
    r"TimeoutExpired: Command .{0,300}\b(?:pre)?(?:train|fit|fine_?tun|tun|learn|main|run)\w{0,40}\.(?:py|sh)\b"
    r".{0,300} timed out after [\d.]+ seconds"
)
"""What ``subprocess`` raises where a script ends the training that it runs at a limit of its own."""
_LONG: Final = 0.5
"""Part of the longest life of a program beyond which another one may be what trains."""
FAULTS: Final = frozenset(
    {signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGSYS}
)
"""Signals by which no script ends a helper in order."""
_READ_LATE_NS: Final = 10_000_000_000
"""What was printed before an end may be read after it."""
_WENT_ON: Final = 3
"""Reports of a training that went on."""
_WELL: Final = (pl.col("exit_code").fill_null(0) == 0) & ~pl.col("term_signal").is_in(FAULTS).fill_null(value=False)


def failed_program(store: Store, forgiven: Sequence[int] = (), since_ns: int | None = None) -> dict[str, Any] | None:
    """The row of ``processes`` by which the longest running program of Python's left with an error, or of a fault.

    None where any program that ran for about as long, or the same one anew, left well at last. The row bears
    ``program``, the name of its file.

    Args:
        store: The recorded tables.
        forgiven: Exit codes that whoever ran the programs ignored,
        since_ns: of those that it began after this.
    """
    ends = _ends(store)
    if forgiven and since_ns is not None:
        ends = ends.filter(
            ~(pl.col("exit_code").is_in(list(forgiven)) & (pl.col("began") > since_ns)).fill_null(value=False)
        )
    last = ends.unique("program", keep="last", maintain_order=True)
    last = last.filter(pl.col("life") >= _LONG * pl.col("life").max())
    if last.is_empty() or last.select(_WELL.any()).item():
        return None
    return last.sort("life", "program", descending=[True, False]).row(0, named=True)


def all_left_well(store: Store) -> bool:
    """Whether programs of Python's ran, and each of them left with 0."""
    ends = _ends(store)
    return not ends.is_empty() and bool((ends["exit_code"] == 0).fill_null(value=False).all())


def _ends(store: Store) -> pl.DataFrame:
    """Rows of ``processes`` by which programs of Python's left, in order, with ``program``, its name, and ``life``."""
    told = store.scan("processes").filter(
        pl.col("event").is_in(["start", "exit"]) & pl.col("role").ne_missing("outside")
    )
    rows = told.sort("ts_ns", "node", "seq", nulls_last=True, maintain_order=True).collect()
    process = ["node", "capture", "pid"]
    rows = rows.with_columns(
        program=pl.col("argv").str.extract(RUNS).str.split("/").list.last().forward_fill().over(process),
        began=pl.col("ts_ns").min().over(process),
    )
    return rows.filter(
        (pl.col("event") == "exit")
        & pl.col("program").is_not_null()
        & pl.any_horizontal(pl.col("exit_code", "term_signal").is_not_null())
    ).with_columns(life=(pl.col("ts_ns") - pl.col("began")).max().over("program"))


def killed_worker(store: Store, reported: pl.Series) -> dict[str, Any] | None:
    """The row of ``processes`` by which the first worker of a program that failed was ended by a signal of a fault.

    A worker is a process that the program made of itself. None where a process of the job sent the signal to another,
    or a worker was begun in its place, or training went on without it.

    Args:
        store: The recorded tables.
        reported: When progress was reported.
    """
    told = store.scan("processes").filter(
        pl.col("event").is_in(["start", "exit", "signal"]) & pl.col("role").ne_missing("outside")
    )
    rows = told.sort("ts_ns", "node", "seq", nulls_last=True, maintain_order=True).collect()
    task = rows.filter(pl.col("role") == "task")
    failed = task.filter((pl.col("event") == "exit") & (pl.col("exit_code") > 0))
    lines, commands = task["argv"].drop_nulls().implode(), task["command"].drop_nulls().implode()
    own = pl.col("argv").is_in(lines) | pl.col("argv").str.contains("spawn_main", literal=True)
    own |= pl.col("argv").is_null() & pl.col("command").is_in(commands)
    started = rows.filter(pl.col("event") == "start")
    parents = started.select("node", ppid="pid", above="argv").drop_nulls().unique(["node", "ppid"])
    forked = (pl.col("argv") == pl.col("above")).fill_null(value=False)
    begun = started.join(parents, on=["node", "ppid"], how="left", maintain_order="left").filter(
        (pl.col("role") == "other") & (own | forked)
    )
    ended = rows.filter((pl.col("event") == "exit") & pl.col("term_signal").is_in(FAULTS)).join(
        begun, on=["node", "pid"], how="semi"
    )
    until = failed["ts_ns"].max()
    first = next((row for row in ended.iter_rows(named=True) if until is not None and row["ts_ns"] < until), None)
    # What is noted of a start comes late; the kernel's own number of it does not.
    if first is None or begun.filter(pl.col("start_mono_ns") > first["ts_mono_ns"]).height:
        return None
    if reported.drop_nulls().filter(reported.drop_nulls() > first["ts_ns"] + _READ_LATE_NS).n_unique() >= _WENT_ON:
        return None
    here = (pl.col("event") == "signal") & (pl.col("node") == first["node"]) & (pl.col("pid") == first["pid"])
    # Who is told to end when it is dead, as daemons are by the program that leaves, did not die of that.
    by_another = pl.col("sender_in_job") & (pl.col("sender_pid") != first["pid"])
    by_another &= pl.col("signal") == first["term_signal"]
    if rows.filter(here & by_another).height:
        return None
    # Its pipes close, and its parent may speak, before its end is noted.
    struck = rows.filter(here & (pl.col("signal") == first["term_signal"]) & (pl.col("ts_ns") <= first["ts_ns"]))
    return first if struck.is_empty() else {**first, "ts_ns": struck["ts_ns"][-1]}


def bad_end(store: Store, node: str, pids: Sequence[int]) -> dict[str, Any] | None:
    """The row of ``processes`` by which the first of some processes left with an error or by a signal."""
    bad = pl.col("term_signal").is_not_null() | (pl.col("exit_code") != 0)
    mine = (pl.col("event") == "exit") & (pl.col("node") == node) & pl.col("pid").is_in(list(pids))
    rows = store.scan("processes").filter(mine & bad).sort("ts_ns", "seq", nulls_last=True).head(1).collect()
    return None if rows.is_empty() else rows.row(0, named=True)
