"""A GPU's clocks as a loop noted them beside its losses: a severe reason, the clock, what a step took.

No sampler looked, and often no time of day is told; the loop's own count puts them side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import literal
from inquest.analyze.families._curve import curve

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

SEVERE_MASK: Final = 0xE8
"""Slowdown of the hardware, thermal slowdown of software or hardware, and the power brake (nvml.h)."""
_REASON: Final = (
    r"(?i)(?:throttl(?:e|ed|ing)|clocks?_?event)(?:[_ ./-](?:reasons?|mask|bits|flags|active)){0,3}$|clocks?_reasons?$"
)
_CLOCK: Final = (
    r"(?i)(?:^|[^a-z])(?:(?:sm|gpu|core|graphics)_?\d{0,2}_?(?:sm_?)?clock|clocks?_(?:sm|gpu|core|graphics))"
    r"(?:_?(?:mhz|hz|cur|current))?$|(?:^|[^a-z])(?:sm|gpu|core|graphics)_?\d{0,2}_?(?:freq(?:uency)?_?)?mhz$"
)
_TABLES: Final = ("csv", "jsonl")
"""Whose names are those that a loop gave."""


@dataclass(frozen=True, slots=True)
class Noted:
    """What a loop noted of a GPU that was held back.

    Attributes:
        share: Part of the reports with a severe reason.
        drop: Part of the clock that was lost in them.
        slower: What a step took in them, by what it took else; None where either is not told.
        reasons: SQL condition for the reasons of these reports, in ``metrics``.
        clocks: SQL condition for the clocks in them.
        first: The first of these reports, in ``fact_steps``.
    """

    share: float
    drop: float
    slower: float | None
    reasons: str
    clocks: str
    first: Row


def noted(ev: Evidence, story: Story) -> Noted | None:
    """The clocks that stand beside the losses; None where no table tells both reasons and clocks of one GPU."""
    frame = curve(story).frame
    if frame.is_empty() or not ev.has("metrics") or frame["line_seq"][0] is not None:
        return None
    source = frame["source"][0]
    mine = (pl.col("source") == source) & pl.col("framework").is_in(_TABLES) & pl.col("step").is_not_null()
    told = ev.scan("metrics").filter(mine & pl.col("value").is_finite()).select("name", "step", "value").collect()
    names = told["name"].unique().sort()
    reason, clock = (names.filter(names.str.contains(words)).to_list() for words in (_REASON, _CLOCK))
    if len(reason) != 1 or len(clock) != 1 or (told.filter(pl.col("name") == clock[0])["value"] <= 0).any():
        return None
    first, second = (
        told.filter(pl.col("name") == name).unique("step", keep="last").select("step", what="value")
        for name in (reason[0], clock[0])
    )
    steps = story.steps.filter(pl.col("step").is_not_null()).unique("step", keep="last", maintain_order=True)
    rows = first.rename({"what": "reason"}).join(second.rename({"what": "clock"}), on="step").join(steps, on="step")
    rows = rows.sort("step").with_columns(held=(pl.col("reason").cast(pl.Int64, strict=False) & SEVERE_MASK) != 0)
    held, else_ = rows.filter("held"), rows.filter(~pl.col("held"))
    if held.is_empty() or else_.is_empty():
        return None
    slow, usual = held["clock"].median(), else_["clock"].max()
    took, usually = held["step_time_s"].median(), else_["step_time_s"].median()
    known = isinstance(took, float) and isinstance(usually, float) and usually > 0
    where = f"source = {literal(source)} AND name = "
    low, high = held["step"][0], held["step"][-1]
    return Noted(
        share=held.height / rows.height,
        drop=1 - float(slow) / float(usual),  # type: ignore[arg-type]
        slower=float(took) / float(usually) if known else None,  # type: ignore[arg-type]
        reasons=f"{where}{literal(reason[0])} AND (CAST(value AS BIGINT) & {SEVERE_MASK}) <> 0",
        clocks=f"{where}{literal(clock[0])} AND step BETWEEN {low} AND {high}",
        first=held.select(story.steps.columns).row(0, named=True),
    )
