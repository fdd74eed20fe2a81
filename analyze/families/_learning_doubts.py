"""What keeps a run that ended from being called healthy: that it learned, and kept what it learned, is not shown."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._curve import ends, series
from inquest.analyze.families._curve_doubts import (
    LARGEST_GUESS,
    above_what_was_saved,
    at_frequencies,
    at_guessing,
    bursts,
    ends_high,
    held_out_falls,
    learned_anew,
    no_lower,
    nothing_but_zero,
    repeats,
    stood_throughout,
    zero_all_at_once,
)
from inquest.analyze.families._ended import SAVED
from inquest.analyze.families._improved import answers_improved, hardly_fell, never_better, never_validated
from inquest.analyze.families._margins import nothing_to_learn
from inquest.analyze.families._measured import SELDOM
from inquest.analyze.families._resumes import from_scratch
from inquest.analyze.families._short_of_plan import only_evaluates
from inquest.analyze.families._signs import FIRST, above_its_best
from inquest.analyze.families._trivial_guess import said_of_guessing
from inquest.analyze.families._unread import loss_unread, no_number_any_more, readings_unread
from inquest.analyze.families.base import CannotDecide
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._ended import Ended, Look
    from inquest.analyze.families._story import Story


# --- there was nothing to learn from ---------------------------------------------------------------------------------


def _nothing_to_learn(run: Ended) -> CannotDecide | None:
    """It said itself that there was no data, or nothing that is trained."""
    said = nothing_to_learn(run.ev, run.story)
    if said is None or run.losses.fell:
        return None
    return CannotDecide(
        because=f'It said at its start: "{said}", and no loss came down.',
        missing=("what was trained, and on what",),
    )


def _nothing_but_zero(run: Ended) -> CannotDecide | None:
    """A loss of exactly 0 has no gradient; a reward beside it tells of learning all the same."""
    if not nothing_but_zero(run.losses) or run.score is not None:
        return None
    return CannotDecide(
        because="Every loss reported is exactly 0: there was nothing to learn from, or it is not told.",
        missing=("a validation metric", "the norm of the gradients"),
    )


def _zero_all_at_once(run: Ended) -> CannotDecide | None:
    """Nothing is learned to perfection between two reports."""
    if (level := zero_all_at_once(run.losses)) is None:
        return None
    return CannotDecide(
        because=f"The loss was {level:.4g}, and all at once exactly 0 in each report to the end.",
        missing=(SAVED, "whether a loss that is no number is told as 0"),
    )


def _repeats(run: Ended) -> CannotDecide | None:
    """The same batches gave the same losses: no weight had changed."""
    if run.losses.fell or (apart := repeats(run.losses)) is None:
        return None
    return CannotDecide(
        because=f"The losses are the same, number by number, after every {apart} reports: nothing was learned"
        " between them.",
        missing=("the norm of the gradients, or whether the optimizer's step is called",),
    )


# --- what was learned was lost ---------------------------------------------------------------------------------------


def _above_its_best(run: Ended) -> CannotDecide | None:
    """It ended well above where it had been."""
    if (above := above_its_best(run.ev, run.losses)) is None:
        return None
    return CannotDecide(
        because=f"The loss had come down to {above[0]:.4g}, and ended at {above[1]:.4g} without falling again.",
        missing=(SAVED, "whether data or objective changed on the way"),
    )


def _bursts(run: Ended) -> CannotDecide | None:
    """Leaps that come again may have come again after the last report."""
    if (burst := bursts(run.losses)) is None:
        return None
    return CannotDecide(
        because=f"The loss leapt again and again, to {burst:.4g} at the most, far above where it had come to.",
        missing=(SAVED,),
    )


def _above_what_was_saved(run: Ended) -> CannotDecide | None:
    """It went on from a state, and far above the loss of that state."""
    if (lost := above_what_was_saved(run.ev, run.story, run.losses)) is None:
        return None
    return CannotDecide(
        because=f"It went on from a state whose loss was {lost[0]:.4g}, and its own began at {lost[1]:.4g}.",
        missing=("whether the weights that were saved were taken",),
    )


def _learned_anew(run: Ended) -> CannotDecide | None:
    """All was lost on the way, unless a headline says that another run begins there."""
    headed = any(row["kind"] == Kind.NEXT_RUN for row in run.story.all_events)
    if headed or (anew := learned_anew(run.losses)) is None:
        return None
    return CannotDecide(
        because=f"The loss had come to {anew[0]:.4g}, stood at {anew[1]:.4g} again, where it had begun, and was"
        " learned anew: whether weights were lost is not told.",
        missing=("what was loaded or begun there", SAVED),
    )


def _ends_high(run: Ended) -> CannotDecide | None:
    """Its last reports all stand far above those before them."""
    if (high := ends_high(run.ev, run.losses)) is None:
        return None
    return CannotDecide(
        because=f"The loss had come down to {high[0]:.4g}, and its last reports stand at {high[1]:.4g}.",
        missing=(SAVED,),
    )


# --- nothing shows that anything was learned -------------------------------------------------------------------------


def _no_better_than_guessing(run: Ended) -> CannotDecide | None:
    """It stands where an answer without learning is, by its own word."""
    values = run.losses.finite
    if len(values) < FIRST or (guess := said_of_guessing(run.ev)) is None:
        return None
    end = statistics.median(values[-max(1, len(values) // 3) :])
    if not _AS_GOOD * guess <= end <= guess / _AS_GOOD:
        return None
    return CannotDecide(
        because=f"The loss ended at {end:.4g}, and by its own word an answer without learning gives {guess:.4g}.",
        missing=(SAVED,),
    )


_AS_GOOD: Final = 0.95
"""How near a loss is to that of guessing where next to nothing was learned."""


def _never_validated(run: Ended) -> CannotDecide | None:
    """The loss of training may fall while the model learns by heart."""
    if (risen := never_validated(run.ev, run.story)) is None or answers_improved(run.ev, run.story):
        return None
    return CannotDecide(
        because=f"The validation loss never came down: it began at {risen[0]:.4g} and ended at {risen[1]:.4g}.",
        missing=(SAVED,),
    )


def _stood_throughout(run: Ended) -> CannotDecide | None:
    """A loss that never moved, of a model that had everything to learn."""
    if run.gain is not None or not from_scratch(run.story):
        return None
    if (level := stood_throughout(run.ev, run.losses)) is None:
        return None
    return CannotDecide(
        because=f"The loss stood at {level:.4g} from the first report to the last, and nothing was loaded.",
        missing=("a metric of the model that improved",),
    )


def _no_lower(run: Ended) -> CannotDecide | None:
    """A loss that came down by no more than chance."""
    if run.gain is not None or not from_scratch(run.story):
        return None
    if (same := no_lower(run.losses.finite)) is None:
        return None
    return CannotDecide(
        because=f"The loss came from {same[0]:.4g} to {same[1]:.4g}, less than its reports lie apart by"
        " chance, and nothing was loaded.",
        missing=("a metric of the model that improved",),
    )


def _hardly_fell(run: Ended) -> CannotDecide | None:
    """A loss that came down a little, and nothing else that confirms it."""
    if run.gain is not None or not from_scratch(run.story):
        return None
    if (hardly := hardly_fell(run.ev, run.story, run.losses)) is None:
        return None
    return CannotDecide(
        because=f"The loss came from {hardly[0]:.4g} to {hardly[1]:.4g} only, and validation gained nothing.",
        missing=("a metric of the model that improved",),
    )


def _never_better(run: Ended) -> CannotDecide | None:
    """Without a loss, what else was measured has to improve."""
    if run.gain is not None or run.losses.finite or (stood := never_better(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"No loss was reported, and the {stood[0]} came from {stood[1]:.4g} to {stood[2]:.4g} only.",
        missing=("a metric of the model that improved",),
    )


def _only_evaluates(run: Ended) -> CannotDecide | None:
    """Who only evaluates is not to learn, and whether that was the task is not told."""
    if run.gain is not None or not only_evaluates(run.ev, run.story, run.losses):
        return None
    return CannotDecide(
        because="The output speaks of an evaluation and not of training, and no loss came down.",
        missing=("what the job was to do",),
    )


def _answers(story: Story) -> bool:
    """Whether answers are right more often than not, and wrong more seldom than at first: that is no guessing."""
    told = ends(series(story, "accuracy"))
    return told is not None and told[2] > SELDOM and 1 - told[2] <= _FEWER * (1 - told[0])


_FEWER: Final = 0.95


def _of_no_tokens(losses: Curve, story: Story) -> bool:
    """Whether it began above any guess among tokens, as a density of numbers may, and held-out data got better."""
    return statistics.median(losses.finite[:FIRST]) > LARGEST_GUESS and held_out_falls(story)


def _at_frequencies(run: Ended) -> CannotDecide | None:
    """What a language model learns in its first steps, it had learned, and no more."""
    if (
        (guess := at_frequencies(run.ev, run.losses)) is None
        or _answers(run.story)
        or _of_no_tokens(run.losses, run.story)
    ):
        return None
    return CannotDecide(
        because=f"The loss came to {guess:.4g} early and stayed: a language model knows no more by then than"
        " how often each token comes.",
        missing=("a validation metric, or the loss of a run known to be good",),
    )


def _at_guessing(run: Ended) -> CannotDecide | None:
    """It ended where a language model begins."""
    if (
        (guess := at_guessing(run.ev, run.losses)) is None
        or _answers(run.story)
        or _of_no_tokens(run.losses, run.story)
    ):
        return None
    return CannotDecide(
        because=f"The loss ended at {guess:.4g}, which for a language model is the level of guessing.",
        missing=("a validation metric, or the loss of a run known to be good",),
    )


def _neither_end_nor_fall(run: Ended) -> CannotDecide | None:
    """A status of 0 alone proves no work: reports have to come to the plan, and the loss to come down."""
    story, end, losses = run.story, run.end, run.losses
    fell = losses.fell if end.table == "fact_events" else losses.fell is not None
    # Whoever takes its leave does so where no further report was due.
    cut_off = (story.last_step or 0) < (story.total_steps or 0) and end.table != "fact_events"
    if end.firm or ((fell or run.gain) and not cut_off):
        return None
    if (fell or run.gain) and story.total_steps is not None:
        return CannotDecide(
            because=f"It was to come to {story.counted_in} {story.total_steps}, and the reports end at"
            f" {story.last_step}.",
            missing=("what ended it", "an end-of-training line"),
        )
    told = f"{end.text[0].upper()}{end.text[1:]}"
    return CannotDecide(
        because=f"{told}, but neither a planned end nor a falling loss was reported.",
        missing=("an end-of-training line, or the loss at several steps",),
    )


LOOKS: Final[tuple[Look, ...]] = (
    _nothing_to_learn,
    no_number_any_more,
    loss_unread,
    readings_unread,
    _nothing_but_zero,
    _zero_all_at_once,
    _repeats,
    _above_its_best,
    _bursts,
    _above_what_was_saved,
    _learned_anew,
    _ends_high,
    _never_validated,
    _no_better_than_guessing,
    _stood_throughout,
    _no_lower,
    _hardly_fell,
    _never_better,
    _only_evaluates,
    _at_frequencies,
    _at_guessing,
    _neither_end_nor_fall,
)
