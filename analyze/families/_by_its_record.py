"""A run held against the record that it prints, as it begins, of what was done before it: where its loss had come to.

A loop that goes on shows its history: ``history: 24 entries, last {'step': 2304, 'loss': 0.1067}``, or the last lines
of its log, all at once. What it then reports itself begins near it, unless the state was not what the record is of.
"""

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._lost_state import NotTaken, above_the_first, from_the_start, learned, shown
from inquest.analyze.families._resumes import resume_flag
from inquest.analyze.families._set_back import STRIDES
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


def behind_its_record(ev: Evidence, story: Story) -> NotTaken | None:
    """A record of steps and a loss above a training that was asked to resume, began at its start, and far above it."""
    reports = _reports(story)
    if not reports or story.loads or not (resume_flag(ev) or story.of(Kind.RESUME_SET)):
        return None
    began = reports[0]
    if not from_the_start(story, began) or not learned(ev, story):
        return None
    first = statistics.median(row["loss"] for row in reports[:STRIDES])
    for row in reversed(above_the_first(ev, story, began)):
        text = shown(row)
        loss, counts = _LOSS.search(text), [int(count) for count in _COUNT.findall(text)]
        if loss is None or not counts or _OF_BEFORE.search(text) is None:
            continue
        saved = float(loss[1])
        if 0 < saved * ev.threshold("e2.far_above") <= first and max(counts) > (began["step"] or 0):
            return NotTaken(row, began)
    return None


def out_of_its_record(ev: Evidence, story: Story) -> NotTaken | None:
    """Reports of epochs that were printed at once, below which the count went on, and the loss began anew."""
    reports = _reports(story)
    quoted = _quoted(reports)
    if quoted < 2 or story.ended_well is False:
        return None
    last, own = reports[quoted - 1], reports[quoted:]
    alike = [row["loss"] for row in own if row["kind"] == last["kind"]]
    losses = [row["loss"] for row in own]
    if len(losses) < 2 * STRIDES or not alike or not 0 < (own[0]["epoch"] or 0) - last["epoch"] <= 1:
        return None
    far = ev.threshold("e2.far_above") * last["loss"]
    if last["loss"] <= 0 or statistics.median(losses[:STRIDES]) < far or alike[0] < far or max(losses) != losses[0]:
        return None
    if losses[0] - statistics.median(losses[-STRIDES:]) < ev.threshold("e1.learned") * losses[0]:
        return None
    lines = ev.scan("log_lines").filter(
        (pl.col("node") == last["node"])
        & pl.col("source").eq_missing(pl.lit(last["source"], dtype=pl.String))
        & (pl.col("seq") == last["line_seq"])
    )
    said = list(lines.collect().iter_rows(named=True))
    return NotTaken(said[0], own[0], last["loss"], shows="and fell as that of a new model does") if said else None


def _reports(story: Story) -> list[Row]:
    """All that one stream reported of a loss, in order."""
    told = story.all_steps.filter(
        pl.col("line_seq").is_not_null() & pl.col("loss").is_finite() & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    ).sort("line_seq", "seq")
    if told.is_empty() or told.select("node", "source").n_unique() != 1:
        return []
    return list(told.iter_rows(named=True))


def _quoted(reports: list[Row]) -> int:
    """How many of the first reports stand in lines one below the other, of one instant, and count epochs on."""
    count = 0
    for at, row in enumerate(reports):
        before = reports[at - 1] if at else None
        if row["epoch"] is None or row["ts_ns"] is None or row["ts_ns"] - reports[0]["ts_ns"] > _AT_ONCE_NS:
            break
        if before is not None and (row["line_seq"] != before["line_seq"] + 1 or row["epoch"] <= before["epoch"]):
            break
        count += 1
    later = reports[count]["ts_ns"] if count < len(reports) else None
    return count if later is not None and later - reports[0]["ts_ns"] > _LATER * _AT_ONCE_NS else 0


_AT_ONCE_NS: Final = 50_000_000
_LATER: Final = 10
"""An epoch takes far longer than a line of an old log does."""
_LOSS: Final = re.compile(r"(?i)loss['\"]?\W{1,3}(\d{1,9}\.\d{1,12}(?:e[+-]?\d{1,3})?)(?![\w%])")
_COUNT: Final = re.compile(r"(?i)\b(?:step|iter(?:ation)?|epoch|update|global_step)s?['\"]?\W{1,3}(\d{1,12})\b(?!\.\d)")
_OF_BEFORE: Final = re.compile(
    r"(?i)\b(?:history|previous(?:ly)?|before|earlier|so far|last|record(?:ed|s)?|journal|past|state|progress)\b"
)
