"""Order statistics over GPU samples, shared by the families that judge how busy GPUs were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Gpu:
    """Medians of one GPU over the run; None: not measured. Shares are 0 to 1."""

    node: str
    gpu_uuid: str
    samples: int
    engine: float | None
    sm: float | None
    memory_bytes: float | None


def medians(ev: Evidence, since_ns: int | None = None) -> tuple[Gpu, ...]:
    """Each GPU's medians, from ``since_ns`` on, by node and UUID."""
    scan = ev.scan("gpu_samples")
    if since_ns is not None:
        scan = scan.filter(pl.col("ts_ns") >= since_ns)
    frame = (
        scan.group_by("node", "gpu_uuid")
        .agg(
            samples=pl.len(),
            engine=pl.col("engine_active").median(),
            sm=pl.col("sm_active").median(),
            memory_bytes=pl.col("fb_used_bytes").median(),
        )
        .sort("node", "gpu_uuid", nulls_last=True)
        .collect()
    )
    return tuple(Gpu(**row) for row in frame.iter_rows(named=True))


def median_sql(column: str, gpu: Gpu) -> str:
    """SQL of one GPU's median of ``column``."""
    from inquest.analyze.sql import literal

    return (
        f"SELECT MEDIAN({column}) FROM gpu_samples WHERE node = {literal(gpu.node)}"
        f" AND gpu_uuid = {literal(gpu.gpu_uuid)}"
    )
