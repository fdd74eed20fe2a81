"""What a job's own detectors of stragglers report, when asked for: Megatron-LM's, and NVIDIA's Resiliency Extension.

Both write a report every so often, whether anything is slow or not, so a name in a report says nothing: what counts is
that it is the same one nearly always, and by how much it differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

_MEGATRON: Final = r"MnRtt/Rnk: ([\d.]+)ms/\d+ \| MxRtt/Rnk: ([\d.]+)ms/(\d{1,7})\b"
"""Least and greatest time of work on a rank between two reports (megatron/core/utils.py, StragglerDetector)."""
_NVRX: Final = r"GPU relative performance: worst: ([\d.]+) Rank=(\d{1,7}) Node=([^\s,]{1,200}), median: ([\d.]+)"
"""The slowest GPU's speed against the best (nvidia_resiliency_ext/ptl_resiliency/straggler_det_callback.py)."""
_REPORTS: Final = 3
_NEARLY_ALL: Final = 0.8


@dataclass(frozen=True, slots=True)
class Detected:
    """A rank that a detector names in nearly all of its reports.

    Attributes:
        node: Its node, where the reports tell.
        ratio: How many times as long as the fastest, or the median rank, it takes; the median of the reports.
        row: The last line that names it.
    """

    rank: int
    node: str | None
    ratio: float
    reports: int
    row: Row


def detected(ev: Evidence) -> Detected | None:
    """The rank that a detector names; None where none reports, or names now one and now another."""
    if not ev.has("log_lines"):
        return None
    text = pl.col("text")
    lines = (
        ev.scan("log_lines")
        .filter(text.str.contains("MxRtt/Rnk: |GPU relative performance: worst: "))
        .sort("node", "seq")
        .collect()
    )
    megatron, nvrx = text.str.extract_groups(_MEGATRON).struct, text.str.extract_groups(_NVRX).struct
    for rank, node, slow, usual in (
        (megatron.field("3"), pl.lit(None, pl.String), megatron.field("2"), megatron.field("1")),
        (nvrx.field("2"), nvrx.field("3"), nvrx.field("4"), nvrx.field("1")),
    ):
        told = lines.with_columns(
            named=rank.cast(pl.Int64, strict=False),
            host=node,
            ratio=slow.cast(pl.Float64, strict=False) / usual.cast(pl.Float64, strict=False),
        ).filter(pl.col("named").is_not_null() & pl.col("ratio").is_finite())
        if told.height < _REPORTS:
            continue
        most = told.group_by("named").len().sort("len", "named", descending=[True, False]).row(0)
        mine = told.filter(pl.col("named") == most[0])
        ratio = mine["ratio"].median()
        if mine.height >= _NEARLY_ALL * told.height and isinstance(ratio, float):
            hosts = mine["host"].drop_nulls().unique().to_list()
            last = mine.row(-1, named=True)
            return Detected(most[0], hosts[0] if len(hosts) == 1 else None, ratio, told.height, last)
    return None
