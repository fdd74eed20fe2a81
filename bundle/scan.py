"""Rows of a bundle as Polars frames: the one place where stored columns become Polars types.

This module and ``store.py`` are the only ones of bundle/ that import Polars; capture never imports either.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle.schema import BY_NAME

if TYPE_CHECKING:
    from inquest.bundle.schema import Type

TS: Final = pl.Datetime("ns", "UTC")
"""Type of the ``ts`` view of ``ts_ns``."""

# Strings stay plain strings: categories would make the order of rows depend on who saw a value first.
_POLARS: Final[dict[Type, pl.DataType]] = {
    "i64": pl.Int64(),
    "f64": pl.Float64(),
    "bool": pl.Boolean(),
    "str": pl.String(),
    "dict": pl.String(),
}


@cache
def stored_schema(table: str) -> pl.Schema:
    """Polars types of the stored columns of ``table``, in stored order; KeyError for an unknown table."""
    return pl.Schema({column.name: _POLARS[column.type] for column in BY_NAME[table].columns})


@cache
def frame_schema(table: str) -> pl.Schema:
    """Polars types of what a scan of ``table`` gives: the stored columns, then ``ts``."""
    return pl.Schema({**stored_schema(table), "ts": TS})


def with_ts(frame: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with the ``ts`` view of its ``ts_ns``."""
    return frame.with_columns(pl.col("ts_ns").cast(TS).alias("ts"))
