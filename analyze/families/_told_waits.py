"""What a program says in words of its own of where its time went: so much of so long, time and again."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._clocks import REPORTS
from inquest.analyze.families._wall import wall_s
from inquest.analyze.logs.told_times import EVALUATION, Told, timed_lines
from inquest.analyze.logs.waits import waits
from inquest.bundle.timers import COMM, DATA, SAVE

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class ToldWaits:
    """What lines of one kind say, all in all.

    Attributes:
        share: What part of the time training waited, the median.
        waited_s: How long at a time, the median.
        times: How many lines say so.
        row: The line that tells the median.
    """

    share: float
    waited_s: float
    times: int
    row: dict[str, Any]


def told_waits(ev: Evidence, story: Story) -> ToldWaits | None:
    """The waits for data that lines of the last stream tell of, where these stand among its steps, first to last."""
    said = {row["seq"]: (*read, row) for row in lines_among_reports(ev, story) if (read := _in_a_phrase(row["text"]))}
    for told, row in _times(ev, story):
        if told.timed and told.sure and DATA in told.parts:
            said.setdefault(row["seq"], (told.parts[DATA], told.whole, row))
        elif not told.timed and told.parts.get(DATA) and _DATA_S_SHARE.search(row["text"]) is not None:
            step_s = _told_pace_s(ev, story) or 0.0
            said.setdefault(row["seq"], (told.parts[DATA] / told.whole * step_s, step_s, row))
    waits = [said[seq] for seq in sorted(said) if said[seq][1] > 0]
    if not _often(waits, story):
        return None
    # A line that tells the median itself: of an even number the lower one.
    share = statistics.median_low(waited / whole for waited, whole, _ in waits)
    row = next(row for waited, whole, row in waits if waited / whole == share)
    return ToldWaits(share, statistics.median_low(waited for waited, *_ in waits), len(waits), row)


def _told_pace_s(ev: Evidence, story: Story) -> float | None:
    """Seconds of a step by its reports, or by what lines beside them say of their pace; None where nothing tells."""
    return ev.once(("told pace",), lambda: _read_pace_s(ev, story))


def _read_pace_s(ev: Evidence, story: Story) -> float | None:
    seconds = story.steps["step_time_s"].median()
    if isinstance(seconds, float) and seconds > 0:
        return seconds
    found = [_PACE.search(row["text"] or "") for row in lines_among_reports(ev, story)]
    paces = [float(each[1]) for each in found if each is not None]
    return 1 / middle if len(paces) >= REPORTS and (middle := statistics.median(paces)) > 0 else None


_PACE: Final = re.compile(
    r"(?i)\b(?:batch(?:es)?|steps?|it(?:er(?:ation)?s?)?)(?:[_ ]per[_ ]s(?:ec(?:ond)?)?|/s(?:ec)?)"
    r"[\"']?[:= ]{1,3}(\d{1,6}(?:\.\d{1,9})?)"
)
"""``throughput/batches_per_sec: 0.1373``"""
_DATA_S_SHARE: Final = re.compile(
    r"(?i)(?:data|loader|input|batch(?:es)?|fetch)[\w/ .-]{0,20}(?:wait|stall|idle|starv)\w*[\w/ .-]{0,12}"
    r"(?:frac|share|pct|percent|%|ratio)"
)
"""``dataload/wait_fraction``: of all that may be waited for, it is data."""


def told_most(ev: Evidence, story: Story) -> tuple[str, float, int] | None:
    """What took most of the time by the lines that tell of times, which part of it, and how many lines say so.

    It is one of ``DATA``, ``SAVE``, ``COMM`` and ``EVALUATION``.
    """
    read = _times(ev, story)
    # Of several that speak in one log, each may wait for the others: then not all of them wait.
    reports = story.steps.drop_nulls("step").group_by("step", "source").len()
    several = reports["len"].median() not in (None, 1) and len(read) > reports.height
    for part in (DATA, SAVE, COMM, EVALUATION):
        of_it = [(told.parts[part], told.whole, row) for told, row in read if part in told.parts]
        if _often(of_it, story):
            spent = sum(each for each, *_ in of_it)
            alike = sum(each >= _MOSTLY * whole for each, whole, _ in of_it) >= _ALL_OF_THEM * len(of_it)
            if several and not alike:
                continue
            share = min(spent / sum(whole for _, whole, _ in of_it), _of_the_wall(ev, story, spent, len(of_it)))
            timed = [told.whole for told, _ in read if told.timed and part in told.parts]
            if share >= _MOSTLY and (not timed or statistics.median(timed) >= _FELT_S):
                return part, share, len(of_it)
    return None


def waits_in_turn(ev: Evidence, story: Story) -> ToldWaits | None:
    """The longest wait for data of all ranks of a step, where lines of each tell their own, now one and now another.

    Who waits for its data keeps the others waiting, whatever they call that; were it always the same, it would be slow.
    """
    steps = dict(story.steps.drop_nulls(["line_seq", "step"]).select("line_seq", "step").iter_rows())
    each: dict[int, list[tuple[float, float, int, dict[str, Any]]]] = {}
    for told, row in _times(ev, story):
        text = str(row["text"])
        speaker = _SPEAKER.search(text[:_HEAD])
        if not told.timed and _IN_SECONDS.search(text) is None:
            continue
        if row["seq"] in steps and DATA in told.parts and told.sure and speaker is not None and told.whole > 0:
            waited = told.parts[DATA]
            each.setdefault(int(steps[row["seq"]]), []).append((waited, told.whole, int(speaker[1]), row))
    ranks = {rank for said in each.values() for *_, rank, _ in said}
    full = [max(said, key=lambda one: one[0]) for said in each.values() if len(said) == len(ranks) > 1]
    if len(full) < REPORTS or 2 * len(full) < len(each):
        return None
    most = max(sum(rank == one for *_, rank, _ in full) for one in ranks)
    if most > _IN_TURN * len(full):
        return None
    share = statistics.median_low(waited / whole for waited, whole, *_ in full)
    row = next(row for waited, whole, _, row in full if waited / whole == share)
    return ToldWaits(share, statistics.median_low(waited for waited, *_ in full), len(full), row)


_SPEAKER: Final = re.compile(r"(?i)(?:^|[\s\[(])(?:r(?:ank)?|worker|gpu|proc(?:ess)?)[ _=:#]?(\d{1,4})\b")
_HEAD: Final = 80
_IN_SECONDS: Final = re.compile(r"(?i)\b(?:s|secs?|seconds)(?: ?/ ?| per )(?:step|it(?:er(?:ation)?)?|batch|update)\b")
_IN_TURN: Final = 0.6
"""Of the steps no rank is the one that waits longest in more than so many."""


def told_part(ev: Evidence, story: Story, part: str) -> ToldWaits | None:
    """What lines tell that ``part`` took; None where it is not the one that took most of the time.

    Args:
        ev: What was captured.
        story: The run as it was told.
        part: ``SAVE``, ``COMM`` or ``EVALUATION``.
    """
    told = told_most(ev, story)
    if told is None or told[0] != part:
        return None
    of_it = [(each.parts[part], row) for each, row in _times(ev, story) if part in each.parts]
    middle = statistics.median_low(spent for spent, _ in of_it)
    return ToldWaits(told[1], middle, told[2], next(row for spent, row in of_it if spent == middle))


def _of_the_wall(ev: Evidence, story: Story, spent_s: float, lines: int) -> float:
    """What part of the time by the clock that is, where each step is told: a loop may do more than what it times."""
    wall = wall_s(ev, story)
    strides = story.steps["step"].drop_nulls().unique().sort().diff().median()
    told = story.steps["step"].drop_nulls().n_unique()
    return spent_s / wall if wall and strides == 1 and lines >= told - 1 else 1.0


def told_whole_s(ev: Evidence, story: Story) -> float | None:
    """Seconds of all the times that reports tell the whole of; None where they do not, time and again."""
    wholes = [(told.whole, told.whole, row) for told, row in _times(ev, story) if told.timed and told.sure]
    return sum(whole for whole, *_ in wholes) if _often(wholes, story) else None


_MOSTLY: Final = 0.6
_ALL_OF_THEM: Final = 0.95
"""Share of the lines of several speakers that have to tell so: then nobody is waited for by the others."""
_FELT_S: Final = 0.05
"""Loops of toys spend most of a few milliseconds on their data."""


def _times(ev: Evidence, story: Story) -> list[tuple[Told, dict[str, Any]]]:
    """Lines that tell of times, from the head of the last stream's first report to behind its last."""
    return ev.once(("lines of times",), lambda: _read_times(ev, story))


