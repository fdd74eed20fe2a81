"""A run that came to its end and told of training, as all who look for a doubt in its health see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._curve import ends, series
from inquest.analyze.families._improved import Gain, gain_beside
from inquest.analyze.families.base import CannotDecide

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._end import PlannedEnd
    from inquest.analyze.families._story import Story

SAVED: Final = "a validation metric of what was saved"
"""What would tell whether a run came to any good, where its losses do not."""


@dataclass(frozen=True, eq=False)
class Ended:
    """The run, and what is worked out of it once for all doubts, when the first of them asks."""

    ev: Evidence
    story: Story
    end: PlannedEnd
    losses: Curve

    @cached_property
    def gain(self) -> Gain | None:
        """What improved beside the training loss, or in its place."""
        return gain_beside(self.ev, self.story, self.losses)

    @cached_property
    def score(self) -> tuple[float, float, float] | None:
        """First, highest and last level of the reward."""
        return ends(series(self.story, "score"))


Look = Callable[[Ended], CannotDecide | None]
"""One doubt: what keeps the run from being called healthy; None where that is not the matter."""
