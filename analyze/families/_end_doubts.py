"""What keeps a run that ended from being called healthy: numbers that are none, work undone, time that was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.analyze.families._curve_doubts import (
    broken_beside,
    learns_anew,
    skipped_to_the_end,
    standing_beside,
    went_on_from,
    without_a_loss,
)
from inquest.analyze.families._ended import SAVED
from inquest.analyze.families._gpu import work_sampled
from inquest.analyze.families._improved import collapsed, validation_lost
from inquest.analyze.families._left_over import left_over
from inquest.analyze.families._margins import trouble_below
from inquest.analyze.families._own_times import own_evaluations, own_saves, untimed_saves
from inquest.analyze.families._share_tables import mostly_spent
from inquest.analyze.families._short_of_plan import far_from_settings, short_in_its_heads, short_of_its_word
from inquest.analyze.families._time_spent import says_most_elsewhere, slowed_unseen, stood_for_most, takes_most
from inquest.analyze.families._told_waits import told_most
from inquest.analyze.families._unseen_nodes import waits_for_unseen
from inquest.analyze.families.base import CannotDecide
from inquest.analyze.families.d3_straggler import idles_unexplained, low_clock_unexplained, slower_by_its_word
from inquest.analyze.families.e3_undertrained import BY_RULE, FOR_NOW
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.told_times import EVALUATION
from inquest.bundle.timers import COMM, DATA, SAVE

if TYPE_CHECKING:
    from inquest.analyze.families._ended import Ended, Look


# --- numbers that are none, or gone ----------------------------------------------------------------------------------


def _validation_lost(run: Ended) -> CannotDecide | None:
    """Weights that are NaN stay so, and only the validation tells."""
    if (gone := validation_lost(run.story)) is None:
        return None
    return CannotDecide(
        because=f"The last of the validation losses ({gone} in a row) is NaN, and those before were numbers.",
        missing=(SAVED,),
    )


def _without_a_loss(run: Ended) -> CannotDecide | None:
    """Reports went on, and the loss was left out of them."""
    if (silent := without_a_loss(run.ev, run.losses)) is None:
        return None
    return CannotDecide(
        because=f"The last loss told is of step {silent[0]}, and training was reported to step {silent[1]}.",
        missing=("the losses after it: a blank may stand for a number that was none",),
    )


def _learns_anew(run: Ended) -> CannotDecide | None:
    """It says that it went on, and learned as if from nothing."""
    if (anew := learns_anew(run.losses)) is None or went_on_from(run.story, run.losses):
        return None
    return CannotDecide(
        because=f"Its count began at {anew[0]}, but from there its loss fell from {anew[1]:.4g} to {anew[2]:.4g}, as"
        " steeply as where nothing was learned before: whether what had been saved was taken is not known.",
        missing=("the losses of the run that it went on from (--parent)",),
    )


def _broken_beside(run: Ended) -> CannotDecide | None:
    """Of several trainings, one that is not judged broke."""
    if (beside := broken_beside(run.story, run.losses)) is None:
        return None
    return CannotDecide(
        because=f"Of several trainings that ended, the losses of one ({beside}) are no numbers at its end.",
        missing=("which of the trainings this is about: name its files alone",),
    )


def _standing_beside(run: Ended) -> CannotDecide | None:
    """Of several trainings, one that is not judged learned nothing."""
    if (stood := standing_beside(run.ev, run.story, run.losses)) is None:
        return None
    return CannotDecide(
        because=f"Of several trainings, the loss of one ({stood[0]}) stood at {stood[1]:.4g} throughout.",
        missing=("which of the trainings this is about: name its files alone",),
    )


def _hardly_back(run: Ended) -> CannotDecide | None:
    """A few numbers after many that were none do not show that it came back."""
    if (back := run.losses.hardly_back) is None:
        return None
    return CannotDecide(
        because=f"{back[0]} reports in a row had a loss that is no number, and only {back[1]} after them one that is.",
        missing=(SAVED,),
    )


def _reward_collapsed(run: Ended) -> CannotDecide | None:
    """What had been learned was lost again."""
    if run.score is None or not collapsed(run.ev, *run.score):
        return None
    return CannotDecide(
        because=f"The reward had come to {run.score[1]:.4g}, and ended at {run.score[2]:.4g}.",
        missing=("a validation of what was saved",),
    )


def _last_save_failed(run: Ended) -> CannotDecide | None:
    """The last word on a save is that it failed."""
    told = run.story.of(Kind.CHECKPOINT_SAVE_ERROR, Kind.CHECKPOINT_SAVED, Kind.MODEL_SAVED, Kind.CHECKPOINT_SAVE_BEGIN)
    if not told or told[-1]["kind"] != Kind.CHECKPOINT_SAVE_ERROR:
        return None
    return CannotDecide(
        because=f'The last that is told of a save is that it failed: "{str(told[-1]["text"]).strip()[:120]}".',
        missing=("whether the model was written",),
    )


def _skipped_to_the_end(run: Ended) -> CannotDecide | None:
    """No update was made any more."""
    if not (skipped := skipped_to_the_end(run.story, run.losses)):
        return None
    return CannotDecide(
        because=f"Updates were skipped in each of the last {skipped} reports, since a number was none.",
        missing=("the loss of the last batches", "a validation of what was saved"),
    )


def _ends_broken(run: Ended) -> CannotDecide | None:
    """One broken report may be a batch, or the beginning of the end."""
    if not run.losses.ends_broken:
        return None
    return CannotDecide(
        because="The very last loss that was reported is no number.",
        missing=(SAVED,),
    )


def _part_is_none(run: Ended) -> CannotDecide | None:
    """A part of the loss is NaN, and no sum is told that would be so too."""
    if not run.story.of(Kind.NAN_PART):
        return None
    return CannotDecide(
        because="A part of the loss is NaN in the last reports, and the whole is not told.",
        missing=("a validation of what was saved", "the loss that the gradient is taken of"),
    )


# --- work left undone ------------------------------------------------------------------------------------------------


def _far_from_settings(run: Ended) -> CannotDecide | None:
    """It ended well before what was set for it."""
    if (plan := far_from_settings(run.ev, run.story, run.end)) is None:
        return None
    return CannotDecide(
        because=f"It was planned by {plan[0]} to come to {plan[1]:.0f}, and the reports end at {plan[2]}.",
        missing=("what ended it: a rule of its own, or its data",),
    )


def _short_of_its_word(run: Ended) -> CannotDecide | None:
    """It ended well before what it had said itself."""
    if (short := short_of_its_word(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"It said at its start that it would do {short[1]} {short[0]}, and the reports end at"
        f" {run.story.last_step}.",
        missing=("what ended it: a rule of its own, or its data",),
    )


def _short_in_its_heads(run: Ended) -> CannotDecide | None:
    """What stands before the words of its reports counts further."""
    if (short := short_in_its_heads(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"The count before the words of its reports stands at {short[0]} of {short[1]} in the last one.",
        missing=("what ended it: a rule of its own, or its data",),
    )


def _trouble_below(run: Ended) -> CannotDecide | None:
    """Something failed after the last report, and no word says that all was done."""
    if run.end.firm and not run.story.after_all:
        return None
    if (trouble := trouble_below(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f'Below the last report stands "{trouble}"; whether all was done is open.',
        missing=("what was to be done", "whether what failed there was needed"),
    )


# --- time that was lost, where nothing sampled tells why -------------------------------------------------------------


def _takes_most(run: Ended) -> CannotDecide | None:
    """By its own clocks it mostly waited."""
    if (waits := takes_most(run.story)) is None:
        return None
    return CannotDecide(
        because=f"By its own clocks {waits[1]:.0%} of a step {waits[0]}; what its GPUs did meanwhile was not captured.",
        missing=("samples of the GPUs' activity", "the step time of a run that is known to be good"),
    )


def _time_was_left(run: Ended) -> CannotDecide | None:
    """By its own clocks less than half of the time was behind it, and no rule that stopped it is told."""
    story = run.story
    by_rule = story.of(*FOR_NOW) or any(row["pattern"] in BY_RULE for row in story.of(Kind.TRAINING_END))
    told = None if by_rule else left_over(run.ev, story)
    if told is None or told.done > _HALF:
        return None
    return CannotDecide(
        because=f"By its own clocks {told.done:.0%} of the work was done at its last report.",
        missing=("what made it end so early",),
    )


def _tables_say_so(run: Ended) -> CannotDecide | None:
    """By the tables that it prints of its time it mostly saved, waited for data or for other ranks."""
    spent = None if work_sampled(run.ev) else mostly_spent(run.ev, run.story, _MOST)
    if spent is None:
        return None
    return CannotDecide(
        because=f"By its own tables {spent.share:.0%} of its time was {_NO_COMPUTING[spent.column]}.",
        missing=("samples of the GPUs' activity", "the step time of a run that is known to be good"),
    )


_NO_COMPUTING: Final = {SAVE: "saving", DATA: "waiting for data", COMM: "exchange with other ranks"}


def _says_where_time_went(run: Ended) -> CannotDecide | None:
    """In its own words it mostly waited for its data, saved or evaluated, and no clock of a usual name tells it."""
    if work_sampled(run.ev) or (told := told_most(run.ev, run.story)) is None:
        return None
    part, share, lines = told
    return CannotDecide(
        because=f"By {lines} of its own reports {share:.0%} of its time was {_SPENT_IN[part]}; what its GPUs did"
        " meanwhile was not captured.",
        missing=("samples of the GPUs' activity", "the step time of a run that is known to be good"),
    )


_SPENT_IN: Final = {
    DATA: "waiting for data",
    SAVE: "saving",
    COMM: "exchanging with other ranks",
    EVALUATION: "evaluating",
}


def _says_it_saves(run: Ended) -> CannotDecide | None:
    """In its own words it mostly saved."""
    if work_sampled(run.ev) or (told := own_saves(run.ev, run.story)) is None or told.share < _HALF:
        return None
    return CannotDecide(
        because=f"By its own words {told.saves} saves took {told.share:.0%} of its time.",
        missing=("samples of the GPUs' activity",),
    )


def _says_it_evaluates(run: Ended) -> CannotDecide | None:
    """In its own words it mostly evaluated."""
    if work_sampled(run.ev) or (told := own_evaluations(run.ev, run.story)) is None or told.share < _MOST:
        return None
    return CannotDecide(
        because=f"By its own words its evaluations took {told.share:.0%} of its time.",
        missing=("whether that was meant to take so long", "samples of the GPUs' activity"),
    )


_MOST: Final = 0.6
_HALF: Final = 0.5


def _most_elsewhere(run: Ended) -> CannotDecide | None:
    """By its own last words it did something else than training for most of its time."""
    if (told := says_most_elsewhere(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"By its own last words {told[1]:.0%} of its time was {told[0]}, not training.",
        missing=("whether that was meant to take so long", "samples of the GPUs' activity"),
    )


def _stood_for_most(run: Ended) -> CannotDecide | None:
    """Most of its time lies between reports that should have come closely."""
    if (pauses := stood_for_most(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"Nothing was reported for most of the time: {pauses[0]} pauses of {pauses[1]:.0f} s and more"
        f" lie between reports that else come every {pauses[2]:.3g} s.",
        missing=("what the job did in these pauses", "samples of the GPUs' activity, storage and network"),
    )


def _slowed_unseen(run: Ended) -> CannotDecide | None:
    """It became slow and stayed so."""
    if (slower := slowed_unseen(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"Steps came to take {slower:.1f} times as long, to the end, and what held them back was not sampled.",
        missing=("clocks, power and SM activity of the GPUs", "what changed in the job at that time"),
    )


def _idles_unexplained(run: Ended) -> CannotDecide | None:
    """GPUs that wait by turns may wait for one whose host is slow."""
    if (idles := idles_unexplained(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"{idles}: it may have less to do, or its host may keep the others waiting.",
        missing=("SM activity or memory traffic of every GPU", "the step time of a run that is known to be good"),
    )


def _tells_more(run: Ended) -> CannotDecide | None:
    """One of several that tell their own work takes far longer than the others, now more and now less."""
    if work_sampled(run.ev) or (slower := slower_by_its_word(run.ev)) is None:
        return None
    return CannotDecide(
        because=f"{slower.who[0].name} tells {slower.mine:.3g} {slower.unit} of {slower.what} where the others tell"
        f" {slower.theirs:.3g}: whether they waited for it is not known.",
        missing=("what each of them waited", "SM activity of every GPU"),
    )


def _low_clock(run: Ended) -> CannotDecide | None:
    """Peers go at the pace of the GPU whose clock somebody set low."""
    if (low := low_clock_unexplained(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"{low}: whether they waited for it is not known.",
        missing=("SM activity of every GPU", "the step time of a run that is known to be good"),
    )


def _saved_for_long(run: Ended) -> CannotDecide | None:
    """Its saves took long by its own word, and no clock tells how long all took."""
    if (spent := untimed_saves(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"Its saves took {spent:.0f} s in all, by its own word; how much of its time that was is not told.",
        missing=("times of the lines (inquest run)",),
    )


def _waits_for_unseen(run: Ended) -> CannotDecide | None:
    """Whoever keeps them waiting may be on a node that nobody sampled."""
    if (unseen := waits_for_unseen(run.ev, run.story)) is None:
        return None
    return CannotDecide(
        because=f"{unseen}: whether one of those keeps the others waiting is not known.",
        missing=("GPU samples of every node of the job", "the step time of a run that is known to be good"),
    )


LOOKS: Final[tuple[Look, ...]] = (
    _validation_lost,
    _without_a_loss,
    _learns_anew,
    _broken_beside,
    _standing_beside,
    _hardly_back,
    _reward_collapsed,
    _last_save_failed,
    _skipped_to_the_end,
    _ends_broken,
    _part_is_none,
    _far_from_settings,
    _short_of_its_word,
    _short_in_its_heads,
    _takes_most,
    _time_was_left,
    _tables_say_so,
    _says_where_time_went,
    _says_it_saves,
    _says_it_evaluates,
    _most_elsewhere,
    _stood_for_most,
    _slowed_unseen,
    _idles_unexplained,
    _tells_more,
    _low_clock,
    _saved_for_long,
    _waits_for_unseen,
    _trouble_below,
)