def _read_times(ev: Evidence, story: Story) -> list[tuple[Told, dict[str, Any]]]:
    rows = lines_among_reports(ev, story)
    # A head and its rows, or the lines of one report, have to follow each other: the first and the last are read.
    parts = [rows] if len(rows) <= 2 * _LINES else [rows[:_LINES], rows[-_LINES:]]
    read = [
        (told, part[at])
        for part in parts
        for at, told in timed_lines([_BEHIND_A_BAR.sub("", row["text"] or "") for row in part])
    ]
    return sorted([*read, *_by_phrases(rows, {row["seq"] for _, row in read})], key=lambda each: each[1]["seq"])


def _by_phrases(rows: list[dict[str, Any]], but: set[int]) -> list[tuple[Told, dict[str, Any]]]:
    """What phrases of other lines say of waits for data: they tell no part beside it."""
    rows = [row for row in rows if row["seq"] not in but and _BAR.search(row["text"] or "") is None]
    told = waits(pl.Series("text", [row["text"] for row in rows], pl.String))
    return [
        (Told(whole or _ALL, {DATA: part if whole else share * _ALL}, timed=bool(whole), sure=False), row)
        for (whole, part, share), row in zip(told.select("whole", "part", "share").iter_rows(), rows, strict=True)
        if whole or share is not None
    ]


