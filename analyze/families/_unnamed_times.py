"""Times that take most of a run by its own lines, under a name that does not tell what they are of."""

from __future__ import annotations

import itertools
import re
import statistics
from typing import TYPE_CHECKING, Final, NamedTuple

from inquest.analyze.families._clocks import REPORTS
from inquest.analyze.families._told_waits import lines_among_reports
from inquest.analyze.families._wall import wall_s
from inquest.analyze.families.base import CannotDecide
from inquest.analyze.logs.named_numbers import TIMES, numbers_of
from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.told_times import NO_PART, RUN_TOGETHER, part_by
from inquest.bundle.timers import COMPUTE, STEP, timer_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._ended import Ended
    from inquest.analyze.families._story import Story
    from inquest.analyze.logs.named_numbers import Number


class _Column(NamedTuple):
    """A time that lines of one form tell: what it is called, of which part it is, and in seconds what it took."""

    name: str
    part: str | None
    took_s: list[float]


class _Form(NamedTuple):
    """Lines that tell the same numbers: how many, whether they are reports of training, and their times."""

    lines: int
    reports: bool
    columns: list[_Column]


def unnamed_times(run: Ended) -> CannotDecide | None:
    """Most of the time went, by the program's own lines, into something that its words do not let one know.

    Where they do, the families weigh it. It may be computing: then the run is healthy, and a better word is missing.
    """
    forms = _forms(run.ev, run.story)
    why = next((found for form in forms if (found := _beside_computing(form)) is not None), None) or _apart(run, forms)
    if why is None:
        return None
    return CannotDecide(because=why, missing=("what that time is of: data, saves, other ranks, or computing",))


def _forms(ev: Evidence, story: Story) -> list[_Form]:
    steps = set(story.steps["line_seq"].drop_nulls())
    told: dict[tuple[str, ...], list[tuple[bool, list[Number]]]] = {}
    for row in lines_among_reports(ev, story):
        text = re.sub(ANSI, "", (row["text"] or "")[:_WIDE])
        numbers = numbers_of(RUN_TOGETHER.sub("_", text))
        if any(number.unit in TIMES for number in numbers) and not _BAR.search(text):
            told.setdefault(tuple(number.name for number in numbers), []).append((row["seq"] in steps, numbers))
    forms = []
    for same in told.values():
        rows = [numbers for _, numbers in same]
        if len(same) >= REPORTS and (columns := _columns(rows)):
            forms.append(_Form(len(same), any(report for report, _ in same), columns))
    return forms


_WIDE: Final = 600
_BAR: Final = re.compile(r"%\s?\||\b\d{1,9}/\d{1,9} (?:━|\[[=>.]|[#=▏▎▍▌▋▊▉█])|it/s|s/(?:it|step|batch|epoch)\b")


def _columns(rows: Sequence[Sequence[Number]]) -> list[_Column]:
    """The times of lines of one form, those left out that only grow or are of no part."""
    found = []
    for cells in zip(*rows, strict=True):
        name = cells[-1].name or cells[-1].behind
        if any(cell.unit not in TIMES or cell.of for cell in cells) or NO_PART.search(name):
            continue
        took = [cell.value * TIMES[cell.unit] for cell in cells]
        if not all(later > sooner for sooner, later in itertools.pairwise(took)):
            found.append(_Column(name, part_by(name), took))
    return found


def _beside_computing(form: _Form) -> str | None:
    """A report tells that it computed for a small part of a time that stands beside it, whatever that is of.

    It is of the whole, of which then the greater part was something else, or it is of that something.
    """
    computing = [column for column in form.columns if column.part == COMPUTE]
    other = [column for column in form.columns if column.part is None and column.name]
    if not other and {column.part for column in form.columns} == {COMPUTE, STEP}:
        other = [column for column in form.columns if column.part == STEP]  # of the whole nothing else is told
    if not other or not _covers_all(computing):
        return None
    spent = sum(sum(column.took_s) for column in computing)
    most = max(other, key=lambda column: sum(column.took_s))
    beside = sum(most.took_s)
    if statistics.median(most.took_s) < _FELT_S or beside < _MOSTLY * (spent + beside):
        return None
    return (
        f'Its reports tell that computing took {spent:.1f} s beside {beside:.1f} s of "{most.name[:40]}", whatever'
        " that is."
    )


def _covers_all(computing: Sequence[_Column]) -> bool:
    """Whether these are all of computing, and not a piece of it."""
    timers = [timer_of(f"{column.name} s") for column in computing]
    pieces = frozenset[str]().union(*(timer.pieces for timer in timers if timer is not None))
    return any(timer is None or not timer.pieces for timer in timers) or {"forward", "backward"} <= pieces


def _apart(run: Ended, forms: Sequence[_Form]) -> str | None:
    """Lines between the reports tell of something that took most of the time."""
    whole = wall_s(run.ev, run.story)
    for form in forms:
        if form.reports or any(column.part in (COMPUTE, STEP) for column in form.columns):
            continue
        others = (sum(sum(column.took_s) for column in other.columns) for other in forms if other is not form)
        beside = max(others, default=0.0)
        for column in form.columns:
            if _OF_ALL.search(column.name):
                continue
            spent = sum(column.took_s)
            all_s = whole if whole and spent <= whole else spent + beside if beside else None
            if all_s and spent >= _FELT_IN_ALL_S and _MOSTLY <= spent / all_s <= _NEARLY_ALL:
                called = f'"{column.name[:40]}"' if re.search(r"\w", column.name) else "a time without a name"
                return f"{form.lines} lines tell of {called} that took {100 * spent / all_s:.0f}% of its time."
    return None


_OF_ALL: Final = re.compile(
    r"(?i)\bnet\b|network|model|gpu|comput|forward|backward|optim|epo(?:ch|k|que|ca)|\u00e9po|total|elapsed|train|step|iter|all|round|gesamt|\u044d\u043f\u043e\u0445|\u8f6e|\u603b|\uc5d0\ud3ed"
)
"""Words for what the work itself is counted in."""
_FELT_S: Final = 0.05
"""Loops of toys spend most of a few milliseconds on their data."""
_FELT_IN_ALL_S: Final = 20.0
_MOSTLY: Final = 0.6
_NEARLY_ALL: Final = 0.95
"""What takes all of the time is the work."""
