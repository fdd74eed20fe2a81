"""Whether a run that ended well did what it was to do, by its settings, its own word and its own reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._curve import Curve, series
from inquest.analyze.families._end import PlannedEnd, reached_its_setting, stops_short
from inquest.analyze.families._margins import plan_in_its_own_word
from inquest.analyze.families.e3_undertrained import BY_RULE, FOR_NOW, epochs_done, one_by_one
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.plain_loops import AT_HEAD
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


def short_of_its_word(ev: Evidence, story: Story) -> tuple[str, int] | None:
    """What the program said at its start that it would do, where it did less than half, and no rule tells why."""
    ended = any(row["pattern"] in BY_RULE for row in story.of(Kind.TRAINING_END)) or story.of(*FOR_NOW)
    validated = series(story, "eval_loss")
    if ended or story.last_step is None or (len(validated) > 1 and min(validated) < validated[-1]):
        return None
    plan = plan_in_its_own_word(ev, story)
    return plan if plan is not None and story.last_step <= _HALF * plan[1] else None


def short_in_its_heads(ev: Evidence, story: Story) -> tuple[int, int] | None:
    """How many of how many were done by ``[4/8]`` before the words of its reports, where less than all were.

    It stands before all of them and moves, while something else counts: epochs around steps, trials around epochs.
    """
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    if told.is_empty() or story.of(Kind.EARLY_STOP) or not ev.has("log_lines"):
        return None
    last = told.row(-1, named=True)
    mine = told.filter(same_stream(last)).select(pl.col("line_seq").alias("seq"), "step").unique("seq")
    lines = ev.scan("log_lines").filter(same_stream(last), pl.col("seq").is_in(mine["seq"].implode()))
    heads = pl.col("text").str.replace_all(ANSI, "").str.extract_groups(AT_HEAD).struct
    counts = (heads.field(name).cast(pl.Int64, strict=False).alias(of) for name, of in (("1", "done"), ("2", "whole")))
    rows = lines.select("seq", *counts).collect().join(mine, on="seq").sort("seq")
    done, whole = rows["done"], rows["whole"]
    if done.null_count() or whole.n_unique() != 1 or done.n_unique() < 2 or (done.diff().drop_nulls() < 0).any():
        return None
    if (done == rows["step"]).all() or story.total_steps == whole[0]:
        return None
    count = int(done[-1]) + (1 if done[0] == 0 else 0)
    return (count, int(whole[0])) if count < whole[0] else None


def far_from_settings(ev: Evidence, story: Story, end: PlannedEnd) -> tuple[str, float, int] | None:
    """What a setting, a word or the reports wanted many more of than were done.

    Its name, how many it wanted, and how many were done. It is a limit, as a rule; of a run that says it is done, and
    of one that was stopped by a rule, another came first.
    """
    if story.of(Kind.EARLY_STOP) or any(row["pattern"] in BY_RULE for row in story.of(Kind.TRAINING_END)):
        return None
    if story.total_steps is not None and story.last_step is not None:
        all_but = end.firm and story.last_step >= _NEARLY * story.total_steps
        short = not all_but and _stops_short(story)
        return ("its own reports", float(story.total_steps), story.last_step) if short else None
    if not story.steps.filter(pl.col("score").is_not_null()).is_empty():
        return None  # of episodes, too, a limit of steps is set
    if reached_its_setting(story) is not None:
        return None  # of several limits the first to come
    validated = series(story, "eval_loss")
    past_best = len(validated) > 1 and min(validated) < validated[-1]
    steps = story.last_step if story.unit == "step" else None
    epochs = epochs_done(story)
    at_most = story.last_step if epochs is None and one_by_one(story) else epochs
    for kind, counted in ((Kind.PLANNED_STEPS, steps), (Kind.PLANNED_EPOCHS, epochs)):
        least = min((row for row in story.of(kind) if row["num"]), key=lambda row: row["num"], default=None)
        if least is None:
            continue
        own = str(least["pattern"]).startswith("settings.")  # it was set for this run, and not quoted
        done = at_most if own and kind == Kind.PLANNED_EPOCHS else counted
        if done is None:
            continue
        part = ev.threshold("e3.of_plan") if past_best else _ALL_BUT if own and not end.firm else _HALF
        if done <= part * least["num"]:
            return str(least["subject"]), float(least["num"]), done
    return None


def only_evaluates(ev: Evidence, story: Story, losses: Curve) -> bool:
    """Whether words tell of an evaluation or of predictions, and neither a word nor a report of training."""
    if losses.head and losses.tail is not None and losses.tail <= (1 - ev.threshold("e1.learned")) * losses.head:
        return False
    reported = story.steps.select(pl.col("lr", "grad_norm", "epoch").is_not_null().any())
    if not ev.has("log_lines") or any(reported.row(0)):
        return False
    text = pl.col("text").fill_null("")
    says = (
        ev.scan("log_lines")
        .head(_WORDS)
        .select(text.str.contains(_EVALUATES).any(), trains=text.str.contains(_TRAINS).any())
    )
    evaluates, trains = says.collect().row(0)
    return bool(evaluates and not trains)


_WORDS: Final = 20_000
_EVALUATES: Final = (
    r"(?i)\b(?:evaluat(?:e|ing|ion)|inference|infer(?:ring)?|predict(?:ing|ions)?|benchmark(?:ing)?|scoring)\b"
)
_TRAINS: Final = r"(?i)train|epoch|optimi[sz]|fine-?tun|\bfit|\blr\b|learning[ _]rate|backward|grad|learn"


def _stops_short(story: Story) -> bool:
    """Whether further reports were due before the planned end, and nothing tells of a rule that came first.

    A validation that was past its best is such a rule, which says nothing; a trainer sums up what a callback stopped.
    """
    validated = series(story, "eval_loss")
    past_best = len(validated) > 1 and min(validated) < validated[-1]
    rule = any(row["pattern"] in BY_RULE for row in story.of(Kind.TRAINING_END))
    return stops_short(story) and not (past_best or rule or story.of(Kind.TRAIN_SUMMARY, *FOR_NOW))


_HALF: Final = 0.5
_ALL_BUT: Final = 0.95
_NEARLY: Final = 0.98
"""What a run came to that says that it is done: its last reports may be missing, or not due."""
