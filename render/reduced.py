"""Samples of a long run, reduced once for all views: least, mean and greatest reading of each short stretch of time.

A day of 512 GPUs is 44 million rows of twenty readings; every chart, heat map and counter is drawn from the same few
hundred thousand that are made here in one pass over each table, so that what the views cost follows what they show.
Where a table is small, a stretch is a single reading, and nothing is reduced.

Sums are of integers (readings times 10,000), so that they do not depend on the order in which threads add them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import polars as pl

from inquest.analyze.each_gpu import in_order, numbered
from inquest.analyze.stretches import (
    COARSER,
    EXACT_ROWS,
    GPU_LIMITS,
    GPU_READINGS,
    GPU_SERIES,
    cut,
    gpu_stretches,
    mean,
    of_stretch,
    reading,
)
from inquest.bundle.by_node import by_node, extent
from inquest.render.rates import rates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inquest.analyze.evidence import Evidence

_GAUGES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]] = {
    "gpu_samples": (GPU_SERIES, GPU_READINGS, GPU_LIMITS),
    "host_samples": (
        ("node",),
        (
            *("memory_available_bytes", "cpu_user_share", "cpu_iowait_share", "cpu_steal_share", "psi_cpu_some_avg10"),
            *("psi_memory_some_avg10", "psi_io_some_avg10"),
        ),
        ("memory_total_bytes",),
    ),
    "cgroup_samples": (("node", "cgroup"), ("memory_used_bytes", "memory_limit_bytes"), ("memory_limit_bytes",)),
}
"""Of each table: what tells series apart, the readings that views draw, and what may limit them."""

_GROWING: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]] = {
    "nvlink_samples": (("node", "gpu_index", "gpu_uuid"), ("link",), ("rx_bytes", "tx_bytes")),
    "net_samples": (("node", "interface"), (), ("rx_bytes", "tx_bytes")),
    "disk_samples": (("node", "device"), (), ("read_bytes", "written_bytes")),
}
"""Of each table: what tells series apart, what is added up to one, and what the source counts up since boot."""

_GROWN_STRETCHES: Final = 160
_MOST_PARTS: Final = 400_000
"""Stretches, at most, of what counts up, and of all its parts together."""

_KEPT: WeakKeyDictionary[Evidence, dict[str, Reduced]] = WeakKeyDictionary()
_REDUCING = Lock()
"""Views are drawn side by side; what several wait for is made once."""
_KEPT_GROWTH: WeakKeyDictionary[Evidence, dict[str, Growth]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Reduced:
    """A table of samples by stretches.

    Attributes:
        key: Columns that tell series apart.
        frame: What tells series apart; ``bucket``; ``first`` and ``last``, times of the readings that lie at its ends
            (ns); of each reading ``r`` the columns ``r`` (mean), ``r.least`` and ``r.most``.
        low: Where the first stretch begins, ns.
        width: Length of a stretch, ns; 1 where nothing was reduced.
        rows: Rows of the table that have a time.
        limits: The lowest value of each limit that was read.
    """

    key: tuple[str, ...]
    frame: pl.DataFrame
    low: int
    width: int
    rows: int
    limits: Mapping[str, float]

    def together(self, columns: Sequence[str], series: pl.Expr) -> pl.DataFrame:
        """``series``, ``first``, ``x`` (last), and of each of ``columns`` its mean, least and most, by these names."""
        readings = [part for name in columns for part in (name, f"{name}.least", f"{name}.most")]
        return self.frame.select("first", *readings, series=series, x="last")

    def readings(self, column: str, series: pl.Expr) -> pl.LazyFrame:
        """Where there is a reading: ``series``, ``first``, ``x`` (last), ``y`` (mean), ``y.least`` and ``y.most``."""
        ends = {"y.least": f"{column}.least", "y.most": f"{column}.most"}
        return self.frame.lazy().select(series=series, first="first", x="last", y=column, **ends).drop_nulls("y")

    def ends(self, column: str, series: pl.Expr, joined: int = 1) -> pl.LazyFrame:
        """Columns ``series``, ``x`` and ``y``: of each stretch the least reading at its begin, the greatest at its end.

        Where nothing was reduced, each reading where it was. ``joined``: how many stretches are taken as one.
        """
        if not self.reduced:
            return self.readings(column, series).select("series", "x", "y")
        least, most = f"{column}.least", f"{column}.most"
        held = self.frame.lazy().filter(pl.col(column).is_not_null())
        if joined > 1:
            parts = held.group_by(*self.key, pl.col("bucket") // joined)
            held = parts.agg(pl.col("first", least).min(), pl.col("last", most).max())
        lows = held.select(series=series, x="first", y=least)
        one = (pl.col("first") == pl.col("last")) & (pl.col(least) == pl.col(most))
        return pl.concat([lows, held.filter(~one).select(series=series, x="last", y=most)])

    @property
    def reduced(self) -> bool:
        """Whether a stretch may be more than one reading."""
        return self.width > 1


def gpu_indices(evidence: Evidence) -> dict[str, int]:
    """Index on its node of each GPU that has samples, by its UUID."""
    samples = gauges(evidence, "gpu_samples")
    if samples is None:
        return {}
    return dict(samples.frame.select("gpu_uuid", "gpu_index").drop_nulls().unique().sort("gpu_uuid").iter_rows())


@dataclass(frozen=True, slots=True)
class Growth:
    """A table of what counts up, as growth per second from one stretch of time to the next.

    Attributes:
        rates: Of each column: what tells series apart, ``x`` (ns) and ``y`` (per second).
        width: Length of a stretch, ns; 1 where each reading is one.
    """

    rates: Mapping[str, pl.DataFrame]
    width: int


def growth(evidence: Evidence, table: str) -> Growth:
    """A table of what counts up (see ``_GROWING``) by stretches."""
    kept = _KEPT_GROWTH.setdefault(evidence, {})
    if table not in kept:
        kept[table] = _grow(evidence, table)
    return kept[table]


@dataclass(frozen=True, slots=True)
class _Grown:
    """What rows of some nodes say of growth: the rates of each column, one after the other."""

    of: tuple[str, ...]
    parts: tuple[str, ...]
    columns: tuple[str, ...]
    low: int
    width: int

    def __call__(self, scan: pl.LazyFrame) -> pl.LazyFrame:
        time = pl.col("ts_ns")
        key = (*self.of, *self.parts)
        read = scan.filter(time.is_not_null()).select(*key, "ts_ns", *self.columns).collect()
        rows, series = in_order(read, key, "part", ("ts_ns",))
        bucket = (time - self.low) // self.width
        # Single readings are more than fit a number beside that of their series.
        group = numbered(pl.col("bucket"), "part") if self.width > 1 else pl.struct("part", "ts_ns")
        # What only grows is greatest at the end of a stretch; one that was reset within it is so until then.
        last = [time.last() if not rows[name].null_count() else _last_time(name) for name in self.columns]
        ends = (
            rows.lazy()
            .with_columns(bucket=bucket)
            .group_by(group.alias("group"), maintain_order=True)
            .agg(
                pl.col("part").first().cast(pl.Int64),
                pl.col("bucket").first(),
                pl.col(self.columns).max(),
                *(at.alias(f"{name}.x") for name, at in zip(self.columns, last, strict=True)),
            )
            .collect(engine="in-memory")
        )
        # Numbers in place of names: what tells series apart is text, and rows are many more than series.
        things = series.select(self.of).unique(maintain_order=True).with_row_index("thing")
        thing_of = series.join(things, on=self.of, nulls_equal=True, maintain_order="left").sort("part")["thing"]
        told = ends.with_columns(thing=thing_of.gather(ends["part"])).lazy()
        grown = pl.concat(
            rates(
                told.filter(pl.col(name).is_not_null()).select(
                    "thing", "part", "bucket", x=f"{name}.x", y=pl.col(name).cast(pl.Float64)
                ),
                ("thing",),
            ).with_columns(column=pl.lit(name))
            for name in self.columns
        )
        named = grown.join(things.lazy(), on="thing", maintain_order="left").select(*self.of, "x", "y", "column")
        return named.collect(engine="in-memory").lazy()  # the streaming engine adds up in any order


def _last_time(name: str) -> pl.Expr:
    return pl.col("ts_ns").filter(pl.col(name).is_not_null()).max()


def _grow(evidence: Evidence, table: str) -> Growth:
    key, parts, columns = _GROWING[table]
    rows, low, high = extent(evidence.store, table)
    counting = _counting(evidence, table, (*key, *parts)) if rows > EXACT_ROWS else 0
    coarser = next((by for by in COARSER if counting * _GROWN_STRETCHES // by <= _MOST_PARTS), COARSER[-1])
    width = 1 if rows <= EXACT_ROWS else max(2, -(-(high - low + 1) // (_GROWN_STRETCHES // coarser)))
    grown = by_node(evidence.store, table, _Grown(key, parts, columns, low, width))
    of_column = {
        name: grown.filter(pl.col("column") == name).drop("column").sort(*key, "x", nulls_last=True) for name in columns
    }
    return Growth(of_column, width)


def _counting(evidence: Evidence, table: str, key: tuple[str, ...]) -> int:
    """How many things count, as told by the first node that has any: only the length of a stretch rests on it."""
    nodes = evidence.info.nodes
    for node in nodes:
        of_node = evidence.scan(table).filter(pl.col("node") == node).select(key).unique().select(pl.len())
        if count := of_node.collect(engine="streaming").item():
            return int(count) * len(nodes)
    return 0


def gauges(evidence: Evidence, table: str) -> Reduced | None:
    """A table of gauges (see ``_GAUGES``) by stretches; None where it has no row with a time."""
    with _REDUCING:
        kept = _KEPT.setdefault(evidence, {})
        if table not in kept:
            made = _reduce(evidence, table)
            if made is None:
                return None
            kept[table] = made
        return kept[table]


def _reduce(evidence: Evidence, table: str) -> Reduced | None:
    key, columns, limits = _GAUGES[table]
    held = cut(evidence, table, key, limits)
    if held is None:
        return None
    low, width = held.low, held.width

    def timed(scan: pl.LazyFrame) -> pl.LazyFrame:
        return scan.filter(pl.col("ts_ns").is_not_null()).select(*key, "ts_ns", *map(reading, columns))

    if width == 1:
        same = [pl.col(name).alias(f"{name}.{end}") for name in columns for end in ("least", "most")]
        read = timed(evidence.scan(table)).collect()
        rows, series = in_order(read, key, "of", ("ts_ns", *columns))
        made = rows.join(series, on="of", maintain_order="left").select(
            *key, *columns, *same, bucket=pl.col("ts_ns") - low, first="ts_ns", last="ts_ns"
        )
        return Reduced(key, made, low, 1, held.rows, held.limits)
    # What the verdict's pass has told, as a rule; GPUs without a UUID, or with two indices, it does not tell apart.
    stretches = gpu_stretches(evidence) if table == "gpu_samples" else None
    if stretches is None:
        stretches = by_node(
            evidence.store,
            table,
            lambda scan: (
                timed(scan)
                .group_by(*key, bucket=(pl.col("ts_ns") - low) // width)
                .agg(*of_stretch(columns), first=pl.col("ts_ns").min(), last=pl.col("ts_ns").max())
                .with_columns(mean(name) for name in columns)
                .drop(f"{name}.{end}" for name in columns for end in ("sum", "count"))
            ),
        )
    return Reduced(key, stretches.sort(*key, "bucket", nulls_last=True), low, width, held.rows, held.limits)
