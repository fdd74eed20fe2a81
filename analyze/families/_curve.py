"""The loss curve of the last attempt, in order statistics only."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.families._story import Row, Story


@dataclass(frozen=True, slots=True)
class Curve:
    """Reports with a loss (or a gradient norm) of one rank, in printed order."""

    rows: tuple[Row, ...]

    @property
    def finite(self) -> list[float]:
        """Losses that are numbers, in order; those of a broken report (see ``is_bad``) are left out."""
        return [float(row["loss"]) for row in self.rows if row["loss"] is not None and not is_bad(row)]

    @property
    def bad(self) -> list[Row]:
        """Reports with a loss or gradient norm that is no number."""
        return [row for row in self.rows if is_bad(row)]

    @property
    def bad_at_end(self) -> bool:
        """True when the last reports (three, or all there are) are all broken."""
        return bool(self.rows) and all(is_bad(row) for row in self.rows[-3:])

    @property
    def head(self) -> float | None:
        """Median loss of the first tenth."""
        losses = self.finite
        return statistics.median(losses[: _tenth(losses)]) if losses else None

    @property
    def tail(self) -> float | None:
        """Median loss of the last tenth."""
        losses = self.finite
        return statistics.median(losses[-_tenth(losses) :]) if losses else None

    @property
    def fell(self) -> bool | None:
        """True when the loss ended lower than it began; None with fewer than two losses."""
        head, tail = self.head, self.tail
        if head is None or tail is None or len(self.finite) < 2:
            return None
        return tail < head


def is_bad(row: Row) -> bool:
    """True when the report says NaN or infinity. A gradient norm of infinity alone is an fp16 overflow, and normal."""
    loss, norm = row["loss"], row["grad_norm"]
    return (loss is not None and not math.isfinite(loss)) or (norm is not None and math.isnan(norm))


def curve(story: Story) -> Curve:
    """The curve of the rank and stream that reported most losses; training reports only."""
    steps = story.steps.filter(pl.col("kind").ne_missing("validation"))
    told = steps.filter(pl.col("loss").is_not_null() | pl.col("grad_norm").is_not_null())
    if told.is_empty():
        return Curve(())
    # A bar repeats one smoothed loss many times: where lines with metrics exist, they are the better record.
    lines = told.filter(pl.col("kind").ne_missing("bar"))
    told = told if lines.is_empty() else lines
    streams = (
        told.group_by("node", "source", "rank")
        .agg(n=pl.len())
        .sort("n", "node", "source", "rank", descending=[True, False, False, False], nulls_last=True)
    )
    node, source, rank, _ = streams.row(0)
    chosen = told.filter(
        (pl.col("node") == node) & pl.col("source").eq_missing(source) & pl.col("rank").eq_missing(rank)
    )
    return Curve(tuple(chosen.sort("line_seq", "seq", nulls_last=True).iter_rows(named=True)))


def _tenth(values: list[float]) -> int:
    return max(1, len(values) // 10)
