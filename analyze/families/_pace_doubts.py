"""What keeps a run that ended as planned from being called healthy: it was slow, stood still, saved or waited."""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze import programs
from inquest.analyze.families._around_saves import around_saves, by_their_lines
from inquest.analyze.families._noted_clocks import SEVERE_MASK
from inquest.analyze.families._own_times import own_saves
from inquest.analyze.families._pace import paces, save_reports, save_rhythm, slowdown, wall_step_s
from inquest.analyze.families._report_lines import MOST_READ, named_values, report_blocks
from inquest.analyze.families.base import CannotDecide

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._ended import Ended
    from inquest.analyze.families._story import Story

_FEW: Final = 3
"""Saves or evaluations that show what they take."""


def slowed(run: Ended) -> CannotDecide | None:
    """Steps came to take several times as long for good, and nothing was sampled that says why."""
    ev, story, losses = run.ev, run.story, run.losses
    told = paces(story)
    seconds = told["seconds"]
    if seconds.is_empty():  # no line has a clock of which the zone is known
        seconds = story.steps.sort("line_seq", "seq", nulls_last=True)["step_time_s"].drop_nulls()
    if seconds.is_empty():
        steps = losses.frame["step"].diff()[1:].to_list() if "step" in losses.frame.columns else []
        gaps = _gaps(ev, losses)
        apart = (
            [gap / max(step or 1, 1) for gap, step in zip(gaps, steps, strict=False)] if len(gaps) == len(steps) else []
        )
        seconds = pl.Series(apart, dtype=pl.Float64)
    if (rates := _rates(ev, story, losses)) is not None:
        ratio = _came_to_take(rates, _SLOWER, by_rate=True)
    else:
        # What each step says that it took is no guess from the time between two reports. Beside samples of GPUs it is
        # their activity that tells (``_time_spent.slowed_unseen``).
        own = story.steps["step_time_s"].count() >= _REPORTS and not ev.has("gpu_samples")
        least = _TWICE if own else _SLOWER
        parts = [seconds] if told.is_empty() else _of_each_program(ev, told)
        ratio = next((found for part in parts if (found := _came_to_take(part, least)) is not None), None)
    if ratio is None or _of_a_new_stage(ev, told):
        return None
    return CannotDecide(
        because=f"Steps came to take {ratio:.1f} times as long, to the end.",
        missing=("what held them back: data, storage, clocks",),
    )


def _of_a_new_stage(ev: Evidence, told: pl.DataFrame) -> bool:
    """Whether a line right before steps came to take longer says that another stage of the work begins."""
    change = slowdown(told["seconds"]) if told.height >= _REPORTS and ev.has("log_lines") else None
    if change is None:
        return False
    seconds, (_, about) = told["seconds"], change
    # The change is known to a tenth: it lies behind the last report that is as fast as those before it.
    before, after = seconds[:about].quantile(0.25), seconds[about:].median()
    if not (isinstance(before, float) and isinstance(after, float)):
        return False
    between = math.sqrt(before * after)
    fast = (seconds < between).arg_true().max()
    if not isinstance(fast, int) or fast + 1 >= told.height:
        return False
    low, high = told["ts_ns"][fast], told["ts_ns"][fast + 1]
    said = ev.scan("log_lines").filter(pl.col("ts_ns").is_between(low, high)).select(pl.col("text").str.slice(0, 300))
    text = said.filter(pl.col("text").str.contains(_BEGINS_A_STAGE)).collect()["text"]
    return any(not _REPORTS_A_STEP.search(line) for line in text)


_BEGINS_A_STAGE: Final = (
    r"(?i)\b(?:stage|phase|curriculum|stufe|etapa|étape|fase|этап)(?:[ _-]?(?:begins?|started|starts|start|change))?\b"
    r"|阶段|段階|단계"
)
"""Words of a part of the work that is planned to be unlike the one before it."""
_REPORTS_A_STEP: Final = re.compile(r"(?i)\b(?:step|iter(?:ation)?|update|batch)[\"']?\s?[:=]?\s?\d|\bloss\b")


def _came_to_take(seconds: pl.Series, least: float, *, by_rate: bool = False) -> float | None:
    """How many times as long steps took for good; None where that is less than ``least``, or hardly felt."""
    change = slowdown(seconds)
    if change is None or len(seconds) < _REPORTS:
        return None
    ratio, since = change
    late = _FELT_S if by_rate else seconds[since:].median()
    if ratio < least or not isinstance(late, float) or late < _FELT_S:
        return None
    if 4 * since > 3 * len(seconds) and (by_rate or 3 * seconds[since:].sum() < seconds.sum()):
        return None  # neither for a quarter of the reports nor for a third of the time
    return ratio


def _of_each_program(ev: Evidence, told: pl.DataFrame) -> list[pl.Series]:
    """What steps took, apart for programs of a script that were recorded to follow one another."""
    begun = _one_by_one(ev)
    if begun["program"].n_unique() < 2:
        return [told["seconds"]]
    # The first of a program is the time since the last report of the one before.
    own = told.join_asof(begun, on="ts_ns").filter(pl.col("program") == pl.col("program").shift())
    return [part["seconds"] for part in own.partition_by("program", maintain_order=True)]


