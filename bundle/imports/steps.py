"""Readings of one thing that were asked for one metric after the other come into step: one row for each step.

Whoever asks for each metric by a query of its own, each up to its own "now", gets steps that lie some seconds apart: no
instant has two metrics then, and nothing can be said of a GPU that needs power *and* clocks. A reading stands for the
step it was taken in, so those of one step stand in one row, at the time of one that was read as often as most were.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, cast

import polars as pl

_APART: Final = 0.75
"""Readings are out of step where rows have less than this share of the columns that were ever read."""
_LEAST_STEPS: Final = 8
"""Fewer readings of a thing have no step."""
_MOVED: Final = 0.8
"""Metrics have one step where so many of the readings lie near one of the others' in it."""


def in_step(frame: pl.DataFrame, things: list[str], time: str) -> tuple[pl.DataFrame, int]:
    """Put readings of one step into one row.

    Args:
        frame: One row a thing and instant; what was not read then is null.
        things: Columns that tell the things apart.
        time: Column of the instant, in any unit of whole numbers.

    Returns:
        The rows by thing and time, and the longest that a reading was moved, in the unit of ``time``: 0 where they are
        in step as they are. A reading is moved by half a step at most, and none is dropped, but for the second of
        two metrics that tell the same within one step.
    """
    whole = [*things, time]
    told = [name for name in frame.columns if name not in whole and 0 < frame[name].null_count() < frame.height]
    if frame.height < _LEAST_STEPS or len(told) < 2:
        return frame, 0
    empty = sum(frame[name].null_count() for name in told)
    if 1 - empty / (frame.height * len(told)) >= _APART:
        return frame, 0
    times_of = {name: frame.height - frame[name].null_count() for name in told}
    often = Counter(times_of.values())
    usual = max(often, key=lambda count: (often[count], count))  # one column may hold what two metrics tell
    most = next(name for name in told if times_of[name] == usual)
    base = frame.filter(pl.col(most).is_not_null()).sort(whole)
    apart = pl.col(time).diff()
    step = cast("float | None", base.select((apart.over(things) if things else apart).median()).item())
    number = base.select(things).n_unique() if things else 1
    if not step or step <= 0 or base.height < _LEAST_STEPS * number:
        return frame, 0
    at = base.select(*things, pl.col(time).alias("_at")).sort("_at")
    rest = frame.filter(pl.col(most).is_null()).sort(time)
    near = rest.join_asof(
        at,
        left_on=time,
        right_on="_at",
        by=things or None,
        strategy="nearest",
        tolerance=max(1, int(step) // 2),
        check_sortedness=False,
    )
    # of two that would stand in one place, the nearer one goes there, and the other one stays where it is
    what = pl.concat_str(pl.col(name).is_not_null().cast(pl.UInt8).cast(pl.String) for name in told)
    near = near.with_columns(_by=(pl.col("_at") - pl.col(time)).abs(), _what=what).with_columns(
        _rank=pl.col("_by").rank("ordinal").over(*things, "_at", "_what")
    )
    moves = pl.col("_at").is_not_null() & (pl.col("_rank") == 1)
    by = near.select(pl.col("_by").filter(moves).max()).item()
    as_often = [name for name in told if times_of[name] <= 1.2 * usual and name != most]
    even = near.filter(pl.any_horizontal(pl.col(name).is_not_null() for name in as_often)) if as_often else near
    if by is None or even["_at"].count() < _MOVED * even.height:
        return frame, 0
    twice = [name for name in told if times_of[name] > 1.5 * usual and _of_two(frame, name, things, time)]
    if twice:
        others = pl.any_horizontal(pl.col(name).is_not_null() for name in told if name not in twice)
        near = near.filter(others | (pl.col("_rank") == 1) | pl.col("_at").is_null())
    moved = near.with_columns(pl.when(moves).then("_at").otherwise(time).alias(time)).select(frame.columns)
    together = pl.concat([base, moved], how="vertical")
    joined = together.group_by(whole, maintain_order=True).agg(pl.all().drop_nulls().first()).sort(whole)
    return joined.select(frame.columns), int(by)


def _of_two(frame: pl.DataFrame, name: str, things: list[str], time: str) -> bool:
    """Whether a column holds what two metrics told: they come in pairs, where one read more often comes evenly."""
    read = frame.filter(pl.col(name).is_not_null()).sort([*things, time])
    apart = pl.col(time).diff()
    told = read.select((apart.over(things) if things else apart).alias("by")).drop_nulls()["by"]
    low, high = (told.quantile(share) for share in (0.25, 0.75))
    return low is not None and high is not None and high > 1.2 * low


def told_apart(by_ns: int) -> str:
    """What to say of readings that were moved by so much at most."""
    return (
        f"Metrics were read up to {by_ns / 1e9:.1f} s apart, as if each had been asked for by itself: "
        "those of one step stand in one row."
    )
