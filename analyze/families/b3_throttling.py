"""B3: a GPU slowed down by heat or power: a severe reason set, clocks down, and steps slower."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._pace import paces
from inquest.analyze.families._story import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.model import Failing, Next
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

SEVERE_REASONS: Final[dict[int, str]] = {
    0x08: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}
"""Bits of the clock event reasons that mean trouble; idle (0x1) and the software power cap (0x4) are normal.
Source: nvml.h, nvmlClocksEventReasons."""

_MASK: Final = 0xE8


@dataclass(frozen=True, slots=True)
class Throttling:
    """See the module."""

    id: str = "B3"
    name: str = "throttling"
    needs: tuple[str, ...] = ("gpu_samples",)
    any_of: tuple[str, ...] = ()
    helps: tuple[str, ...] = ("steps",)

    def judge(self, ev: Evidence) -> Finding:
        """The GPU with the most throttled samples, its clocks then, and step times inside and outside."""
        samples = ev.scan("gpu_samples").drop_nulls("throttle_reasons")
        throttled = (pl.col("throttle_reasons") & _MASK) != 0
        frame = (
            samples.group_by("node", "gpu_uuid")
            .agg(
                n=pl.len(),
                hot=throttled.sum(),
                slow=pl.col("sm_clock_mhz").filter(throttled).median(),
                usual=pl.col("sm_clock_mhz").filter(~throttled).max(),
                top=pl.col("sm_clock_max_mhz").max(),
                first=pl.col("ts_ns").filter(throttled).min(),
                last=pl.col("ts_ns").filter(throttled).max(),
            )
            .sort("hot", "node", "gpu_uuid", descending=[True, False, False])
            .collect()
        )
        if frame.is_empty():
            return CannotDecide(
                because="The reasons for clock changes were not sampled.", missing=("throttle reasons (NVML)",)
            )
        worst = frame.row(0, named=True)
        share = worst["hot"] / worst["n"]
        if not worst["hot"] or share < ev.threshold("b3.throttled_share"):
            return RuledOut(
                because="No GPU ran with a severe throttle reason for a noticeable part of the run.",
                would_change_if="thermal slowdown, hardware slowdown or power brake would have had to be set for long",
                stores=("metrics",),
            )
        ceiling = worst["usual"] or worst["top"]
        drop = None if not ceiling or worst["slow"] is None else 1 - worst["slow"] / ceiling
        slower = _step_ratio(ev, worst["first"], worst["last"])
        if drop is None or drop < ev.threshold("b3.clock_drop"):
            return RuledOut(
                because="A throttle reason was set, but the clocks did not fall.",
                would_change_if="SM clocks would have had to fall while the reason was set",
                stores=("metrics",),
            )
        where = f"node = {literal(worst['node'])} AND gpu_uuid = {literal(worst['gpu_uuid'])}"
        claims = Claims(ev, self.id)
        where += f" AND (throttle_reasons & {_MASK}) <> 0"
        claims.over("Samples with a severe throttle reason", "COUNT", "*", "gpu_samples", where, unit="samples")
        claims.over("Median SM clock in them", "MEDIAN", "sm_clock_mhz", "gpu_samples", where, unit="MHz")
        if slower is None:
            return CannotDecide(
                because=f"GPU {worst['gpu_uuid']} was throttled in {share:.0%} of its samples, lost {drop:.0%} of its"
                " clock, but step times outside that time are not known.",
                missing=("step times before, in and after the throttled stretch",),
                claims=claims.all,
                warnings=(f"{worst['node']} GPU {worst['gpu_uuid']} was throttled in {share:.0%} of its samples.",),
            )
        if slower < ev.threshold("b3.step_ratio"):
            return RuledOut(
                because="Clocks fell, but the steps did not become slower.",
                would_change_if="steps would have had to take longer while the GPU was throttled",
                claims=claims.all,
                stores=("metrics", "logs"),
            )
        text = (
            f"GPU {worst['gpu_uuid']} on {worst['node']} was throttled in {share:.0%} of its samples: clock down by"
            f" {drop:.0%}, steps {slower:.1f} times as long"
        )
        return RuledIn(
            because=f"{text}.",
            would_change_if="the same step times without a throttle reason",
            headline=f"{text}.",
            claims=claims.all,
            support=(
                Support("metrics", "severe throttle reason with clocks down", decisive=True),
                Support("logs", f"steps {slower:.1f} times as long"),
            ),
            attribution="infrastructure",
            scope="gpu",
            severity="low",
            onset_ns=worst["first"],
            first_failing=Failing(node=worst["node"], gpu_uuid=worst["gpu_uuid"], ts_ns=worst["first"]),
            culprit_nodes=(worst["node"],),
            culprit_gpus=(worst["gpu_uuid"],),
            next=Next("infrastructure", f"Check cooling, power supply and power limit of {worst['node']}."),
        )


def _step_ratio(ev: Evidence, first: int, last: int) -> float | None:
    """Median pace inside the throttled stretch over the one outside; None when either is unknown."""
    steps = paces(tell(ev))
    inside = steps.filter(pl.col("ts_ns").is_between(first, last))["seconds"].median()
    outside = steps.filter(~pl.col("ts_ns").is_between(first, last))["seconds"].median()
    if not isinstance(inside, float) or not isinstance(outside, float) or outside <= 0:
        return None
    return inside / outside


FAMILY: Final = Throttling()
