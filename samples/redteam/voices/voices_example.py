"""An example of two voices, for those who write others."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from .run import Evaluation, Report, Save, Voice, voice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .run import Run

VOICES: Final[dict[str, Voice]] = {}


@voice(VOICES, "plain", "loss eval plan end resume")
def plain(run: Run) -> Iterator[str]:
    """A loop of a few lines."""
    if run.resumed is not None:
        yield f"resuming from runs/{run.seed}/last.pt (step {run.resumed})"
    for event in run.events:
        if isinstance(event, Report):
            yield f"epoch {event.epoch + 1}/{run.epochs} step {event.step} loss {event.loss:.4f}"
        elif isinstance(event, Evaluation):
            yield f"  val loss {event.loss:.4f}" + (" (best)" if event.best else "")
    if run.finished:
        yield "done"


@voice(VOICES, "clocks", "loss clock fetch save plan lr end")
def clocks(run: Run) -> Iterator[str]:
    """With times of day, and where the time went."""
    for event in run.events:
        now = f"{run.begin + timedelta(seconds=event.at):%H:%M:%S}"
        if isinstance(event, Report):
            spent = f"data {event.fetch:.1f}s of {event.took:.1f}s"
            yield f"{now} [{event.step}/{run.steps}] loss={event.loss:.3f} lr={event.lr:.2e} {spent}"
        elif isinstance(event, Save):
            yield f"{now} saved step_{event.step}.ckpt in {event.took:.1f}s"
    if run.finished:
        yield f"{now} training finished"
