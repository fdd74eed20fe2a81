"""What was recorded of the processes whose output a log holds: which program they ran, and how they left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import polars as pl

from inquest.analyze.programs import RUNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inquest.bundle.store import Store

_T = TypeVar("_T")

_PROGRAM: Final = pl.col("argv").str.extract(rf"{RUNS}(?:\s|$)").str.extract(r"([^/]+\.py)$")
"""Name of the file that Python itself runs."""
_ARTIFACT: Final = "artifact-"


def ended_badly(store: Store) -> bool:
    """The job is known to have ended with an error or by a signal."""
    bad = pl.col("term_signal").is_not_null() | (pl.col("exit_code") != 0)
    rows = store.scan("processes").filter((pl.col("event") == "exit") & (pl.col("role") == "task") & bad)
    return rows.head(1).collect().height > 0


def ended_well(store: Store) -> bool:
    """The job is known to have ended with status 0."""
    rows = store.scan("processes").filter(
        (pl.col("event") == "exit") & (pl.col("role") == "task") & (pl.col("exit_code") == 0)
    )
    return rows.head(1).collect().height > 0


def programs(store: Store) -> dict[tuple[str, str], str]:
    """Name of the program by node and capture, where the wrapped command is Python itself and no launcher or shell."""
    rows = (
        store.scan("processes")
        .filter((pl.col("event") == "start") & (pl.col("role") == "task"))
        .select("node", "capture", program=_PROGRAM)
        .drop_nulls()
    )
    return {(node, capture): name for node, capture, name in rows.collect().iter_rows()}


def of_capture(of: Mapping[tuple[str, str], _T], place: tuple[str, str, str | None]) -> _T | None:
    """What was recorded of the capture that a line is of; of a file that the job wrote, that of its node."""
    here = [value for (node, _), value in of.items() if node == place[0]]
    return of.get(place[:2], here[0] if len(here) == 1 and str(place[2]).startswith(_ARTIFACT) else None)


def only_programs(store: Store) -> dict[tuple[str, str], str]:
    """Name by node and capture of the one program of Python's that the command runs, itself or by a shell.

    What a program of Python's starts is none of them; where several ranks run, one may go on for a while alone.
    """
    told = store.scan("processes").filter((pl.col("event") == "start") & pl.col("role").ne_missing("outside"))
    here = ["node", "capture"]
    rows = told.select(*here, "pid", "ppid", "role", program=_PROGRAM).collect()
    rows = rows.join(rows.filter(pl.col("role") == "rank"), on=here, how="anti").drop_nulls("program")
    tops = rows.join(rows, left_on=[*here, "ppid"], right_on=[*here, "pid"], how="anti")
    alone = tops.group_by(here).agg(pl.col("program").unique()).filter(pl.col("program").list.len() == 1)
    return {(node, capture): names[0] for node, capture, names in alone.iter_rows()}


def left_with(store: Store, code: int) -> dict[tuple[str, str], tuple[int, ...]]:
    """When processes of a program of Python's left with a status, by node and the program's name."""
    told = store.scan("processes").filter(
        pl.col("event").is_in(["start", "exit"]) & pl.col("role").ne_missing("outside")
    )
    rows = told.select("node", "pid", "event", "exit_code", "ts_ns", program=_PROGRAM).collect()
    started = rows.drop_nulls("program").unique(["node", "pid"], keep="last", maintain_order=True)
    left = rows.filter((pl.col("event") == "exit") & (pl.col("exit_code") == code)).drop_nulls("ts_ns")
    ends = left.join(started.select("node", "pid", name="program"), on=["node", "pid"]).sort("node", "name", "ts_ns")
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    for node, name, at in ends.select("node", "name", "ts_ns").iter_rows():
        found[node, name] = (*found.get((node, name), ()), at)
    return found


def tried_again(store: Store) -> dict[tuple[str, str, str], tuple[tuple[int, bool], ...]]:
    """When a program left with 1, in order, and whether it was started anew since; by node, capture and its name.

    A script that tries again starts the program when the attempt before has ended. Ranks are their launcher's to start.
    """
    here = ["node", "capture"]
    told = store.scan("processes").filter(pl.col("event").is_in(["start", "exit"]) & pl.col("ts_ns").is_not_null())
    rows = told.select(*here, "pid", "event", "role", "exit_code", "ts_ns", program=_PROGRAM).sort("ts_ns").collect()
    rows = rows.join(rows.filter(pl.col("role") == "rank"), on=here, how="anti")
    started = rows.filter(pl.col("event") == "start").drop_nulls("program")
    latest = started.group_by(*here, "program").agg(begun=pl.col("ts_ns").max())
    left = rows.filter((pl.col("event") == "exit") & (pl.col("exit_code") == 1)).select(*here, "pid", "ts_ns")
    named = started.unique([*here, "pid"], keep="last").select(*here, "pid", "program")
    ends = left.join(named, on=[*here, "pid"]).join(latest, on=[*here, "program"]).sort("ts_ns")
    found: dict[tuple[str, str, str], tuple[tuple[int, bool], ...]] = {}
    for node, capture, name, at, begun in ends.select(*here, "program", "ts_ns", "begun").iter_rows():
        key = (node, capture, name)
        found[key] = (*found.get(key, ()), (at, begun > at))
    return found
