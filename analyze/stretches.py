"""Samples by short stretches of time: least, mean and greatest reading of each, for whatever draws a long run.

What is asked of GPU samples is asked in the pass that the verdict makes anyway (`inquest.analyze.each_gpu`), so that a
view finds it done. Where a table is small nothing is reduced, and nothing asked.

Sums are of integers (readings times 10,000), so that they do not depend on the order in which threads add them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.each_gpu import KEY, numbered, together
from inquest.bundle.by_node import by_node

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inquest.analyze.evidence import Evidence

STRETCHES: Final = 960
"""Stretches the time of a large table is cut into, at most."""

COARSER: Final = (1, 2, 3, 6)
"""By what the number of stretches is divided where there are many series; a chart has room for 160."""

EXACT_ROWS: Final = 300_000
"""Up to so many rows nothing is reduced."""

GPU_SERIES: Final = ("node", "gpu_index", "gpu_uuid")
GPU_READINGS: Final = (
    *("fb_used_bytes", "engine_active", "sm_active", "tensor_active", "dram_active", "temp_core_c"),
    *("temp_memory_c", "power_w", "sm_clock_mhz", "pcie_rx_bytes_s", "pcie_tx_bytes_s"),
)
"""Readings of GPUs that views draw."""
GPU_LIMITS: Final = ("fb_total_bytes", "power_limit_w", "sm_clock_max_mhz")

_MOST_CELLS: Final = 200_000
"""Stretches of all series together, where a coarser cut can keep to it."""
_DIGITS: Final = 10_000
_INTEGER: Final = 9 * 10**18  # what fits 64 bits
_EXACT: Final = 9 * 10**11  # ten thousand times that is exact as a float
_LARGEST: Final = 1e14  # beyond it the sum of a stretch might not fit an integer; no sensor comes near


@dataclass(frozen=True, slots=True)
class Cut:
    """How a table is cut.

    Attributes:
        low: Where the first stretch begins, ns.
        width: Length of a stretch, ns; 1 where nothing is reduced.
        rows: Rows of the table that have a time.
        limits: The lowest value of each limit that was read.
        plain: Whether a UUID is enough to tell a GPU's series from others.
    """

    low: int
    width: int
    rows: int
    limits: Mapping[str, float]
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Stretches:
    """Of each GPU, the stretches of its readings: a question of `inquest.analyze.each_gpu`."""

    low: int
    width: int

    def columns(self) -> set[str]:
        """Columns of the samples that it is about."""
        return {"gpu_index", *GPU_READINGS}

    def order(self) -> list[str]:
        """What its answer is ordered by."""
        return [*KEY, "bucket"]

    def answer(self, rows: pl.DataFrame, gpus: pl.DataFrame) -> pl.LazyFrame:
        """The answer for ``rows``, which have the number ``gpu`` of one of ``gpus`` and lie by it, then by time."""
        read = [name for name in GPU_READINGS if rows[name].null_count() < rows.height]
        timed = rows.lazy().filter(pl.col("ts_ns").is_not_null())
        usual = {name: rows[name].dtype.is_integer() for name in read if _usual(rows[name])}
        usable = [name if name in usual else reading(name) for name in read]
        bucket = (pl.col("ts_ns") - self.low) // self.width
        stretches = (
            timed.select("gpu", "gpu_index", "ts_ns", *usable)
            .group_by(numbered(bucket).alias("group"), maintain_order=True)
            .agg(
                pl.col("gpu", "gpu_index").first(),
                *of_stretch(read, usual),
                bucket=bucket.first(),
                first=pl.col("ts_ns").first(),
                last=pl.col("ts_ns").last(),
            )
        )
        none = pl.lit(None, pl.Float64)
        columns = [
            each
            for name in GPU_READINGS
            for each in (
                (mean(name), pl.col(f"{name}.least"), pl.col(f"{name}.most"))
                if name in read
                else (none.alias(name), none.alias(f"{name}.least"), none.alias(f"{name}.most"))
            )
        ]
        return stretches.join(gpus.lazy(), on="gpu", maintain_order="left").select(
            *GPU_SERIES, "bucket", "first", "last", *columns
        )


def cut(evidence: Evidence, table: str, key: Sequence[str], limits: Sequence[str] = ()) -> Cut | None:
    """How ``table`` is cut, whose series ``key`` tells apart; None where it has no row with a time."""
    return evidence.once(("cut", table), lambda: _cut(evidence, table, key, limits))


def _cut(evidence: Evidence, table: str, key: Sequence[str], limits: Sequence[str]) -> Cut | None:
    series = seen(evidence, table, key, limits)
    rows, low, high = whole(series)
    if not rows:
        return None
    lowest = series.select(pl.col(limits).min()).row(0, named=True)
    known = {name: float(least) for name, least in lowest.items() if least is not None}
    if rows <= EXACT_ROWS:
        return Cut(low, 1, rows, known)
    coarser = next((by for by in COARSER if series.height * STRETCHES // by <= _MOST_CELLS), COARSER[-1])
    plain = "gpu_uuid" in key and not series["gpu_uuid"].null_count() and series.select(KEY).n_unique() == series.height
    return Cut(low, max(2, -(-(high - low + 1) // (STRETCHES // coarser))), rows, known, plain)


@together
def gpu_stretches(evidence: Evidence) -> Stretches | None:
    """Stretches of all GPUs' samples, where there are so many that they are reduced."""
    held = cut(evidence, "gpu_samples", GPU_SERIES, GPU_LIMITS)
    return Stretches(held.low, held.width) if held is not None and held.plain else None


