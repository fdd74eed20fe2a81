"""What happened in a SIMULATED run, before anybody has said a word about it: a voice tells it in its own words.

A `Run` is physics only. Voices (``voices_*.py``) print it the way that one program would; `scenarios` makes runs whose
right answer is known by how they were made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

TELLS: Final = {
    "loss": "the training loss of each report, or a figure computed from it (perplexity, bits)",
    "eval": "the loss of each evaluation on held-out data",
    "score": "a measure that learning raises (accuracy, reward, BLEU ...)",
    "clock": "a time of day, or seconds since the start, on its reports, from which a reader sees when they were made",
    "fetch": "how long was waited for data, apart from the rest (seconds, a share, or a rate from which it follows)",
    "save": "how long each checkpoint took to write, or the clock around it",
    "plan": "how many steps or epochs there are to be",
    "end": "that it is done, at its end",
    "resume": "from which step or epoch, and which file, it goes on; where it starts from nothing it says nothing of it",
    "lr": "the learning rate",
    "norm": "the norm of the gradient",
}
"""What a voice may tell; what it does not name, nobody may judge by."""


class Report(NamedTuple):
    """A line (or a few) about training, every ``Run.every`` steps."""

    at: float
    """Seconds since ``Run.begin``."""
    epoch: int
    """From 0."""
    batch: int
    """Batches done in this epoch, from 1."""
    step: int
    """Batches done in the whole run, from 1."""
    loss: float
    """May be ``nan`` or ``inf``."""
    score: float
    """0 to 1; may be ``nan``."""
    lr: float
    norm: float
    """Of the gradient; may be ``nan`` or ``inf``."""
    took: float
    """Seconds since the report before."""
    fetch: float
    """Of these, seconds in which the loop waited for data."""
    rate: float
    """Samples a second."""


class Evaluation(NamedTuple):
    """After an epoch, or every so many steps."""

    at: float
    epoch: int
    step: int
    loss: float
    score: float
    took: float
    """Seconds."""
    best: bool
    """The lowest loss so far."""


class Save(NamedTuple):
    """A checkpoint was written."""

    at: float
    """When it was done."""
    epoch: int
    step: int
    took: float
    """Seconds that training stood still for it."""


@dataclass(frozen=True)
class Run:
    """One run, from its first line to where it stops of itself; what the system says of it afterwards is added later."""

    seed: int
    """For whatever a voice makes up: names, sizes, host, paths."""
    begin: datetime
    epochs: int
    per_epoch: int
    """Batches in an epoch."""
    every: int
    """Batches between reports; it divides ``per_epoch`` or is a multiple of it."""
    batch: int
    """Samples in a batch."""
    weights: int
    """Parameters of the model."""
    resumed: int | None
    """The step that it goes on from; None where it starts from nothing."""
    events: tuple[Report | Evaluation | Save, ...]
    """In the order of their times."""
    finished: bool
    """Whether training came to its end; if not, the voice's last word is its last event."""

    @property
    def steps(self) -> int:
        """All that there are to be."""
        return self.epochs * self.per_epoch

    @property
    def reports(self) -> tuple[Report, ...]:
        """Those of training alone."""
        return tuple(event for event in self.events if isinstance(event, Report))


class Voice(NamedTuple):
    """A program as it talks."""

    name: str
    tells: frozenset[str]
    """Of `TELLS`."""
    tell: Callable[[Run], Iterator[str]]
    """Lines of its log, without their ends."""


def voice(into: dict[str, Voice], name: str, tells: str) -> Callable[[Callable[[Run], Iterator[str]]], Voice]:
    """Enter a function that yields the lines of a log as the voice ``name``; ``tells`` are words of `TELLS`."""
    told = frozenset(tells.split())
    if unknown := told - set(TELLS):
        raise ValueError(f"voice {name}: {', '.join(unknown)} is nothing that a voice can tell: {', '.join(TELLS)}")

    def enter(tell: Callable[[Run], Iterator[str]]) -> Voice:
        into[name] = Voice(name, told, tell)
        return into[name]

    return enter
