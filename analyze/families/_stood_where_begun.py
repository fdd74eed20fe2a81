"""A loss that stands from the first report of a whole plan to the last where it began: nothing was learned."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._by_design import asks_among_many
from inquest.analyze.families._curve import series
from inquest.analyze.families._end import planned_end
from inquest.analyze.families._resumes import from_scratch
from inquest.analyze.families._shape import sought_a_rate
from inquest.analyze.families._short_of_plan import only_evaluates
from inquest.analyze.families._signs import FIRST, SURE, Sign, level_throughout

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._story import Story

_MANY: Final = 100
"""Reports that tell of a standing loss where no word tells that the plan was done."""
_MUCH_LEFT: Final = 1.0
"""A loss below this may be all there is to reach: of a denoiser, of two that play each other, of fine-tuning."""
_THIRDS: Final = 0.005
_SCATTER: Final = 0.02
_TENTHS: Final = 0.01
_VALIDATED: Final = 5
"""Validations that stand as well."""
_PUSHES: Final = 1e-4
"""A learning rate at which every loaded model moves, too: fine-tuning takes less as a rule."""
_LONG: Final = 2000
"""Steps in which any model leaves the level of guessing."""


def stood_where_begun(ev: Evidence, story: Story, losses: Curve) -> Sign | None:
    """A loss that never left where it began, at the level of guessing among tokens or with its validation beside it."""
    values = losses.finite
    many = len(values) >= _MANY
    if not many and (len(values) < ev.threshold("e1.plateau_losses") or planned_end(ev, story) is None):
        return None
    if not from_scratch(story) or sought_a_rate(losses) or not _stands(values) or series(story, "score"):
        return None
    right, validated = series(story, "accuracy"), series(story, "eval_loss")
    if len(right) >= FIRST and not level_throughout(ev, [-value for value in right], SURE):
        return None
    level, rates = statistics.median(values), losses.frame["lr"].drop_nulls().to_list()
    least = ev.threshold("g1.guessing_loss")
    guesses = min(level, values[0]) >= least and (story.last_step or 0) >= _LONG
    alike = not validated or max(validated) - min(validated) <= _TENTHS * abs(statistics.median(validated))
    beside = len(validated) >= _VALIDATED and bool(rates) and max(rates) >= _PUSHES
    if not alike or not (guesses or beside) or only_evaluates(ev, story, losses) or asks_among_many(ev, losses):
        return None
    text = f"the loss stood at {level:.4g} in all of {len(values)} reports"
    text += ", and validation with it" if len(validated) >= FIRST else ""
    row = losses.with_loss.row(0, named=True)
    return Sign("not_learning", text, row, "fact_steps", "loss", decisive=guesses and many)


def _stands(values: list[float]) -> bool:
    """Whether a loss far from nothing lies no lower anywhere than in its first reports; single ones may leap."""
    level, ordered, third, tenth = statistics.median(values), sorted(values), len(values) // 3, len(values) // 10
    if level < _MUCH_LEFT or abs(statistics.median(values[:third]) - statistics.median(values[-third:])) > (
        _THIRDS * level
    ):
        return False
    levels = [statistics.median(values[at : at + tenth]) for at in range(0, 10 * tenth, tenth)]
    scatter = ordered[3 * len(values) // 4] - ordered[len(values) // 4]
    began = max(levels[0], statistics.median(values[:FIRST]))
    return scatter <= _SCATTER * level and began <= (1 + _TENTHS) * level and min(levels) >= (1 - _TENTHS) * level
