"""A GPU that was told to run slower than its peers: its clock is far below theirs, and neither heat nor power says why.

Somebody locked its clocks, or left those of another job. All work in step, so the job goes at its pace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._gpu import Gpu, in_run, while_training
from inquest.analyze.families._noted_clocks import SEVERE_MASK

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story

_BUSY: Final = 0.5
"""Engine activity of a reading that was taken under load."""
_SAMPLES: Final = 8
_SECONDS: Final = 300


@dataclass(frozen=True, slots=True)
class Clocked:
    """What a GPU did under load, from when to when: medians.

    Attributes:
        clock: Its SM clock, MHz.
        severe: Share of the readings with a reason that means trouble; None where reasons were not sampled.
    """

    gpu: Gpu
    clock: float
    severe: float | None
    seconds: float

    @property
    def cycles(self) -> float | None:
        """Cycles of work in a second, in millions."""
        return None if self.gpu.sm is None else self.gpu.sm * self.clock


def clocked(ev: Evidence, story: Story, since_ns: int | None, until_ns: int | None) -> list[Clocked]:
    """Each GPU that was used, with its clock; empty where a clock of one was hardly sampled."""
    used = {(gpu.node, gpu.gpu_uuid): gpu for gpu in while_training(ev, story)}
    inside = in_run(ev) if since_ns is None or until_ns is None else pl.col("ts_ns").is_between(since_ns, until_ns)
    reasons = pl.col("throttle_reasons")
    rows = (
        ev.scan("gpu_samples")
        .filter(inside & pl.col("sm_clock_mhz").is_not_null() & (pl.col("engine_active") >= _BUSY))
        .group_by("node", "gpu_uuid")
        .agg(
            pl.len().alias("samples"),
            pl.col("sm_clock_mhz").median().alias("clock"),
            pl.col("engine_active").median().alias("engine"),
            pl.col("sm_active").median().alias("sm"),
            pl.col("fb_used_bytes").median().alias("memory_bytes"),
            told=reasons.count(),
            severe=((reasons & SEVERE_MASK) != 0).sum(),
            seconds=(pl.col("ts_ns").max() - pl.col("ts_ns").min()) / 1e9,
        )
        .sort("node", "gpu_uuid")
        .collect()
    )
    found = [
        Clocked(
            gpu=Gpu(row["node"], row["gpu_uuid"], row["samples"], row["engine"], row["sm"], row["memory_bytes"]),
            clock=row["clock"],
            severe=row["severe"] / row["told"] if 2 * row["told"] >= row["samples"] else None,
            seconds=row["seconds"],
        )
        for row in rows.iter_rows(named=True)
        if (row["node"], row["gpu_uuid"]) in used and row["samples"] >= _SAMPLES
    ]
    return found if len(found) == len(used) else []


def held_by_nothing(ev: Evidence, slow: list[Clocked]) -> bool:
    """Whether reasons were sampled for these, and none that means trouble was set for long: B3 judges those."""
    return all(each.severe is not None and each.severe < ev.threshold("b3.throttled_share") for each in slow)


def equal_work(ev: Evidence, told: list[Clocked]) -> bool:
    """Whether all did as many cycles of work and held as much memory, for minutes: ranks that go in step.

    Programs that have nothing to do with each other agree in neither.
    """
    work, held = [each.cycles for each in told], [each.gpu.memory_bytes for each in told]
    if None in work or None in held or min(each.seconds for each in told) < _SECONDS:
        return False
    return _within(work, ev.threshold("d3.alike") / 2) and _within(held, ev.threshold("d3.alike") / 2)


def _within(values: list[float | None], apart: float) -> bool:
    told = [value for value in values if value is not None]
    return min(told) > 0 and min(told) >= (1 - apart) * max(told)
