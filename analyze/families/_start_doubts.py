"""What keeps a run from being called healthy, whatever its training tells: what it began from, what else failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.analyze.families._causes import Cause
from inquest.analyze.families._lost_state import said_at_the_start, told_to_resume
from inquest.analyze.families._margins import replaced, unmatched
from inquest.analyze.families._resumes import found_nothing, unproved_continuation
from inquest.analyze.families._swallowed import failed_program
from inquest.analyze.families.base import CannotDecide
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


def start_doubt(ev: Evidence, story: Story) -> CannotDecide | None:
    """The first that is found."""
    return next((found for look in _LOOKS if (found := look(ev, story)) is not None), None)


# --- what it began from ----------------------------------------------------------------------------------------------


def _no_checkpoint(ev: Evidence, story: Story) -> CannotDecide | None:
    """Who looks for a checkpoint may have had one."""
    del ev
    if not found_nothing(story):
        return None
    return CannotDecide(
        because="Training looked for a checkpoint and found none; whether work was lost is not known.",
        missing=("whether earlier runs of this job had saved (--parent)",),
    )


def _unread_state(ev: Evidence, story: Story) -> CannotDecide | None:
    """A saved state that is there could not be read, which was caught, and training began anew."""
    del ev
    first, last = story.first_step, story.last_step
    if first is None or last is None or first * _ANEW > last or story.of(Kind.CHECKPOINT_LOADED):
        return None
    caught = (crash for crash in story.handled if crash.cause.cause is Cause.CHECKPOINT)
    torn = next((crash for crash in caught if "No such file" not in str(crash.shown["message"])), None)
    if torn is None:
        return None
    return CannotDecide(
        because=f"A saved state could not be read ({torn.title}), and training began at step"
        f" {first}; whether work was lost is not known.",
        missing=("what that state held (--parent)",),
    )


_ANEW: Final = 10


def _unmatched_weights(ev: Evidence, story: Story) -> CannotDecide | None:
    """Weights were loaded, and their names were not those of the model."""
    if (named := unmatched(ev, story)) is None:
        return None
    return CannotDecide(
        because=f'Of what it loaded it said: "{named}"; whether any of it was taken is not known.',
        missing=("the first loss against the one that was saved",),
    )


def _load_failed(ev: Evidence, story: Story) -> CannotDecide | None:
    """It said itself that a state could not be read."""
    if (unread := said_at_the_start(ev, story)) is None:
        return None
    return CannotDecide(
        because=f'It said at its start: "{unread}"; whether work was lost is not known.',
        missing=("what that state held (--parent)",),
    )


def _told_to_resume(ev: Evidence, story: Story) -> CannotDecide | None:
    """A state to resume from was named, and nothing tells of it again."""
    if (asked := told_to_resume(ev, story)) is None:
        return None
    return CannotDecide(
        because=f'It said at its start: "{asked}", and began where a new training begins; whether that state was taken'
        " is not known.",
        missing=("a resume marker at INFO level", "the loss that was saved"),
    )


def _something_else_taken(ev: Evidence, story: Story) -> CannotDecide | None:
    """What was asked for was not there, and the run made do without it."""
    if (lacked := replaced(ev, story)) is None:
        return None
    return CannotDecide(
        because=f'It said at its start: "{lacked}"; whether what it learned is of any use is not known.',
        missing=("a run with what was asked for",),
    )


def _not_continued(ev: Evidence, story: Story) -> CannotDecide | None:
    """Who waits for another job goes on with its work as a rule, and this one began anew."""
    if (other := unproved_continuation(ev, story, left_out=True)) is None:
        return None
    return CannotDecide(
        because="It ended as planned, but it waited for another job and began anew; whether work was lost is not"
        " known.",
        missing=(f"{other} (--parent)",),
    )


# --- what else of the job failed -------------------------------------------------------------------------------------


def _training_crashed(ev: Evidence, story: Story) -> CannotDecide | None:
    """That others ended well is no health of the one that crashed."""
    del ev
    if not story.left_behind:
        return None
    return CannotDecide(
        because=f"One of several trainings crashed ({story.left_behind[0].title}), and others ended well.",
        missing=("whether that one was run again",),
    )


def _training_killed(ev: Evidence, story: Story) -> CannotDecide | None:
    """The same of one that was killed."""
    del ev
    if not story.killed_before:
        return None
    return CannotDecide(
        because=f"One of several trainings was ended by {story.killed_before[0].signal_name}, and others ended well.",
        missing=("whether that one was run again",),
    )


def _program_crashed(ev: Evidence, story: Story) -> CannotDecide | None:
    """A program beside the training may be what the job was for, an export or an evaluation."""
    del ev
    if not story.beside:
        return None
    return CannotDecide(
        because=f"Training came to its planned end, and another program crashed ({story.beside[0].title}).",
        missing=(f"what the job needed the program of {story.beside[0].root['source']} for",),
    )


def _rank_fell_silent(ev: Evidence, story: Story) -> CannotDecide | None:
    """A rank or a trial stopped reporting while the others went on."""
    del ev
    if not (behind := story.of(Kind.LEFT_BEHIND)):
        return None
    return CannotDecide(
        because=f"{behind[0]['subject']} fell silent at step {behind[0]['num']:.0f}, and others went on.",
        missing=(f"how the process of {behind[0]['subject']} ended",),
    )


def _process_killed(ev: Evidence, story: Story) -> CannotDecide | None:
    """A status of 0 may be that of a shell around the process that was killed."""
    del ev
    if not (unknown := story.deaths_of_whom):
        return None
    return CannotDecide(
        because=f"A process ended by {unknown[0].signal_name} behind a status of 0; whether it trained is not known.",
        missing=("which command reported the steps, and how it ended",),
    )


def _program_failed(ev: Evidence, story: Story) -> CannotDecide | None:
    """The status of the whole is that of its last command: those before it may have failed."""
    if not story.ended_well or (failed := failed_program(ev)) is None:
        return None
    return CannotDecide(
        because=f"The status of the whole is 0, but {failed}.",
        missing=("what that program said at its end",),
    )


_LOOKS: Final[tuple[Callable[[Evidence, Story], CannotDecide | None], ...]] = (
    _no_checkpoint,
    _unread_state,
    _unmatched_weights,
    _load_failed,
    _told_to_resume,
    _something_else_taken,
    _not_continued,
    _training_crashed,
    _training_killed,
    _program_crashed,
    _rank_fell_silent,
    _process_killed,
    _program_failed,
)
