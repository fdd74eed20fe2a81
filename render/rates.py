"""What happened per second: growth of what a source counts up since boot, and what it counted tick by tick."""

from __future__ import annotations

from typing import Final

import polars as pl

SECOND: Final = 1e9


def rates(readings: pl.LazyFrame, low: int, width: int) -> pl.DataFrame:
    """Mean growth per second from one stretch of time to the next, all parts of a series added up.

    Args:
        readings: Columns ``series``, ``part``, ``x`` (ns) and ``y`` (counted up), without nulls and NaN.
        low: Where the first stretch begins, in ns.
        width: Length of a stretch, in ns; at least 1.

    Returns:
        Columns ``series``, ``x`` and ``y`` (per second), ordered. The first stretch has nothing before it, and where a
        counter fell it was reset: neither gives a rate.
    """
    of = ("series", "part")
    # What only grows is greatest at the end of a stretch; one that was reset within it is so until then.
    last = readings.group_by(*of, bucket=(pl.col("x") - low) // width).agg(pl.col("x", "y").max())
    held = last.collect(engine="streaming").sort(*of, "x")
    grown = held.with_columns(pl.col("x", "y").diff().over(of).name.prefix("d"))
    return (
        grown.filter((pl.col("dx") > 0) & (pl.col("dy") >= 0))
        .group_by("series", "bucket")
        .agg(x=pl.col("x").max(), y=(pl.col("dy") * SECOND / pl.col("dx")).sort().sum())
        .select("series", "x", "y")
        .sort("series", "x")
    )


def tallied(rows: pl.LazyFrame, low: int, width: int) -> pl.DataFrame:
    """What was counted in a stretch of time over the time it was counted in.

    Args:
        rows: Columns ``series``, ``x`` (ns, when the row was written), ``y`` (counted in the time before it) and
            ``lasted`` (how long that was, ns), without nulls.
        low: Where the first stretch begins, in ns.
        width: Length of a stretch, in ns; at least 1.

    Returns:
        Columns ``series``, ``x`` and ``y`` (per second), ordered.
    """
    counted = rows.filter(pl.col("lasted") > 0).group_by("series", bucket=(pl.col("x") - low) // width)
    summed = counted.agg(
        y=pl.col("y").round().cast(pl.Int128).sum().cast(pl.Float64),
        first=pl.col("x").min(),
        x=pl.col("x").max(),
        lasted=pl.col("lasted").max(),
    ).collect(engine="streaming")
    covered = pl.col("x") - pl.col("first") + pl.col("lasted")
    return summed.select("series", "x", y=pl.col("y") * SECOND / covered).sort("series", "x")