def seen(evidence: Evidence, table: str, key: Sequence[str], limits: Sequence[str] = ()) -> pl.DataFrame:
    """Of each series: its ``key``, ``rows`` with a time, first and last time, and the least of ``limits``."""
    time = pl.col("ts_ns")
    told = [pl.len().cast(pl.Int64).alias("rows"), time.min().alias("low"), time.max().alias("high")]
    told += [pl.col(name).min() for name in limits]

    def plan(scan: pl.LazyFrame) -> pl.LazyFrame:
        timed = scan.filter(time.is_not_null())
        return timed.group_by(*key).agg(told) if key else timed.select(told)

    return by_node(evidence.store, table, plan)


def whole(series: pl.DataFrame) -> tuple[int, int, int]:
    """Rows with a time, and first and last time, of all that was ``seen``; (0, 0, 0) where there is none."""
    rows, low, high = series.select(pl.col("rows").sum(), pl.col("low").min(), pl.col("high").max()).row(0)
    return (rows, low, high) if rows else (0, 0, 0)


def reading(name: str) -> pl.Expr:
    """A reading as a number that can be added up."""
    value = pl.col(name).cast(pl.Float64)
    return pl.when(value.abs() <= _LARGEST).then(value).alias(name)


def of_stretch(columns: Sequence[str], usual: Mapping[str, bool] | None = None) -> list[pl.Expr]:
    """Aggregates of a stretch: sum, count, least and greatest of each of ``columns``.

    Those that are ``usual`` need no check; it says which of these are integers.
    """
    integer = usual or {}
    return [
        each
        for name in columns
        for each in (
            _sum(name, integer.get(name)).alias(f"{name}.sum"),
            pl.col(name).count().alias(f"{name}.count"),
            pl.col(name).min().cast(pl.Float64).alias(f"{name}.least"),
            pl.col(name).max().cast(pl.Float64).alias(f"{name}.most"),
        )
    ]


def _sum(name: str, integer: bool | None) -> pl.Expr:
    """The sum of a column times 10,000; ``integer``: what its values are, where their sum fits 64 bits."""
    value = pl.col(name)
    if integer:
        return value.sum().cast(pl.Int128) * _DIGITS
    return (value * _DIGITS).round().cast(pl.Int128 if integer is None else pl.Int64).sum()


def _usual(values: pl.Series) -> bool:
    """Whether all are numbers so small that none needs a check, and that a sum of all fits 64 bits."""
    low, high = values.min(), values.max()
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    most = min(_EXACT, _INTEGER // len(values)) if values.dtype.is_integer() else _INTEGER // _DIGITS // len(values)
    return max(abs(low), abs(high)) <= most and not (values.dtype.is_float() and values.is_nan().any())


def mean(name: str) -> pl.Expr:
    """The mean of a stretch, from its sum and count."""
    total, count = pl.col(f"{name}.sum").cast(pl.Float64), pl.col(f"{name}.count")
    return pl.when(count > 0).then(total / _DIGITS / count).alias(name)
