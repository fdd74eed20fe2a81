"""Growth per second of what a source counts up since boot."""

from __future__ import annotations

from typing import Final

import polars as pl

SECOND: Final = 1e9


def rates(readings: pl.LazyFrame, low: int, width: int) -> pl.LazyFrame:
    """Mean growth per second between the last readings of neighbouring stretches, all parts of a series added up.

    Args:
        readings: Columns ``series``, ``part``, ``x`` (ns) and ``y`` (counted up), without nulls and NaN.
        low: Where the first stretch begins, in ns.
        width: Length of a stretch, in ns; at least 1.

    Returns:
        Columns ``series``, ``x`` and ``y`` (per second), ordered. The first reading has nothing before it, and where a
        counter fell it was reset: neither gives a rate.
    """
    of = ("series", "part")
    last = readings.group_by(*of, bucket=(pl.col("x") - low) // width).agg(
        x=pl.col("x").max(), y=pl.col("y").sort_by("x", "y").last()
    )
    grown = last.sort(*of, "x").with_columns(pl.col("x", "y").diff().over(of).name.prefix("d"))
    risen = grown.filter((pl.col("dx") > 0) & (pl.col("dy") >= 0))
    return (
        risen.group_by("series", "bucket")
        .agg(x=pl.col("x").max(), y=(pl.col("dy") * SECOND / pl.col("dx")).sort().sum())
        .select("series", "x", "y")
        .sort("series", "x")
    )