def _one_by_one(ev: Evidence) -> pl.DataFrame:
    """When which program of Python's began; none where two ever ran at once.

    The same program with other numbers, files or options is one with the first: it may go on from where that one was.
    """
    none = pl.DataFrame(schema={"ts_ns": pl.Int64, "program": pl.String})
    if not ev.has("processes"):
        return none
    wanted = pl.col("event").is_in(["start", "exit"]) & pl.col("role").ne_missing("outside")
    rows = ev.scan("processes").filter(wanted).sort("ts_ns", "seq", nulls_last=True).collect()
    running: dict[tuple[object, ...], str] = {}
    begun = []
    for row in rows.iter_rows(named=True):
        process = (row["node"], row["capture"], row["pid"])
        if row["event"] == "exit":
            running.pop(process, None)
        elif row["ts_ns"] is not None and (run := _RUN.match(row["argv"] or "")) is not None:
            program = " ".join([run[1], *(word for word in run[2].split() if word.isalpha())])
            if running and program not in running.values():
                return none
            running[process] = program
            begun.append((row["ts_ns"], program))
    return pl.DataFrame(begun, schema=none.schema, orient="row")


_RUN: Final = re.compile(rf"{programs.RUNS}((?: [^\s-]\S*){{0,8}})")


def _rates(ev: Evidence, story: Story, losses: Curve) -> pl.Series | None:
    """The time of one sample or token, in any unit, where a rate is told beside the losses."""
    told = [story.steps[name].drop_nulls().to_list() for name in ("samples_per_s", "tokens_per_s")]
    told += list(named_values(ev, losses, _RATE).values())
    rates = max(told, key=len, default=[])
    return pl.Series([1 / rate for rate in rates], dtype=pl.Float64) if rates and min(rates) > 0 else None


_RATE: Final = r"(?:(?:samples|tokens|images|imgs?|examples|sequences)(?:_per_|/)s(?:ec(?:ond)?)?|throughput)"


def stood_once(run: Ended) -> CannotDecide | None:
    """By clocks that tell no zone, one pause between two reports took most of the whole time."""
    if run.story.steps["ts_ns"].is_not_null().any():
        return None
    gaps = _gaps(run.ev, run.losses)
    if len(gaps) < _REPORTS or max(gaps) < max(_LONG_S, math.fsum(gaps) / 2):
        return None
    return CannotDecide(
        because=f"Between two of its reports {max(gaps) / 60:.0f} minutes passed, most of its time.",
        missing=("what it waited for",),
    )


_REPORTS: Final = 20
_SLOWER: Final = 4
_TWICE: Final = 2
_FELT_S: Final = 0.5


_SAVE_TOOK: Final = re.compile(r"\d ?(?:ms|s|sec|seconds?)\b")


def saved_all_along(run: Ended) -> CannotDecide | None:
    """Every step or nearly was saved, and nothing tells what the saves took."""
    story = run.story
    rhythm = save_rhythm(story) if story.unit == "step" else None
    if rhythm is None or story.steps["step_time_s"].is_not_null().any():
        return None
    if story.steps["ts_ns"].is_not_null().any() and (
        (wall_step_s(story) or 0.0) < _A_SAVE_IS_FELT_S
        or own_saves(run.ev, story)
        or around_saves(run.ev, story)
        or by_their_lines(run.ev, story)
    ):
        return None  # the clocks of its lines tell, or there is too little time for a save that anybody minds
    if any(_SAVE_TOOK.search(str(row["text"])) for row in save_reports(story)):
        return None  # each says what it took, and D2 weighs that
    saves, steps = rhythm
    if steps < run.ev.threshold("d.least_steps") or saves < steps * run.ev.threshold("d2.saves_per_step"):
        return None
    return CannotDecide(
        because=f"It saved {saves} times in {steps} steps.",
        missing=("what the saves took: a clock in its lines, samples of the GPUs",),
    )


_A_SAVE_IS_FELT_S: Final = 2.0
"""Steps that come faster, their saves with them, leave none that takes long."""


def starved_all_along(run: Ended) -> CannotDecide | None:
    """It said beside most of its reports that there was no input, and not for how long it waited."""
    if not run.ev.has("log_lines"):
        return None
    lines = run.ev.scan("log_lines").filter(pl.col("text").fill_null("").str.contains(_NO_INPUT))
    said = int(lines.select(pl.len()).collect().item())
    told = max(len(run.losses.frame), run.story.steps["step"].drop_nulls().n_unique())
    if said < max(_REPORTS, told / 2):
        return None
    because = f"It said {said} times that there was no input."
    return CannotDecide(because=because, missing=("data-loading times of the steps",))


_NO_INPUT: Final = (
    r"(?i)(?:\b(?:prefetch|input|data|batch|sample|feed)\w* (?:queue|buffer)(?: is| was| ran)? (?:empty|dry)"
    r"|\bbuffer underrun|\bwaiting for (?:more |new |the next )?(?:data|input|batch(?:es)?|samples))[^\d]*$"
)
"""Caffe's ``Data layer prefetch queue empty``; a line that tells for how long is weighed elsewhere."""


