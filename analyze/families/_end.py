"""Whether the run ended as it was planned to."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._curve import rated
from inquest.analyze.families._left_over import nothing_left
from inquest.analyze.families._margins import (
    any_count_said,
    plan_in_its_own_word,
    rounds_said,
    said_of,
    steps_by_epochs,
    to_be_played,
)
from inquest.analyze.families._rows import told_by
from inquest.analyze.families._schedule import schedule_ended
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import StoreName


_GIVES_UP: Final = "Loss is too high"
"""What axolotl's watchdog says that ends a run whose loss is beyond hope."""
_REPORTS: Final = 4
"""Reports that tell the interval between them."""


@dataclass(frozen=True, slots=True)
class PlannedEnd:
    """The sign that tells of it; ``row`` is in ``table``, and ``column`` holds the sign."""

    text: str
    table: str
    row: Row | None
    column: str
    firm: bool
    """False when only the exit status says so, or words that any program may say."""

    @property
    def store(self) -> StoreName:
        """Who told it."""
        if self.row is None:
            return "logs"
        told = told_by(self.row)
        return "processes" if told == "logs" and self.table == "fact_exits" else told


def planned_end(ev: Evidence, story: Story) -> PlannedEnd | None:
    """The best sign that the run reached its planned end; None when there is none or the exit status denies it."""
    if story.ended_well is False:
        return None
    marks = (
        (Kind.TRAIN_SUMMARY, "a final summary was printed"),
        (Kind.TRAINING_END, "the end of training was announced"),
        (Kind.EARLY_STOP, "training was stopped by its own rule"),
        (Kind.CLEAN_EXIT, "the launcher or scheduler reports success"),
        (Kind.MODEL_SAVED, "the final model was saved"),
    )
    for kind, text in marks:
        rows = [row for row in story.of(kind) if row["subject"] != _GIVES_UP and row["pattern"] != _UNIT_LEFT]
        rows = [row for row in rows if not _others_go_on(ev, row)]
        if rows:
            return PlannedEnd(text, "fact_events", rows[-1], "text", firm=True)
    end = story.end_status
    if story.total_steps is not None and story.last_step is not None and story.last_step >= story.total_steps:
        return PlannedEnd("the last planned step was reached", "fact_steps", _at_last_step(story), "step", firm=True)
    if (last := reached_its_setting(story)) is not None:
        return PlannedEnd("as many steps or epochs were done as were set", "fact_steps", last, "step", firm=True)
    if (last := _reached_its_word(ev, story)) is not None:
        return PlannedEnd("as many were done as it said at its start", "fact_steps", last, "step", firm=True)
    if (last := _last_from_zero(story)) is not None:
        text = "it counts from 0, and the last report before the planned end was made"
        return PlannedEnd(text, "fact_steps", last, "step", firm=True)
    if end is not None and (last := _last_report(story)) is not None:
        text = "the last report before the planned end was made, and the command exited with status 0"
        return PlannedEnd(text, "fact_steps", last, "step", firm=True)
    if not _planned_further(story) and (last := schedule_ended(ev, rated(story))) is not None:
        text = f"the learning rate had come to the end of its schedule, at {last['lr']:.4g}"
        return PlannedEnd(text, "fact_steps", last, "lr", firm=True)
    if not _planned_further(story) and (last := nothing_left(ev, story)) is not None:
        text = "no time was left, by the last report's own word"
        return PlannedEnd(text, "fact_steps", last, "step", firm=True)
    said = story.of(Kind.FAREWELL)
    if said and not _planned_further(story) and not _others_go_on(ev, said[-1]):
        return PlannedEnd(
            "its last words were those of a loop that is done", "fact_events", said[-1], "text", firm=False
        )
    if end is not None:
        tracked = told_by(end.row) == "metrics"
        text = "the tracker noted exit code 0" if tracked else "the command exited with status 0"
        return PlannedEnd(text, "fact_exits", end.row, "exit_code", firm=False)
    if (left := _unit_left(story)) is not None:
        return PlannedEnd("its service ended without an error", "fact_events", left, "text", firm=False)
    return None


def _unit_left(story: Story) -> Row | None:
    """What systemd says of a service that ended well; it says so of one that was told to stop as well."""
    left = [row for row in story.of(Kind.CLEAN_EXIT) if row["pattern"] == _UNIT_LEFT]
    bars = story.steps.filter((pl.col("kind") == "bar") & pl.col("step").is_not_null())
    halfway = not bars.is_empty() and bars.select((pl.col("step") < pl.col("total_steps")).last()).item() is True
    if not left or halfway or _planned_further(story) or story.of(*_ASKED):
        return None
    return left[-1]


