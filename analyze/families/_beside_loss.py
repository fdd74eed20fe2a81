"""What tells of learning beside the loss: rewards, shares of right answers, validation."""

from __future__ import annotations

import itertools
import math
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._curve import LANGUAGE, Curve, ends, rated, series
from inquest.analyze.families._resumes import from_scratch
from inquest.analyze.families._signs import FAR, FIRST, NEARLY_ALL, SURE, Sign, hardly_moved, level_throughout

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


def gained(story: Story, below: float = math.inf) -> bool:
    """Whether anything told beside the loss was better at the end than at the beginning.

    Args:
        story: What happened.
        below: What a validation loss has to come down to, for its fall to say anything.
    """
    score = ends(series(story, "score"))
    return (score is not None and score[2] > score[0]) or _validated_better(story, below)


def _validated_better(story: Story, below: float = math.inf) -> bool:
    """Whether a validation loss was lower, or an accuracy higher, at the end than at the beginning."""
    validated, right = ends(series(story, "eval_loss")), ends(series(story, "accuracy"))
    return (validated is not None and validated[2] < min(validated[0], below)) or (
        right is not None and right[2] > right[0]
    )


def rewarded(story: Story) -> bool:
    """Whether what is to rise rose, and stands where it was best: the loss of who plays for it need not fall."""
    levels = ends(series(story, "score"))
    return levels is not None and levels[2] - levels[0] >= NEARLY_ALL * (levels[1] - levels[0]) > 0


