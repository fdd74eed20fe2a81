"""What happened per second: growth of what a source counts up since boot, and what it counted tick by tick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle.by_node import by_node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from inquest.analyze.evidence import Evidence

SECOND: Final = 1e9

LAUNCH: Final = pl.col("api").cast(pl.String).str.contains("Launch", literal=True)
"""Rows of ``cuda_calls`` that count launches."""

TOLD_BY_DRIVER: Final = "launches of the runtime end in the driver's and are counted there"
"""What a recorder says in ``collection`` once it has seen that. Until then it counts such a launch at both."""


def calls_once(evidence: Evidence) -> Callable[[pl.LazyFrame], pl.LazyFrame]:
    """What leaves of rows of ``cuda_calls`` each launch once: at the driver where it was seen that all end there."""
    said = pl.col("detail").cast(pl.String).str.contains(TOLD_BY_DRIVER, literal=True)
    at_driver = evidence.scan("collection").filter(pl.col("collector").cast(pl.String) == "cuda_calls", said)
    twice = at_driver.select("node", "capture").unique().collect()
    if twice.is_empty():
        return lambda rows: rows
    of_runtime = LAUNCH & pl.col("api").cast(pl.String).str.starts_with("cuda")
    recorded = pl.struct("node", "capture").is_in(twice.select(pl.struct("node", "capture")).to_series().implode())
    return lambda rows: rows.filter(~(of_runtime & recorded).fill_null(value=False))


def rates(ends: pl.LazyFrame, of: Sequence[str]) -> pl.LazyFrame:
    """Mean growth per second from one stretch of time to the next, all parts of a series added up.

    Args:
        ends: The columns ``of``, ``part`` (a number for each thing that counts: a link of a GPU, say), ``bucket``
            (which stretch), ``x`` (ns) and ``y`` (counted up), the last two without nulls: the last reading of each
            stretch, part by part and in order of time.
        of: Columns that tell series apart, each of one part or several that are added up.

    Returns:
        The columns ``of``, ``x`` and ``y`` (per second). The first stretch has nothing before it, and where a counter
        fell it was reset: neither gives a rate.
    """
    grown = ends.with_columns(pl.col("x", "y", "part").diff().name.prefix("d"))
    return (
        grown.filter((pl.col("dpart") == 0) & (pl.col("dx") > 0) & (pl.col("dy") >= 0))
        .group_by(*of, "bucket")
        .agg(x=pl.col("x").max(), y=(pl.col("dy") * SECOND / pl.col("dx")).sort().sum())
        .select(*of, "x", "y")
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """What is added up of rows that tell of the time before them.

    Attributes:
        value: The column that is added up.
        where: Rows that count.
    """

    value: str
    where: pl.Expr | None = None


def tallied(
    evidence: Evidence,
    table: str,
    tallies: Sequence[Tally],
    of: Sequence[str],
    low: int,
    width: int,
    rows: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda rows: rows,
) -> list[pl.DataFrame]:
    """What was counted in a stretch of time over the time it was counted in; all in one pass, a few nodes at a time.

    Args:
        evidence: Where ``table`` is.
        table: A table with ``ts_ns`` (when the row was written) and ``duration_ns`` (how long it counted until then).
        tallies: What to add up.
        of: Columns that tell series apart.
        low: Where the first stretch begins, in ns.
        width: Length of a stretch, in ns; at least 1.
        rows: Leaves rows out.

    Returns:
        For each of ``tallies`` the columns ``of``, ``x`` (ns) and ``y`` (per second), ordered. Time that a row without
        a ``count`` tells of was not counted in, and is left out.
    """
    keys = dict.fromkeys(("node", *of))
    named = {"x": pl.col("ts_ns"), "lasted": pl.col("duration_ns")}
    names = {name for each in tallies if each.where is not None for name in each.where.meta.root_names()}
    names |= {"ts_ns", "duration_ns", *(each.value for each in tallies), *keys}

    def sums(scan: pl.LazyFrame) -> pl.LazyFrame:
        held = rows(scan).filter(pl.col("ts_ns").is_not_null() & (pl.col("duration_ns") > 0)).select(sorted(names))
        read = held.collect().lazy()
        parts = []
        for at, each in enumerate(tallies):
            told = (read if each.where is None else read.filter(each.where)).select(
                *keys, **named, y=pl.col(each.value).cast(pl.Float64), bucket=(pl.col("ts_ns") - low) // width
            )
            counted = (
                told.drop_nulls("y")
                .group_by(*keys, "bucket")
                .agg(_added(), pl.col("x").min().alias("first"), pl.col("x", "lasted").max())
            )
            rests = told.filter(pl.col("y").is_null() & pl.lit(each.value == "count"))
            parts.append(_rested(rests, counted, (*keys, "bucket")).with_columns(tally=pl.lit(at)))
        return pl.concat(parts)

    found = by_node(evidence.store, table, sums)
    return [_over_time(found.filter(pl.col("tally") == at), of) for at in range(len(tallies))]


def _added() -> pl.Expr:
    return pl.col("y").round().cast(pl.Int128).sum()


def _rested(rests: pl.LazyFrame, counted: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """The sums, and how long between their first row and their last nothing was counted (``rested``)."""
    once = rests.unique([*keys, "x", "lasted"])  # one for all that was not counted then
    between = once.join(counted.select(*keys, "first"), on=list(keys), nulls_equal=True)
    rested = between.filter(pl.col("x") > pl.col("first")).group_by(*keys).agg(rested=pl.col("lasted").sum())
    return counted.join(rested, on=list(keys), how="left", nulls_equal=True)


def _over_time(sums: pl.DataFrame, of: Sequence[str]) -> pl.DataFrame:
    """The sums of nodes as rates of series."""
    longest = pl.col("x", "lasted", "rested").max()
    summed = sums.group_by(*of, "bucket").agg(pl.col("y").sum(), pl.col("first").min(), longest)
    span = pl.col("x") - pl.col("first") + pl.col("lasted")
    covered = pl.max_horizontal(span - pl.col("rested").fill_null(0), "lasted")
    return summed.select(*of, "x", y=pl.col("y").cast(pl.Float64) * SECOND / covered).sort(*of, "x", nulls_last=True)