_BEHIND_A_BAR: Final = re.compile(r"^.{0,600}(?:it/s|s/it|\?it/s)[^\]\n]{0,160}\](?=[A-Za-z]{3,20}[ :=|])")
"""A bar, where a report is glued to its end: torchtune's ``...9.90s/it]Step 2197 | loss:...``."""
_ALL: Final = 100.0
_BAR: Final = re.compile(r"%\s?\||\d(?:it|s|ex\w*|files?|shards?|B)/s|s/it\b")
"""How far something is done, and no part of a time."""


def lines_among_reports(ev: Evidence, story: Story) -> list[dict[str, Any]]:
    """Rows of ``log_lines`` of the last stream, from a few above its first report to a few below its last, in order.

    Of very many the last 20,000.
    """
    return ev.once(("lines among reports",), lambda: _read_lines(ev, story))


def _read_lines(ev: Evidence, story: Story) -> list[dict[str, Any]]:
    low, high, last = _span(story)
    if not ev.has("log_lines") or last is None:
        return []
    among = pl.col("seq").is_between(low - _ABOVE, high + _BELOW)
    return ev.scan("log_lines").filter(same_stream(last) & among).sort("seq").tail(_MOST).collect().rows(named=True)


_LINES: Final = 3000
_MOST: Final = 20_000
_ABOVE: Final = 12
"""Lines by which the head of a table may stand above its first row."""


def _span(story: Story) -> tuple[int, int, dict[str, Any] | None]:
    """Where the steps of the last stream begin and end, and one of them."""
    steps = story.steps.filter(pl.col("line_seq").is_not_null())
    if steps.is_empty():
        return 0, 0, None
    last = steps.row(-1, named=True)
    steps = steps.filter(same_stream(last))
    low, high = steps["line_seq"].min(), steps["line_seq"].max()
    return (low, high, last) if isinstance(low, int) and isinstance(high, int) else (0, 0, None)


def _often(told: list[tuple[float, float, dict[str, Any]]], story: Story) -> bool:
    """Whether lines tell a time often enough, and over at least half of the run."""
    low, high, _ = _span(story)
    typical = statistics.median([whole for _, whole, _ in told] or [0.0])
    least = REPORTS if typical < _LONG_S else _FEW if typical < _VERY_LONG_S else _TWO
    return len(told) >= least and 2 * (told[-1][2]["seq"] - told[0][2]["seq"]) >= high - low


def _in_a_phrase(text: str) -> tuple[float, float] | None:
    """Seconds that training waited for data, and of how many, as a line tells both; None where it does not."""
    text = text[:_LONG]
    for pattern in (_OF_A_TIME, _OF_A_TIME_BEHIND, _OF_WHICH):
        if (found := pattern.search(text)) is not None:
            waited = float(found["waited"]) * _seconds(found["unit"] or found["whole_unit"])
            whole = float(found["whole"]) * _seconds(found["whole_unit"])
            return (waited, whole) if whole > 0 and waited <= whole * _ROUNDED else None
    for pattern in (_UNTIL_THERE, _LITTLE_TRAINED):
        if (found := pattern.search(text)) is not None:
            learned = float(found["learned"]) * _seconds(found["unit"])
            told = float(found["told"]) * _seconds(found["told_unit"])
            waited = told if pattern is _UNTIL_THERE else told - learned
            return (waited, waited + learned) if waited > 0 else None
    return None


