"""What happened per second: growth of what a source counts up since boot, and what it counted tick by tick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.evidence import Evidence

SECOND: Final = 1e9

LAUNCH: Final = pl.col("api").cast(pl.String).str.contains("Launch")
"""Rows of ``cuda_calls`` that count launches."""

TOLD_BY_DRIVER: Final = "launches of the runtime end in the driver's and are counted there"
"""What a recorder says in ``collection`` once it has seen that. Until then it counts such a launch at both."""


def calls_once(evidence: Evidence) -> pl.LazyFrame:
    """Rows of ``cuda_calls`` in which each launch counts once: at the driver where it was seen that all end there."""
    said = pl.col("detail").cast(pl.String).str.contains(TOLD_BY_DRIVER, literal=True)
    at_driver = evidence.scan("collection").filter(pl.col("collector").cast(pl.String) == "cuda_calls", said)
    twice = at_driver.select("node", "capture").unique().with_columns(api_of=pl.lit("cuda"))
    rows = evidence.scan("cuda_calls").with_columns(
        api_of=pl.when(LAUNCH).then(pl.col("api").cast(pl.String).str.head(4))
    )
    return rows.join(twice, on=["node", "capture", "api_of"], how="anti").drop("api_of")


def rates(ends: pl.DataFrame, of: Sequence[str], parts: Sequence[str]) -> pl.DataFrame:
    """Mean growth per second from one stretch of time to the next, all parts of a series added up.

    Args:
        ends: The columns ``of`` and ``parts``, ``bucket`` (which stretch), ``x`` (ns) and ``y`` (counted up), these
            without nulls: the last reading of each stretch.
        of: Columns that tell series apart. They are named, not joined to one text: there may be a million rows.
        parts: Columns that tell apart what is added up to one series, such as links of a GPU.

    Returns:
        The columns ``of``, ``x`` and ``y`` (per second), ordered. The first stretch has nothing before it, and where a
        counter fell it was reset: neither gives a rate.
    """
    grown = (
        ends.sort("bucket")
        .group_by(*of, *parts)
        .agg("bucket", "x", pl.col("x", "y").diff().name.prefix("d"))
        .explode("bucket", "x", "dx", "dy")
    )
    return (
        grown.filter((pl.col("dx") > 0) & (pl.col("dy") >= 0))
        .group_by(*of, "bucket")
        .agg(x=pl.col("x").max(), y=(pl.col("dy") * SECOND / pl.col("dx")).sort().sum())
        .select(*of, "x", "y")
        .sort(*of, "x", nulls_last=True)
    )


def tallied(rows: pl.LazyFrame, of: Sequence[str], low: int, width: int) -> pl.DataFrame:
    """What was counted in a stretch of time over the time it was counted in.

    Args:
        rows: The columns ``of``, ``x`` (ns, when the row was written), ``y`` (counted in the time before it) and
            ``lasted`` (how long that was, ns), the last three without nulls.
        of: Columns that tell series apart.
        low: Where the first stretch begins, in ns.
        width: Length of a stretch, in ns; at least 1.

    Returns:
        The columns ``of``, ``x`` and ``y`` (per second), ordered.
    """
    counted = rows.filter(pl.col("lasted") > 0).group_by(*of, bucket=(pl.col("x") - low) // width)
    summed = counted.agg(
        y=pl.col("y").round().cast(pl.Int128).sum().cast(pl.Float64),
        first=pl.col("x").min(),
        x=pl.col("x").max(),
        lasted=pl.col("lasted").max(),
    ).collect(engine="streaming")
    covered = pl.col("x") - pl.col("first") + pl.col("lasted")
    return summed.select(*of, "x", y=pl.col("y") * SECOND / covered).sort(*of, "x", nulls_last=True)
