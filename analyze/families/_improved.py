"""What improved beside the training loss or in its place, and what should have and did not."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from inquest.analyze.families._curve import Curve, ends, series
from inquest.analyze.families._resumes import from_scratch
from inquest.analyze.families._rows import told_by
from inquest.analyze.families._signs import SURE, level_throughout, never_fell
from inquest.analyze.metric_names import column_of

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import StoreName


@dataclass(frozen=True, slots=True)
class Gain:
    """What improved beside the training loss, or in its place."""

    name: str
    column: str
    measure: Literal["MAX", "MIN"]
    first: float
    last: float
    store: StoreName

    @property
    def text(self) -> str:
        """In words."""
        went = "rose" if self.measure == "MAX" else "fell"
        return f"the {self.name} {went} from {self.first:.4g} to {self.last:.4g}"


def gain_beside(ev: Evidence, story: Story, losses: Curve) -> Gain | None:
    """A reward that rose; or, where no training loss was told, a validation loss that fell, an accuracy that rose."""
    score = ends(scores := series(story, "score"))
    trial = story.unit == "trial"
    rose = score is not None and (
        trial or never_fell(scores) or not level_throughout(ev, [-each for each in scores], SURE)
    )
    if score is not None and score[2] > score[0] and rose:
        row = story.steps.filter(pl.col("score").is_finite()).row(-1, named=True)
        return Gain(_BEST if trial else "score", "score", "MAX", score[0], score[2], told_by(row))
    validated = None if losses.finite else ends(series(story, "eval_loss"))
    if validated is not None and validated[0] != 0 and validated[2] <= ev.threshold("g1.no_fall") * validated[0]:
        row = story.steps.filter(pl.col("eval_loss").is_finite()).row(-1, named=True)
        name = _BEST if story.unit == "trial" else _called(ev, "validation loss", row)
        return Gain(name, "eval_loss", "MIN", validated[0], validated[2], told_by(row))
    right = None if losses.finite else ends(series(story, "accuracy"))
    if right is not None and right[0] < right[2] <= 1 and 1 - right[2] <= ev.threshold("g1.no_fall") * (1 - right[0]):
        row = story.steps.filter(pl.col("accuracy").is_finite()).row(-1, named=True)
        return Gain(_called(ev, "accuracy", row), "accuracy", "MAX", right[0], right[2], told_by(row))
    return None


_BEST: Final = "best value found"


def _called(ev: Evidence, usual: str, row: Row) -> str:
    """What a tracker calls the metric that stands for a usual one, as FID or Dice; else the usual name."""
    if told_by(row) != "metrics":
        return "validation figure" if row["framework"] == "judged" else usual
    names = ev.scan("metrics").select(pl.col("name").unique()).collect()["name"].drop_nulls().to_list()
    column, stand_in = _STAND_INS[usual]
    if any(column_of(name) == column for name in names):
        return usual
    others = [name for name in names if column_of(name) == stand_in]
    return others[0] if len(others) == 1 else usual


_STAND_INS: Final = {"validation loss": ("eval_loss", "judged"), "accuracy": ("accuracy", "quality")}


def never_validated(ev: Evidence, story: Story) -> tuple[float, float] | None:
    """First and last validation loss where none was lower than the first ones, and the last is far above them."""
    return never_lower(ev, series(story, "eval_loss"))


def answers_improved(ev: Evidence, story: Story) -> bool:
    """Whether a share of right answers, whoever told it, rose for most of the run and ends next to its best.

    What is surer of its mistakes has a higher loss, and may still be right more often.
    """
    told = story.all_steps.filter(pl.col("accuracy").is_finite() & pl.col("accuracy").is_between(0, 1))
    for _, part in told.group_by("node", "source", "rank"):
        values = part.sort("line_seq", "seq", nulls_last=True)["accuracy"].to_list()
        levels = ends(values)
        if len(values) < _FEW or levels is None:
            continue
        first, best, last = levels
        gained = 1 - last <= (1 - ev.threshold("e1.learned")) * (1 - first)
        if gained and best - last <= (1 - _KEPT) * (best - first):
            return True
    return False


_KEPT: Final = 0.9
"""Part of what was gained at the best that is kept at the end."""


def never_lower(ev: Evidence, values: list[float]) -> tuple[float, float] | None:
    """The same of the values of any validation that is to come down."""
    told = ends(values)
    if told is None or told[0] <= 0:
        return None
    begin, _, last = told
    fell = min(values) < (1 - _FELL) * min(values[: max(2, len(values) // 10)])
    return None if fell or last < ev.threshold("g1.above_best") * begin else (begin, last)


_FELL: Final = 0.01


def collapsed(ev: Evidence, first: float, highest: float, last: float) -> bool:
    """Whether a reward gave back most of what it had won."""
    won = highest - first
    return won > 0 and highest - last >= ev.threshold("parent.forgotten") * won


def validation_lost(story: Story) -> int | None:
    """How many validation losses to the end are NaN, where there were numbers before: weights that are NaN stay so."""
    told = story.steps["eval_loss"].drop_nulls().to_list()
    lost = sum(1 for _ in itertools.takewhile(math.isnan, reversed(told)))
    return lost if 0 < lost < len(told) else None


def hardly_fell(ev: Evidence, story: Story, losses: Curve) -> tuple[float, float] | None:
    """First and last level of a loss that came down by a few per cent only, where its validation did not come down."""
    told, validated = ends(losses.finite), ends(series(story, "eval_loss"))
    if told is None or validated is None or told[0] <= 0:
        return None
    # The first report of an epoch holds what was before its first steps.
    if len(losses.finite) >= _ALIKE and len({*losses.finite[1:]}) == len({*series(story, "eval_loss")}) == 1:
        return told[0], told[2]
    right = ends(series(story, "accuracy"))
    if right is not None and right[2] > right[0]:
        return None
    # Fewer reports do, and a little fall proves nothing, where a third figure, of right answers, says the same.
    thrice = right is not None and right[2] < _MUCH_TO_LEARN
    if len(losses.finite) < (_FEW if thrice else ev.threshold("e1.plateau_losses")):
        return None
    hardly = told[2] >= (1 - (2 if thrice else 1) * ev.threshold("e1.noisy_plateau")) * told[0]
    return (told[0], told[2]) if hardly and validated[2] >= (1 - _FELL) * validated[0] else None


_ALIKE: Final = 5
"""Reports that are the same to the last digit, in training and in validation, of what does not learn."""
_FEW: Final = 10
"""Reports of three figures that agree, where one figure alone takes many more."""


def never_better(ev: Evidence, story: Story) -> tuple[str, float, float] | None:
    """A reward, or a share of right answers, that did not rise and leaves much to learn: name, first and last level."""
    for name, column in (("score", "score"), ("accuracy", "accuracy")):
        told = ends(values := series(story, column))
        if told is None or not from_scratch(story):
            continue
        if never_fell(values) or (column == "accuracy" and told[2] > _MUCH_TO_LEARN):
            continue
        if told[2] <= told[0] or level_throughout(ev, [-value for value in values], SURE):
            return name, told[0], told[2]
    return None


_MUCH_TO_LEARN: Final = 0.75
"""A share of right answers below which no classifier stays that learns."""