_UNIT_LEFT: Final = "systemd.deactivated"
_ASKED: Final = (
    Kind.SCHEDULER_TERM,
    Kind.SIGNAL_RECEIVED,
    Kind.PLANNED_EXIT,
    Kind.USER_INTERRUPT,
    Kind.CANCELLED,
    Kind.PREEMPTED,
    Kind.TIME_LIMIT,
)
"""What ends a service by a signal that systemd counts as no error."""


def _others_go_on(ev: Evidence, row: Row) -> bool:
    """Whether an end is that of one of Ray Tune's trials, and the last word on another is that it is not done."""
    completed = _COMPLETES.search(str(row["text"])) is not None
    if (row["pattern"] != _OF_A_TRIAL and not completed) or row["line_seq"] is None:
        return False
    text = pl.col("text")
    if completed:
        failed = ev.scan("log_lines").filter(same_stream(row) & text.str.contains(_ERRORED)).head(1)
        return not failed.collect().is_empty()
    lines = ev.scan("log_lines").filter(same_stream(row) & text.str.contains(_TRIAL)).sort("seq")
    told = lines.select(name=text.str.extract(_TRIAL).forward_fill(), done=text.str.extract(_TRIAL, 2)).drop_nulls()
    last = told.collect().group_by("name").agg(pl.col("done").last())
    return bool((last["done"] == "false").any())


_OF_A_TRIAL: Final = "loop.ray_done"
_COMPLETES: Final = re.compile(r"\bTrial \S{1,160} completed after \d+ iterations at ")
_ERRORED: Final = r"^(?:\([^()]{1,120}\) )?Trial \S{1,160} errored after \d+ iterations at "
_TRIAL: Final = r"^(?:\([^()]{1,120}\) )?(?:Result for ([\w-]{1,120}):|  done: (true|false)$)"


def _last_report(story: Story) -> Row | None:
    """The last report of the run where no further one was due: less than one interval before the planned end."""
    if story.total_steps is None or story.last_step is None or _planned_further(story):
        return None
    return _at_last_step(story)


def reached_its_setting(story: Story) -> Row | None:
    """The last report where its number is that of the steps or epochs that were set, or one less, counted from 0.

    A setting is a limit, which other limits may come before; who comes to it exactly was ended by it.
    """
    if story.total_steps is not None or story.last_step is None:
        return None
    done = {story.last_step, story.last_step + _counts_from_zero(story)}
    kind = Kind.PLANNED_EPOCHS if story.unit == "epoch" else Kind.PLANNED_STEPS
    reached = any(row["num"] in done or _none_was_due(story, row["num"]) for row in story.of(kind))
    # Who plays in rounds ends with the one in which it came to its limit.
    before = story.steps["step"].drop_nulls().unique().sort()[:-1].max()
    rounds = [row["num"] or 0 for row in story.of(kind) if _OF_GAMES.search(str(row["subject"]))]
    reached |= isinstance(before, int) and any(before < limit <= story.last_step for limit in rounds)
    # Parts of epochs stand beside steps.
    epochs = story.steps["epoch"].drop_nulls()
    if story.unit == "step" and (epochs % 1 > 0).any():
        last = float(epochs.max())  # type: ignore[arg-type]
        reached |= any(0 < (row["num"] or 0) <= last for row in story.of(Kind.PLANNED_EPOCHS))
    elif story.unit == "step" and (whole := _whole_epochs(story)) is not None:
        reached |= any(row["num"] == whole for row in story.of(Kind.PLANNED_EPOCHS))
    return _at_last_step(story) if reached and len(story.steps["step"].drop_nulls().unique()) >= _REPORTS else None


