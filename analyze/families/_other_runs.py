"""Which of several runs of a job a failure is of, and how the others ended: commands of a script, logs of a folder."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.families._causes import Cause
    from inquest.analyze.families._failures import Crash, Death
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_TRACE: Final = "sweep.shell_trace"
_SHOWN: Final = 80
_ENDS: Final = frozenset({Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.MODEL_SAVED, Kind.EARLY_STOP, Kind.FAREWELL})


@dataclass(frozen=True, slots=True)
class OneRun:
    """A run among several.

    Attributes:
        name: The command as a shell traced it, or the name of its log.
        others: How many others there are.
        well: How many of them came to their planned end.
        began: Line from which on the rows of its source are its own; None for a log of its own.
        until: Line at which the next one begins.
    """

    name: str
    others: int
    well: int
    source: str
    began: int | None = None
    until: int | None = None

    @property
    def text(self) -> str:
        """In words, behind what happened to it."""
        if not self.well:
            return f"; it was in {self.name}"
        rest = "the other run" if self.others == 1 else f"all {self.others} other runs"
        if self.well < self.others:
            rest = f"{self.well} of {self.others} other runs"
        return f"; it was in {self.name}, and {rest} came to {'its' if self.others == 1 else 'their'} planned end"


def which_of_several(story: Story, row: Row) -> OneRun | None:
    """The run that a row is of; None where the job is one run as far as is told."""
    return _of_a_script(story, row) or _of_a_folder(story, row)


def _of_a_script(story: Story, row: Row) -> OneRun | None:
    """A command of a script that a shell traced, each with lines of its own until the next one is called."""
    line, source = row.get("line_seq"), row.get("source")
    if line is None:
        return None
    calls = [each for each in story.all_events if each["pattern"] == _TRACE and each["source"] == source]
    begun = [int(each["line_seq"]) for each in calls if each["line_seq"] is not None]
    if len(begun) < _SEVERAL or len({str(each["subject"]) for each in calls}) < len(calls) or line < begun[0]:
        return None  # the same command once more is another try
    edges = [*begun, _AFTER_ALL]
    spans = list(itertools.pairwise(edges))
    mine = next(at for at, (low, high) in enumerate(spans) if low <= line < high)
    own = story.all_steps.filter(pl.col("source").eq_missing(pl.lit(source, dtype=pl.String)))
    trained = [not own.filter(pl.col("line_seq").is_between(*span, closed="left")).is_empty() for span in spans]
    others = [at for at in range(len(spans)) if at != mine and trained[at]]
    if not others:
        return None
    well = sum(_came_to_its_end(story, source, own, *spans[at]) for at in others)
    command = " ".join(str(calls[mine]["subject"]).split())[:_SHOWN]
    return OneRun(f'"{command}"', len(others), well, str(source), *spans[mine])


_SEVERAL: Final = 2
_AFTER_ALL: Final = 2**62


def _came_to_its_end(story: Story, source: str | None, steps: pl.DataFrame, low: int, high: int) -> bool:
    """Whether the reports between two lines come to the last planned step, or a line there says that all was done."""
    if any(
        row["kind"] in _ENDS
        and row["source"] == source
        and row["line_seq"] is not None
        and low <= row["line_seq"] < high
        for row in story.all_events
    ):
        return True
    told = steps.filter(pl.col("line_seq").is_between(low, high, closed="left"))
    return not told.filter(pl.col("step") >= pl.col("total_steps")).is_empty()


def _of_a_folder(story: Story, row: Row) -> OneRun | None:
    """A log beside others of its kind, each of which reports steps of its own; none where ranks are told."""
    source = row.get("source")
    told = story.all_steps.filter(pl.col("source").is_not_null() & pl.col("line_seq").is_not_null())
    sources = told["source"].unique().sort().to_list()
    if source is None or source not in sources or len(sources) < _SEVERAL or story.ranks or _of_a_part(sources):
        return None
    others = [other for other in sources if other != source]
    well = sum(
        _came_to_its_end(story, other, told.filter(pl.col("source") == other), 0, _AFTER_ALL) for other in others
    )
    # Logs of nodes or of ranks break off together: where others came to their end, these are runs of their own.
    return OneRun(PurePath(source).name[:_SHOWN], len(others), well, source) if well == len(others) else None


def _of_a_part(sources: list[str]) -> bool:
    """Whether names of logs tell streams, ranks, nodes or attempts of one run apart."""
    return any(_PART.search(PurePath(source).name) for source in sources)


_PART: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:std)?(?:err|out|error|output)(?![a-z])(?!$)|stdout|stderr|rank|node|worker|host|attempt|restart"
    r"|resum|\bpod|replica"
)


def crashed_before(story: Story, *causes: Cause) -> tuple[Crash, OneRun] | None:
    """A crash of one of these causes that ended a command of a script, which went on with the next ones."""
    for crash in story.left_behind if story.first is None else ():
        run = _of_a_script(story, crash.root) if crash.cause.cause in causes else None
        if run is not None:
            return crash, run
    return None


def killed_before(story: Story) -> tuple[Death, OneRun] | None:
    """The same of a signal, as a shell told it."""
    for death in story.killed_before if story.first is None else ():
        run = _of_a_script(story, death.row)
        if run is not None:
            return death, run
    return None