def _seconds(unit: str) -> float:
    return {"ms": 0.001, "m": 60.0, "h": 3600.0}.get(unit.lower().removesuffix("in"), 1.0)


_LONG_S: Final = 10.0
_FEW: Final = 3
"""Lines that tell enough where each is of so long a time."""
_VERY_LONG_S: Final = 300.0
_TWO: Final = 2
"""And where each is of many minutes, as of an epoch: a run that was begun anew may tell no more of them."""
_LONG: Final = 1000
_BELOW: Final = 3
"""Lines by which such a word may stand below the report that it is of."""
_ROUNDED: Final = 1.01
_NUMBER: Final = r"\d{1,7}(?:\.\d{1,6})?"
_UNIT: Final = r"ms|s|secs?|seconds?|min|h"
_WHO: Final = (
    r"\b(?:trainers?|training|train (?:loop|step)|(?:main|training) (?:loop|process|thread)|loop|learner|model|gpus?"
    r"|rank ?\d{1,5}|step)(?: was| has| had| is| spent)?"
)
"""Whose waits are those of the training: a feeder that waits for its own data is another matter."""
_DATA: Final = (
    r"(?:for|on) (?:the |its |new |more |next |input )?(?:data|input|batch(?:es)?|samples)\b(?![- ]?parallel)"
)
_WAITED: Final = r"(?:wait(?:ed|ing|s)?|starv(?:ed|ing)|stalled)"
_SPAN: Final = (
    rf"(?P<waited>{_NUMBER}) ?(?P<unit>{_UNIT})? ?(?:out )?(?:of|/) ?(?:the )?(?:last |past |previous )?"
    rf"(?P<whole>{_NUMBER}) ?(?P<whole_unit>{_UNIT})"
)
_OF_A_TIME: Final = re.compile(rf"(?i){_WHO} {_WAITED}(?: for)? {_SPAN} {_DATA}")
"""``trainer waited 134.0 s of the last 175.0 s for data``."""
_OF_A_TIME_BEHIND: Final = re.compile(rf"(?i){_WHO} {_WAITED} {_DATA}:? (?:for )?{_SPAN}\b")
"""``training waited for data 134 s of 175 s``."""
_OF_WHICH: Final = re.compile(
    rf"(?i)(?P<whole>{_NUMBER}) ?(?P<whole_unit>{_UNIT}),? (?:and )?of (?:which|that|these) "
    rf"(?P<waited>{_NUMBER}) ?(?P<unit>{_UNIT})? "
    r"(?:(?:was|were|went|is|spent|passed) ){0,2}(?:(?:waiting|in|on|for|at|into|by) ){0,2}(?:the |its )?"
    r"(?:next\(|data\b|data ?loader|loader|iterator|dataset|input|batch(?:es)?\b|reading|fetch|decoding)"
    r"(?![- ]?parallel)"
)
"""``last 100 steps: 345.8 s, of which 312.1 s in next(iterator)``."""
_UNTIL_THERE: Final = re.compile(
    rf"(?i)(?P<told>{_NUMBER}) ?(?P<told_unit>{_UNIT}) until (?:the |its )?[a-z]{{2,20}}(?: [a-z]{{2,20}})? "
    r"(?:was|were|is|are|had) (?:there|here|ready|read|loaded|come|arrived|decoded|fetched|in memory),? (?:and |then )?"
    rf"(?P<learned>{_NUMBER}) ?(?P<unit>{_UNIT}) (?:to|for|of|in) (?:learn|train|comput|updat|step|fit)"
)
"""``1.98 s until the plates were there, 18.4 ms to learn from them``."""
_LITTLE_TRAINED: Final = re.compile(
    rf"(?i)(?P<told>{_NUMBER}) ?(?P<told_unit>{_UNIT}) in (?:all|total), (?P<learned>{_NUMBER}) ?(?P<unit>{_UNIT}) "
    r"(?:in|for|of|on) (?:the )?(?:train|comput|learn|model|optimi[sz]er)\w*(?: steps?)?, "
    r"(?:reading|loading|decoding|fetching|waiting for)\b"
)
"""``27.7 s in all, 0.2 s in train steps, reading tiles 2.29 s per batch``."""