def gave_back(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """A reward that had risen far, and fell back to where it began or below, for a fifth of the run and more.

    Or, where no loss is told to judge, what samples or answers were judged by.
    """
    lost = _back(series(story, "score"), rises=True)
    name, column = "reward", "score"
    if lost is None and not losses.finite:
        lost, name, column = _back(series(story, "eval_loss"), rises=False), "validation", "eval_loss"
    if lost is None and not losses.finite:
        lost, name, column = _back(series(story, "accuracy"), rises=True), "share of right answers", "accuracy"
    if lost is None:
        return None
    first, best, end, top = lost
    half, sign = (first + best) / 2, 1 if best > first else -1
    frame = story.steps.filter(pl.col(column).is_finite()).sort("line_seq", "seq", nulls_last=True)
    row = next(
        (each for each in frame[top:].iter_rows(named=True) if sign * each[column] <= sign * half),
        frame.row(-1, named=True),
    )
    text = f"the {name} had come from {first:.4g} to {best:.4g}, and fell back to {end:.4g} for good"
    return Sign("diverged", text, row, "fact_steps", column, decisive=False)


def _back(values: list[float], *, rises: bool) -> tuple[float, float, float, int] | None:
    """First, best and last level of what was won and lost for good, and the report that begins the best part."""
    parts = 20 if len(values) >= 20 * FIRST else 10  # of few reports, by tenths of two and more
    part, fifth = len(values) // parts, parts // 5
    if part < FIRST - 1:
        return None
    sign = 1 if rises else -1
    levels = [sign * statistics.median(values[at : at + part]) for at in range(0, parts * part, part)]
    first, best = levels[0], max(levels)
    top = levels.index(best)
    rest = levels[-fifth:]
    noise = statistics.median(abs(high - low) for low, high in itertools.pairwise(values))
    won = best - first
    if top >= parts - fifth or won <= FAR * noise or max(rest) > first + (1 - NEARLY_ALL) * won:
        return None
    return sign * first, sign * best, sign * statistics.median(rest), top * part


def never_right(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """Not one right answer to the end, of a model trained from scratch whose loss never came down either."""
    right, validated, enough = (
        series(story, "accuracy"),
        series(story, "eval_loss"),
        ev.threshold("e1.guessing_reports"),
    )
    curves = [values for values in (losses.finite, validated) if values]
    if any(right) or not from_scratch(story) or any(each != 0 for each in series(story, "score")):
        return None
    told = min(map(len, (right, *curves))) >= enough
    if not told or not all(hardly_moved(ev, values, "e1.noisy_plateau") for values in curves):
        return None
    row = story.steps.filter(pl.col("accuracy").is_finite()).sort("line_seq", "seq", nulls_last=True).row(0, named=True)
    text = f"not one right answer in any of {len(right)} reports{', and no loss came down' if curves else ''}"
    return Sign("not_learning", text, row, "fact_steps", "accuracy", decisive=False)


def right_by_chance(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """A loss that came down to next to nothing, while answers are as seldom right as at first: it is met by a trick.

    Embeddings that are all the same meet some losses, labels that were learned by heart others.
    """
    right = series(story, "accuracy")
    if len(right) < ev.threshold("e1.guessing_reports") or not from_scratch(story) or losses.tail is None:
        return None
    level, begin = statistics.median(right), losses.finite[0]
    fell = 0 <= losses.tail <= ev.threshold("e1.lost") * begin
    if not fell or not 0 < level <= _SELDOM or max(right[len(right) // 10 :]) > 2 * level:
        return None
    if not level_throughout(ev, [-value for value in right], SURE):
        return None
    row = story.steps.filter(pl.col("accuracy").is_finite()).sort("line_seq", "seq", nulls_last=True).row(0, named=True)
    text = f"the loss came from {begin:.4g} to {losses.tail:.4g}, and {level:.3g} of the answers are right, as at first"
    return Sign("not_learning", text, row, "fact_steps", "accuracy", decisive=False)


_SELDOM: Final = 0.15
"""A share of right answers that is no more than guessing among a few classes."""


def guesses_alone(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """Answers as often right as by guessing among a usual number of classes, to the end, where no loss is told."""
    right = series(story, "accuracy")
    if losses.finite or series(story, "eval_loss") or len(right) < _MANY or not from_scratch(story):
        return None
    level = statistics.median(right)
    classes = next((usual for usual in (10, 100, 1000) if abs(level * usual - 1) <= _NEARLY), None)
    if classes is None or max(right) > 2 * level or not level_throughout(ev, [-value for value in right], SURE):
        return None
    row = story.steps.filter(pl.col("accuracy").is_finite()).sort("line_seq", "seq", nulls_last=True).row(0, named=True)
    text = f"{level:.3g} of the answers are right throughout, which is guessing among {classes}"
    return Sign("not_learning", text, row, "fact_steps", "accuracy", decisive=False)


_MANY: Final = 20
"""Reports of a share of right answers that did not rise by no chance."""
_NEARLY: Final = 0.05


def never_rewarded(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """The very same reward, nothing or less, in each of many reports: what there is to reach was never reached."""
    scores = series(story, "score")
    if len(scores) < 2 * ev.threshold("e1.plateau_losses") or len(set(scores)) > 1 or scores[0] > 0:
        return None
    if losses.fell or _validated_better(story):
        return None
    row = story.steps.filter(pl.col("score").is_finite()).sort("line_seq", "seq", nulls_last=True).row(0, named=True)
    text = f"the reward is {scores[0]:.4g} in all of {len(scores)} reports"
    return Sign("not_learning", text, row, "fact_steps", "score", decisive=False)


def rewarded_as_at_random(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """A return that never left, in all of a long plan, the scatter it had at its first reports.

    Not where it may be the best there is: a share or a verdict of 0 to 1, one that is met again and again as the
    highest, and that of a language model, which had learned before. Nor where nothing tells that a policy was trained.
    """
    told = story.steps.filter(pl.col("score").is_finite()).sort("line_seq", "seq", nulls_last=True)
    scores = series(story, "score")
    if (
        len(scores) < _LONG_PLAY
        or not _was_pushed(ev, told, losses)
        or not from_scratch(story)
        or (story.first_step or 0) > 1
    ):
        return None
    if story.unit == "trial" or told["framework"].is_in(list(LANGUAGE)).any() or _validated_better(story):
        return None
    level, third, tenth = statistics.median(scores), len(scores) // 3, len(scores) // 10
    ordered = sorted(scores)
    spread = ordered[3 * len(scores) // 4] - ordered[len(scores) // 4]
    at_best = -1 <= level <= 1 or scores.count(max(scores)) > len(scores) // 20 or not spread
    moved = statistics.median(scores[-third:]) - statistics.median(scores[:third])
    levels = [statistics.median(scores[at : at + tenth]) for at in range(0, 10 * tenth, tenth)]
    levels.append(statistics.median(scores[:FIRST]))
    if at_best or abs(moved) > SURE * spread / math.sqrt(third) or max(abs(each - level) for each in levels) > spread:
        return None
    text = f"the reward stood, no higher than at first, at {level:.4g} in all of {len(scores)} reports"
    return Sign("not_learning", text, told.row(0, named=True), "fact_steps", "score", decisive=False)


_LONG_PLAY: Final = 200
"""Reports in which a policy that learns leaves what it got at random."""


def _was_pushed(ev: Evidence, told: pl.DataFrame, losses: Curve) -> bool:
    """Whether a learning rate is told beside a reward, and is not nothing; without one, whether a loss is."""
    rates, norms = told["lr"].drop_nulls(), pl.Series(dtype=pl.Float64)
    if ev.has("metrics") and not told.is_empty():
        source = pl.lit(told["source"][0], dtype=pl.String)
        beside = ev.scan("metrics").filter(pl.col("source").eq_missing(source) & pl.col("value").is_finite())
        table = beside.select(pl.col("name").fill_null(""), "value").collect()
        rates = pl.concat([rates, table.filter(pl.col("name").str.contains(_RATE))["value"]])
        norms = table.filter(pl.col("name").str.contains(_NORM))["value"]
    if len(rates) or len(norms):
        return bool(
            (rates.is_empty() or (rates > ev.threshold("e1.dead_rate")).any())
            and (norms.is_empty() or (norms > ev.threshold("e1.dead_gradient")).any())
        )
    return bool(losses.finite)


_RATE: Final = r"(?i)(?:^|[/_.])(?:lr|learning_rate)$"
_NORM: Final = r"(?i)(?:^|[/_.])grad(?:ient)?s?_(?:\w+_)?norm$"
"""Names that trackers give to what tells that a policy was trained, and not only played."""


def unrewarded(ev: Evidence, story: Story) -> Sign | None:
    """A policy whose learning rate was nothing throughout, and whose reward stands where it began."""
    told = rated(story).filter(pl.col("score").is_finite())
    rates, scores = told["lr"].drop_nulls(), told["score"].to_list()
    highest = rates.max()
    if len(rates) < len(scores) or len(scores) < ev.threshold("e1.plateau_losses") or not isinstance(highest, float):
        return None
    if highest > ev.threshold("e1.dead_rate") or not level_throughout(ev, [-score for score in scores], SURE):
        return None
    text = f"the reward stayed at {statistics.median(scores):.4g} with a learning rate of {highest:.3g} throughout"
    return Sign("not_learning", text, told.row(0, named=True), "fact_steps", "lr", decisive=True)


def validated_since(story: Story, row: Row) -> bool:
    """Whether validation was better to the end than ever before a rise: then what training measures is another loss.

    Mixed or smoothed labels, dropout and harder data raise the loss of training alone.
    """
    for column, sign in (("eval_loss", -1), ("accuracy", 1)):
        told = story.steps.filter(pl.col(column).is_finite() & pl.col("step").is_not_null())
        before = told.filter(pl.col("step") <= row["step"])[column] * sign if row["step"] is not None else None
        if before is None or len(before) < FIRST or story.last_step is None:
            continue
        after = told.filter(pl.col("step") > row["step"]).sort("step")
        late = after.filter(2 * pl.col("step") > row["step"] + story.last_step)[column] * sign
        # Nearly all of the late ones: one that is no more than lucky is not enough.
        if len(late) >= FIRST and late.quantile(1 - NEARLY_ALL, "lower") > before.max():  # type: ignore[operator]
            return True
    return False
