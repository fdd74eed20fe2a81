"""Questions about samples whose answer for each node rests on the rows of that node alone.

Most of what is asked of large tables is of this kind. Asked through here, a store that is spread over a cluster takes
the question to the rows; any other answers it at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import polars as pl

if TYPE_CHECKING:
    from inquest.bundle.store import Store

Plan = Callable[[pl.LazyFrame], pl.LazyFrame]
"""What is asked of the rows of a table. Groups and windows in it name ``node``; it may be sent to other processes."""


@runtime_checkable
class Spread(Protocol):
    """A store whose rows lie apart, each node's in one place."""

    def by_node(self, table: str, plan: Plan) -> pl.DataFrame:
        """The answers of all places, one after the other."""


@runtime_checkable
class Stated(Protocol):
    """A store that knows of tables how many rows they have, and from when to when, without reading these."""

    def extent(self, table: str) -> tuple[int, int, int] | None:
        """See ``extent``; None where it is not known of this table."""


def extent(store: Store, table: str) -> tuple[int, int, int]:
    """Rows of a known table that have a time, and first and last time (ns); (0, 0, 0) where there is none."""
    known = store.extent(table) if isinstance(store, Stated) else None
    if known is None:
        time = pl.col("ts_ns")
        told = by_node(store, table, lambda scan: scan.select(time.count(), low=time.min(), high=time.max()))
        rows, low, high = told.select(pl.col("ts_ns").sum(), pl.col("low").min(), pl.col("high").max()).row(0)
        known = (rows, low, high) if rows else (0, 0, 0)
    return known


def by_node(store: Store, table: str, plan: Plan) -> pl.DataFrame:
    """The answer to ``plan`` over a known table, in no order that counts."""
    if isinstance(store, Spread):
        return store.by_node(table, plan)
    return plan(store.scan(table)).collect(engine="streaming")