def held_back(run: Ended) -> CannotDecide | None:
    """Its own lines bear the masks of severe reasons for low clocks time and again: heat, or the power brake."""
    if not run.ev.has("log_lines"):
        return None
    text = pl.col("text").fill_null("")
    lines = run.ev.scan("log_lines").select(
        named=text.str.contains(_OF_CLOCKS), masks=text.str.extract_all(r"\b0x[0-9a-fA-F]{2,16}\b")
    )
    rows = lines.filter(pl.col("named") | (pl.col("masks").list.len() > 0)).tail(_MOST_LINES).collect()
    masks = [[int(mask, 16) for mask in each] for each in rows["masks"].to_list() if each]
    severe = sum(any(mask & SEVERE_MASK for mask in each) for each in masks)
    if not rows["named"].any() or severe < max(_REPORTS, len(masks) / 4):
        return None
    because = f"{severe} of {len(masks)} of its lines tell a severe reason for low clocks of its GPUs."
    return CannotDecide(because=because, missing=("GPU samples with clocks and reasons (NVML)",))


_OF_CLOCKS: Final = r"(?i)throttl|clocks?[_ ](?:event|throttle)?[_ ]?reasons?"
"""What says that masks beside it are of a GPU's clocks."""
_MOST_LINES: Final = 20_000


def retried(run: Ended) -> CannotDecide | None:
    """As many waits for a retry were told as reports, and each was longer than most steps are."""
    if not run.ev.has("log_lines"):
        return None
    text = pl.col("text").fill_null("")
    lines = run.ev.scan("log_lines").filter(text.str.contains(_RETRIES)).select(wait=text.str.extract(_RETRIES, 1))
    waits = lines.select(pl.col("wait").cast(pl.Float64, strict=False)).collect()["wait"].drop_nulls()
    told = max(len(run.losses.frame), run.story.steps["step"].drop_nulls().n_unique())
    if len(waits) < max(_REPORTS, told / 2) or waits.sum() < _LONG_S:
        return None
    why = f"It waited {len(waits)} times to try again what had failed, {waits.sum() / 60:.0f} minutes in all."
    return CannotDecide(because=why, missing=("what the GPUs did meanwhile",))


_RETRIES: Final = (
    r"(?i)\b(?:retry\w*|back(?:ing)? ?off|try(?:ing)? again|reconnect\w*|sleep(?:ing)?)\b[^\d]{0,24}(?:\d+/\d+ )?"
    r"(?:in|for|after)? ?(\d{1,4}(?:\.\d+)?) ?s(?:ec(?:ond)?s?)?\b"
)
_LONG_S: Final = 600


def _gaps(ev: Evidence, losses: Curve) -> list[float]:
    """Seconds from report to report, by clocks in their lines that tell no zone; none where a line has no clock."""
    clocks = [_CLOCK.search(text[:_STAMP]) for text in report_blocks(ev, losses, MOST_READ)]
    if not clocks or not all(clocks):
        return []
    times = [sum(int(part) * unit for part, unit in zip(c.groups(), (3600, 60, 1), strict=True)) for c in clocks if c]
    return [float((high - low) % _DAY_S) for low, high in itertools.pairwise(times)]


_CLOCK: Final = re.compile(r"(?<![\d:])([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?![\d:])")
_STAMP: Final = 40
_DAY_S: Final = 86_400


def aside(run: Ended) -> CannotDecide | None:
    """By the job's own clocks most of the time between its first and last report went into what is no training."""
    ev = run.ev
    times = run.story.steps["ts_ns"].drop_nulls()
    if not ev.has("log_lines") or max(len(times), len(run.losses.frame)) < _REPORTS:
        return None
    text = pl.col("text").fill_null("").str.slice(0, 500)
    lines = ev.scan("log_lines").filter(text.str.contains(_TOOK))
    if len(times):
        first, last = int(times.min()), int(times.max())  # type: ignore[arg-type]
        lines, whole = lines.filter(pl.col("ts_ns").is_between(first, last)), (last - first) / 1e9
    else:
        whole = math.fsum(_gaps(ev, run.losses))
    spent = lines.select(text.str.extract(_TOOK, 1).cast(pl.Float64, strict=False)).collect()["text"].drop_nulls()
    took = float(spent.sort().sum())
    if len(spent) < _FEW or whole < _LONG_S or not whole / 2 <= took <= whole:
        return None
    why = f"By its own clocks {took:.0f} of {whole:.0f} seconds went into saves and evaluations."
    return CannotDecide(because=why, missing=("the rate of a run that is known to be good",))


_TOOK: Final = (
    r"(?i)(?:\bsav\w+|\bcheckpoint\w*|\bwr(?:ote|it\w+)|\beval\w*|\bvalid\w*)\b.{0,120}\b(?:in|took|after)\b[ :=]{0,3}"
    r"(\d{1,6}(?:\.\d{1,6})?) ?s(?:ec(?:ond)?s?)?\b"
)
