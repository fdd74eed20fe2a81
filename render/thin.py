"""Reducing many readings to few without losing their extremes."""

from __future__ import annotations

import polars as pl


def extremes(readings: pl.LazyFrame, low: int, width: int) -> pl.LazyFrame:
    """Of every series, the least and the greatest reading of each stretch of ``width`` from ``low``, where they were.

    Args:
        readings: Columns ``series``, ``x`` (integer) and ``y``, without nulls and NaN.
        low: Where the first stretch begins, in units of ``x``.
        width: Length of a stretch, in units of ``x``; at least 1.

    Returns:
        The same columns, ordered by series and x, at most two rows a series and stretch.
    """
    last_greatest = pl.len() - 1 - pl.col("y").reverse().arg_max()
    buckets = (
        readings.with_columns(bucket=(pl.col("x") - low) // width)
        .sort("series", "x", "y")
        .group_by("series", "bucket", maintain_order=True)
        .agg(
            pl.struct(x=pl.col("x").get(pl.col("y").arg_min()), y=pl.col("y").min()).alias("least"),
            pl.struct(x=pl.col("x").get(last_greatest), y=pl.col("y").max()).alias("most"),
        )
    )
    both = pl.concat([buckets.select("series", pl.col(side).struct.unnest()) for side in ("least", "most")])
    return both.unique().sort("series", "x", "y")
