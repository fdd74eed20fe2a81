"""How much progress was reported, and how fast it came: also where no step number or step time is printed."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.reader import HITS_PER_PATTERN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


def reports(story: Story) -> int:
    """Reports of progress in the last attempt: distinct steps, or lines with a loss where steps are not numbered."""
    steps = story.steps
    unnumbered = steps.filter(pl.col("step").is_null() & pl.col("loss").is_not_null())
    return max(steps["step"].drop_nulls().n_unique(), unnumbered.height)


def steps_done(story: Story) -> int:
    """Steps that the last attempt is known to have done: by their numbers, else as many as were reported."""
    if story.first_step is None or story.last_step is None:
        return reports(story)
    return max(reports(story), story.last_step - story.first_step + 1)


def clocked(story: Story) -> pl.DataFrame:
    """Reports of progress with the time they were made at; none where their times are those of other lines.

    A line without a clock bears the time of the last one that has it (NeMo stamps its log, but not its steps). Then
    what the steps say they took is more than the time between their stamps; of a bar that is drawn now and then, all
    steps since it was drawn before took what it says of one. A bar that is drawn again where it stood tells of no
    progress.
    """
    before = pl.col("step").shift().over("node", "source", "rank", "kind")
    again = (pl.col("kind") == "bar") & (pl.col("step") == before)
    timed = story.steps.filter(~again.fill_null(value=False)).drop_nulls("ts_ns")
    since = (pl.col("step") - before).clip(lower_bound=1).fill_null(1)
    taken = pl.col("step_time_s").fill_null(0.0) * pl.when(pl.col("kind") == "bar").then(since).otherwise(1)
    spans = (
        timed.with_columns(taken=taken)
        .unique(["node", "source", "step"], maintain_order=True)
        .group_by("node", "source")
        .agg(
            told=pl.col("taken").sort().sum(),
            stamped=(pl.col("ts_ns").max() - pl.col("ts_ns").min()) / 1e9,
        )
    )
    carried = spans.filter(pl.col("told") > _CARRIED * pl.col("stamped") + _SLACK_S)
    return timed.clear() if carried.height else timed


_CARRIED: Final = 1.5
"""Printed step times may hold a save or a mean; beyond this they do not fit the clock."""
_SLACK_S: Final = 60.0
"""The first step is compiled before the first report."""


def paces(story: Story) -> pl.DataFrame:
    """Columns ``ts_ns`` and ``seconds``: what a step took, by the job's word, else by the time between two reports.

    Reports that number their steps are divided by the steps between them; others are compared as they come, which is
    enough for a ratio within one job.
    """
    whole = clocked(story)
    told = whole.drop_nulls("step_time_s")
    between = _between_reports(whole)
    # What is told of one end of a run alone says nothing of the rest, which the time between reports does.
    if told.height >= 3 and (between.height <= told.height or _spans(told) >= _MOST * _spans(whole)):
        return told.select("ts_ns", seconds="step_time_s").sort("ts_ns")
    return between


def _spans(timed: pl.DataFrame) -> int:
    """Nanoseconds from the first of some reports to the last."""
    first, last = timed["ts_ns"].min(), timed["ts_ns"].max()
    return last - first if isinstance(first, int) and isinstance(last, int) else 0


_MOST: Final = 0.8
"""Part of the run's time that reports which tell what a step took have to span."""


def wall_step_s(story: Story) -> float | None:
    """What a step took from report to report, in the median: also what no clock of the job's own covers."""
    seconds = _between_reports(clocked(story))["seconds"].median()
    return seconds if isinstance(seconds, float) else None


def _between_reports(whole: pl.DataFrame) -> pl.DataFrame:
    timed = whole.drop_nulls("loss")
    gaps = timed.sort("node", "source", "ts_ns", "seq", nulls_last=True).select(
        "ts_ns",
        gap=pl.col("ts_ns").diff().over("node", "source"),
        steps=pl.col("step").diff().over("node", "source"),
    )
    return (
        gaps.filter(pl.col("gap") > 0)
        .select("ts_ns", seconds=pl.col("gap") / 1e9 / pl.when(pl.col("steps") > 0).then("steps").otherwise(1))
        .sort("ts_ns")
    )