def _reached_its_word(ev: Evidence, story: Story) -> Row | None:
    """The last report where it is of the number that the program said, at its start, that it would do.

    Steps of a game are played in rounds: the last one begins below that number, or ends with a game shortly before it.
    """
    steps = story.steps["step"].drop_nulls().unique().sort()
    if story.total_steps is not None or story.last_step is None or len(steps) < _REPORTS:
        return None
    counts = _counts_from_zero(story)
    plan = plan_in_its_own_word(ev, story)
    reached = plan is not None and plan[1] in (story.last_step, story.last_step + counts)
    reached |= steps_by_epochs(ev, story) in (story.last_step, story.last_step + counts)
    reached |= rounds_said(ev, story) in (story.last_step, story.last_step + counts)
    learned = pl.col("loss", "eval_loss", "score", "accuracy").is_not_null().any()
    reached |= story.steps.select(pl.any_horizontal(learned)).item() and any_count_said(ev, story)
    if (whole := _whole_epochs(story)) is not None:
        reached |= said_of(ev, story, "epoch") == whole
    if (played := to_be_played(ev, story)) is not None:
        reached |= steps[-2] < played <= story.last_step
        reached |= 0 < played - story.last_step <= _NEXT_TO_NOTHING * played
    return _at_last_step(story) if reached else None


_NEXT_TO_NOTHING: Final = 0.005
"""Part of a run in which no game came to its end any more."""
_OF_GAMES: Final = re.compile(r"(?i)(?:time|env)[_-]?steps|frames")


def _whole_epochs(story: Story) -> int | None:
    """How many epochs reports number beside their steps, where the last of them came as far as those before it."""
    told = story.steps.filter(pl.col("step").is_not_null() & pl.col("epoch").is_not_null())
    ends = told.group_by("epoch").agg(pl.col("step").max()).sort("epoch")
    lengths, interval = ends["step"].diff().drop_nulls(), told["step"].unique().sort().diff().median()
    if len(lengths) < _REPORTS or not isinstance(interval, float) or ends["epoch"][0] not in (0.0, 1.0):
        return None
    whole = lengths[-1] + interval > float(lengths[:-1].median())  # type: ignore[arg-type]
    return int(ends["epoch"][-1]) + (ends["epoch"][0] == 0) if whole else None


def _last_from_zero(story: Story) -> Row | None:
    """The last report of a run that counts from 0, where no further one was due before its planned end."""
    if story.total_steps is None or story.last_step is None or not _counts_from_zero(story):
        return None
    last, left = _at_last_step(story), story.total_steps - story.last_step
    interval = story.steps["step"].drop_nulls().unique().sort().diff().median()
    whole = last["kind"] == "epoch" or left <= _NEXT_TO_NONE * story.total_steps
    return last if left == 1 or (left == interval and whole) else None


def _none_was_due(story: Story, plan: float | None) -> bool:
    """Whether a loop that counts from 0 had made its last report before so many steps."""
    interval = story.steps["step"].drop_nulls().unique().sort().diff().median()
    if plan is None or story.last_step is None or not isinstance(interval, float) or not _counts_from_zero(story):
        return False
    return plan - story.last_step == interval <= _NEXT_TO_NONE * plan


_NEXT_TO_NONE: Final = 0.02
"""Part of a run after its last report in which a loop that counts from 0 makes no other."""


def _counts_from_zero(story: Story) -> bool:
    """Whether the first of several reports is of step 0, or of the last of an interval that began there; no bar."""
    told = story.steps.filter(story.steps["step"].is_not_null())
    steps = told["step"].unique().sort()
    interval = steps.diff().median()
    if len(steps) < _REPORTS or not isinstance(interval, float) or "bar" in told["kind"]:
        return False
    # Of reports that are thinned out, all come one before a multiple of what lay between them at first.
    one_before = math.gcd(*(step + 1 for step in steps.to_list())) >= _APART
    return steps[0] == 0 or (interval > 1 and (steps[0] + 1) % interval == 0) or one_before


_APART: Final = 10


def _at_last_step(story: Story) -> Row:
    """The last report of the highest step."""
    return story.steps.filter(story.steps["step"] == story.last_step).row(-1, named=True)


def _planned_further(story: Story) -> bool:
    """True where a further report was due before the last planned step, as far as one was told."""
    if story.total_steps is None or story.last_step is None:
        return False
    return story.steps["step"].drop_nulls().n_unique() < _REPORTS or stops_short(story)


def stops_short(story: Story) -> bool:
    """True where the interval of the reports is known, and at least one more was due before the last planned step."""
    if story.total_steps is None or story.last_step is None:
        return False
    reported = story.steps["step"].drop_nulls().unique().sort()
    interval = reported.diff().median()
    known = len(reported) >= _REPORTS and isinstance(interval, float)
    return known and story.total_steps - story.last_step > interval  # type: ignore[operator]
