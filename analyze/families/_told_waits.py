"""What a program says in words of its own that its training waited for data: so much of so long, time and again."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._clocks import REPORTS

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
    """The waits that lines of one stream tell of, where these stand among its steps from first to last."""
    if not ev.has("log_lines"):
        return None
    steps = story.steps.filter(pl.col("line_seq").is_not_null())
    if steps.is_empty() or steps.select("node", "source").n_unique() > 1:
        return None
    low, high = steps["line_seq"].min(), steps["line_seq"].max()
    if not isinstance(low, int) or not isinstance(high, int):
        return None
    lines = ev.scan("log_lines").filter(
        same_stream(steps.row(0, named=True))
        & pl.col("seq").is_between(low, high + _BELOW)
        & pl.col("text").str.contains(_ANY)
    )
    told = [(*read, row) for row in lines.sort("seq").collect().iter_rows(named=True) if (read := _read(row["text"]))]
    least = REPORTS if statistics.median(whole for _, whole, _ in told or [(0.0, 0.0, {})]) < _LONG_S else _FEW
    if len(told) < least or 2 * (told[-1][2]["seq"] - told[0][2]["seq"]) < high - low:
        return None
    # A line that tells the median itself: of an even number the lower one.
    share = statistics.median_low(waited / whole for waited, whole, _ in told)
    row = next(row for waited, whole, row in told if waited / whole == share)
    return ToldWaits(share, statistics.median_low(waited for waited, *_ in told), len(told), row)


def _read(text: str) -> tuple[float, float] | None:
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
    if (found := _WAIT_CLOCK.search(text)) is None:
        return None
    waited = float(found[1]) * _seconds(found[2])
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    parts = [(clock[1], float(clock[2]) * _seconds(clock[3])) for clock in _CLOCK.finditer(rest)]
    computed = sum(seconds for name, seconds in parts if _COMPUTES.search(name))
    # A clock of the whole is no part beside the wait; without one of the computing nothing says what else was done.
    whole = waited + sum(seconds for name, seconds in parts if not _WHOLE.search(name))
    return (waited, whole) if computed and whole > 0 else None


def _seconds(unit: str) -> float:
    return {"ms": 0.001, "m": 60.0, "h": 3600.0}.get(unit.lower().removesuffix("in"), 1.0)


_LONG_S: Final = 10.0
_FEW: Final = 3
"""Lines that tell enough where each is of so long a time."""
_LONG: Final = 1000
_BELOW: Final = 3
"""Lines by which such a word may stand below the report that it is of."""
_ROUNDED: Final = 1.01
_ANY: Final = r"(?i)wait|starv|stall|of which|\d ?s until|\d ?s in (?:all|total)"
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
_PER: Final = r"(?:/(?:it|step|batch|update)| per (?:it(?:eration)?|step|batch|update))?"
_WAIT_CLOCK: Final = re.compile(
    r"(?i)\b(?:data(?:loader)?|input|batch|feed|loader)[_ -](?:wait(?:ing)?|stall(?:ed)?)(?:[_ ]time)?[ :=]{1,3}"
    rf"({_NUMBER}) ?(ms|s){_PER}(?![\w/])"
)
_CLOCK: Final = re.compile(
    rf"(?i)(?<![\w.])([a-z][a-z_+-]{{1,40}}(?: [a-z]{{1,20}})?)[ :=]{{1,3}}({_NUMBER}) ?(ms|s){_PER}(?![\w/])"
)
_COMPUTES: Final = re.compile(r"(?i)forward|backward|fwd|bwd|comput|optim|model|gpu")
_WHOLE: Final = re.compile(r"(?i)total|whole|step|iter|elapsed|time$")