def slowdown(seconds: pl.Series) -> tuple[float, int] | None:
    """How much longer steps took after the change that parts them best, and the number of the first step after it.

    The change is sought between tenths of the reports, at the greatest ratio of the medians after and before it; where
    several are as good as that, at the one from whose medians the reports lie least apart. None where they are few.
    """
    tenth = len(seconds) // 10
    if tenth < 2:
        return None
    parted = [
        (
            after / before,
            number * tenth,
            _apart(seconds[: number * tenth], before) + _apart(seconds[number * tenth :], after),
        )
        for number in range(1, 10)
        if isinstance(before := seconds[: number * tenth].median(), float)
        and isinstance(after := seconds[number * tenth :].median(), float)
        and before > 0
    ]
    greatest = max((ratio for ratio, *_ in parted), default=0.0)
    best = min((each for each in parted if each[0] >= _AS_GOOD * greatest), key=lambda each: each[2], default=None)
    return best[:2] if best else None


def _apart(seconds: pl.Series, middle: float) -> float:
    return math.fsum(abs(each - middle) for each in seconds.drop_nulls())


_AS_GOOD: Final = 0.9
"""Ratios that differ by less do so by the noise of steps."""


def save_reports(story: Story) -> list[Row]:
    """Reports of saves; of those that begin, where none is said to be done: some programs tell of no more."""
    return story.of(Kind.CHECKPOINT_SAVED) or story.of(Kind.CHECKPOINT_SAVE_BEGIN)


def save_rhythm(story: Story) -> tuple[int, int] | None:
    """Saves, and the steps they span, where steps are known from either side; None where they are not."""
    rows = save_reports(story)
    saves = _saves(rows)
    if story.last_step is not None and story.first_step is not None and story.last_step > story.first_step:
        stride = story.steps["step"].drop_nulls().unique().sort().diff().min()
        before = min(story.first_step, stride) if isinstance(stride, int) else 1
        return saves, story.last_step - story.first_step + max(1, before)
    at = sorted({int(row["num"]) for row in rows if row["num"] is not None and row["num_unit"] in _STEPS})
    return (len(at), at[-1] - at[0] + 1) if len(at) > 1 else None


def saved_times(story: Story, saves: int) -> str:
    """How often a checkpoint was saved, in words; of very many reports not all are read."""
    patterns = Counter(row["pattern"] for row in save_reports(story))
    # Where clocks tell it, a report may be of many steps.
    thin = not patterns and (story.steps["step"].drop_nulls().unique().sort().diff().min() or 0) > 1  # type: ignore[operator]
    return f"{AT_LEAST if thin or max(patterns.values(), default=0) >= HITS_PER_PATTERN else ''}{saves} times"


AT_LEAST: Final = "at least "


def _saves(rows: Sequence[Row]) -> int:
    """How many saves reports tell of: many say that they save, and then that they saved, and each rank may say so."""
    streams: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        streams.setdefault((row["node"], row["source"], row["rank"]), []).append(row)
    return max(map(_saves_of, streams.values()), default=0)


def _saves_of(rows: Sequence[Row]) -> int:
    """The same of the reports of one rank."""
    counts = []
    for told in ([row for row in rows if row["subject"]], [row for row in rows if not row["subject"]]):
        lines = len({(row["subject"], row["num"], row["line_seq"]) for row in told})
        places = len({(row["subject"], row["num"] if row["num_unit"] in _STEPS else None) for row in told})
        # One place that is written over again and again tells nothing of how often.
        counts.append(places if _OF_ONE_SAVE * places >= lines else lines)
    return max(counts)


_STEPS: Final = ("step", "steps")
_OF_ONE_SAVE: Final = 3
"""Reports of one save at the most."""
