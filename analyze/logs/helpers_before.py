"""A command of a script that failed before the one that trains was called: the script went on without it.

It shows what it calls, or prints in one form how each of its commands ended.
"""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.registry.sweeps import CALL
from inquest.analyze.programs import TRAINS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.logs.frames import Place
    from inquest.analyze.logs.reader import Line
    from inquest.analyze.logs.tracebacks import Traceback


class Commands:
    """What a log shows of the commands that a script calls, by stream and in order: read once for all tracebacks.

    Attributes:
        calls: Lines of calls that a shell traced.
        statuses: Lines that end in the status of a command.
    """

    def __init__(self, lines: Iterable[Line]) -> None:
        """Take lines of facts."""
        self.calls: dict[Place, list[Line]] = {}
        self.statuses: dict[Place, list[Line]] = {}
        for line in lines:
            if CALL.match(line.text):
                self.calls.setdefault(line.place[:3], []).append(line)
            if len(line.text) <= _LONG and _STATUS.search(line.text):
                self.statuses.setdefault(line.place[:3], []).append(line)


def failed_before(traceback: Traceback, commands: Commands, steps: pl.DataFrame) -> bool:
    """Whether a shell's trace shows a training called below a traceback, and another command above it.

    Or a status is told right below it, then something reports, and another status is told in the same form.

    Args:
        traceback: What was raised.
        commands: The commands that its log shows.
        steps: Reports of progress.
    """
    first = traceback.first
    if _ended_one_by_one(traceback, commands, steps):
        return True
    calls = commands.calls.get(first.place[:3], ())
    above = [line.text for line in calls if line.seq < first.seq]
    below = [line.text for line in calls if line.seq > traceback.final.said.seq]
    if not above or TRAINS.search(above[-1]):
        return False
    begun = steps.filter(_here(first) & (pl.col("line_seq") < first.seq))
    return begun.is_empty() and any(TRAINS.search(text) and text != above[-1] for text in below)


def _ended_one_by_one(traceback: Traceback, commands: Commands, steps: pl.DataFrame) -> bool:
    """Whether a script tells right below a traceback how its command ended, and later of another one that trained."""
    first, said = traceback.first, traceback.final.said
    statuses = commands.statuses.get(first.place[:3], [])
    told = statuses[bisect.bisect_right(statuses, said.seq, key=lambda line: line.seq) :]
    if not told or told[0].seq - said.seq > _BELOW:
        return False
    form = _NUMBERS.sub("#", told[0].text)
    again = [line.seq for line in told[1:] if _NUMBERS.sub("#", line.text) == form]
    if not again:
        return False
    mine = steps.filter(_here(first)).sort("line_seq")
    before = mine.filter(pl.col("line_seq") < first.seq)["step"].drop_nulls()
    between = mine.filter(pl.col("line_seq").is_between(told[0].seq, again[-1]))["step"].drop_nulls()
    # A rank that died leaves the others going on from where they were.
    return len(between) >= _REPORTS and (before.is_empty() or between[0] < before[-1])


def _here(line: Line) -> pl.Expr:
    place = zip(("node", "capture", "source"), line.place[:3], strict=True)
    return pl.all_horizontal(pl.col(name).eq_missing(pl.lit(value, pl.String)) for name, value in place)


_STATUS: Final = re.compile(r"(?i)\b(?:status|code|rc)[ :=]{1,3}\d{1,3}\W{0,6}$")
"""The last word of a command: with which status it ended."""
_NUMBERS: Final = re.compile(r"\d+")
_LONG: Final = 160
_BELOW: Final = 3
"""Lines below an exception in which the script tells how its command ended."""
_REPORTS: Final = 3
