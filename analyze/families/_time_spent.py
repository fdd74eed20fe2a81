"""What took most of the time of a run that ended as planned, where nothing that was sampled tells why."""

from __future__ import annotations

import itertools
import re
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._curve_doubts import A_FEW, ENOUGH
from inquest.analyze.families._margins import below_the_last_report
from inquest.analyze.families._pace import clocked, paces, slowdown
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


def takes_most(story: Story) -> tuple[str, float] | None:
    """What takes most of a step that is no computing, by the loop's own clocks, and what part of it."""
    timed = _timed(story).filter(pl.col("step_time_s") > 0)
    for column, what in (("data_time_s", "is waiting for data"), ("save_time_s", "is saving")):
        told = timed.filter(pl.col(column).is_not_null())
        wait, part = told[column].median(), (told[column] / told["step_time_s"]).median()
        if not isinstance(wait, float) or not isinstance(part, float):
            continue
        if told.height < (A_FEW if wait >= _LONG_S else ENOUGH):
            continue
        if wait >= _FELT_S and part >= _MOSTLY:
            return what, min(part, 1.0)
    return None


def _timed(story: Story) -> pl.DataFrame:
    """Reports with the time of their steps; where they tell a wait alone, with the time since the report before.

    A wait of one step may stand there as well as that of all of them: it is no smaller part of that time.
    """
    if story.steps["step_time_s"].is_not_null().any() or story.steps["data_time_s"].is_null().all():
        return story.steps
    gap = pl.col("ts_ns").diff().over("node", "source", "rank") / 1e9
    told = clocked(story).filter(pl.col("data_time_s").is_not_null()).sort("line_seq", nulls_last=True)
    return told.with_columns(step_time_s=pl.when(gap >= pl.col("data_time_s")).then(gap))


_LONG_S: Final = 1.0
"""A wait of every step that a few reports are enough to tell."""
_FELT_S: Final = 0.05
"""Loops of toys spend most of a few milliseconds on their data."""
_MOSTLY: Final = 0.6


def says_most_elsewhere(ev: Evidence, story: Story) -> tuple[str, float] | None:
    """What took most of the time by the program's own last words, and what part of it."""
    for text in below_the_last_report(ev, story)[:_LAST_WORDS]:
        if (told := _OF_WHICH.search(text[:_WIDE])) is None:
            continue
        whole, part = float(told["whole"]), float(told["part"])
        if whole >= _LONG_S and _MOSTLY * whole <= part <= whole:
            return told["what"].lower(), part / whole
    return None


_LAST_WORDS: Final = 12
_WIDE: Final = 400
_OF_WHICH: Final = re.compile(
    r"(?i)(?P<whole>\d{1,7}(?:\.\d{1,6})?) ?s(?:ec(?:onds)?)?,? (?:and )?of (?:which|that) (?:was |were |in |for )?"
    r"(?P<what>dev|eval\w*|valid\w*|test\w*|scor\w*|decod\w*|sav\w*|writ\w*|checkpoint\w*|logging|plotting|sampling)"
    r"[ :]{1,2}(?P<part>\d{1,7}(?:\.\d{1,6})?) ?s"
)
"""``finished 240 steps in 85.5s, of which dev 81.7s``."""


def stood_for_most(ev: Evidence, story: Story) -> tuple[int, float, float] | None:
    """Pauses between reports that take most of the time: how many, the least of them, and the usual interval.

    Those within which something else is told that takes long, as a save or an evaluation, are its.
    """
    told = clocked(story).filter(pl.col("kind").ne_missing(str(Kind.VALIDATION)) & pl.col("line_seq").is_not_null())
    if told.height < ENOUGH or told.select("node", "source", "rank").n_unique() > 1:
        return None
    reports = told.unique("ts_ns", keep="first").sort("ts_ns").select("ts_ns", "line_seq").rows()
    gaps = [(after[0] - before[0], before[1], after[1]) for before, after in itertools.pairwise(reports)]
    usual = statistics.median(gap for gap, *_ in gaps) if gaps else 0
    least = max(_LONG_PAUSES * usual, _PAUSE_NS)
    long = [each for each in gaps if each[0] >= least]
    if len(long) < A_FEW or 2 * sum(gap for gap, *_ in long) < reports[-1][0] - reports[0][0]:
        return None
    lines = ev.scan("log_lines").filter(same_stream(told.row(0, named=True)) & pl.col("text").str.contains(_ELSE))
    other = lines.select("seq").collect()["seq"].to_list()
    pauses = [gap for gap, low, high in long if not any(low < at <= high for at in other)]
    if len(pauses) < A_FEW or 2 * sum(pauses) < reports[-1][0] - reports[0][0]:
        return None
    return len(pauses), min(pauses) / 1e9, usual / 1e9


_ELSE: Final = (
    r"(?i)\b(?:eval|valid|test|sav|checkpoint|ckpt|generat|sampl|compil|stage|phase|epoch \d+ (?:done|end|finish))"
)
"""Words of what takes long beside the steps."""
_LONG_PAUSES: Final = 10
_PAUSE_NS: Final = 60_000_000_000
"""What is shorter may be a save or an evaluation of which nothing is told."""


def slowed_unseen(ev: Evidence, story: Story) -> float | None:
    """How many times as long steps took from some report on, where what was sampled of the GPUs tells no why."""
    if not ev.has("gpu_samples"):
        return None
    told = ev.scan("gpu_samples").select(pl.col("sm_clock_mhz", "sm_active", "throttle_reasons").is_not_null().any())
    seconds = paces(story)["seconds"]
    change = slowdown(seconds)
    if change is None or len(seconds) < ENOUGH or any(told.collect().row(0)):
        return None
    ratio, since = change
    return ratio if ratio >= _TWICE and 4 * since <= 3 * len(seconds) else None


_TWICE: Final = 2
