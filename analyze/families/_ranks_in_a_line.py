"""What each rank takes of a step, told of all of them in one line: ``busy s/step: r0 0.08  r1 0.09  r2 0.70``."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_EACH: Final = re.compile(
    r"(?i)(?<![\w.])r(?:ank)?[ _]?(\d{1,4})(?:[ :=]{1,2})(\d{1,6}\.\d{1,6})(?: ?(ms|s))?(?![\w.])"
)
_SEVERAL: Final = r"(?i)\br(?:ank)?[ _]?0[ :=]{1,2}\d{1,6}\.\d.{0,24}\br(?:ank)?[ _]?1[ :=]{1,2}\d"
_OWN: Final = re.compile(r"(?i)\b(?:busy|comput\w*|work\w*|own|forward|fwd|model|gpu) ?(?:time|s|ms|sec)?\b")
_OF_OTHERS: Final = re.compile(
    r"(?i)\b(?:wait\w*|idle\w*|comm\w*|all_?reduce|sync\w*|barrier|loss|mem\w*|gib?|temp\w*|util\w*)\b"
)
_LIST: Final = re.compile(
    r"(?i)\b(?P<words>[\w+/ -]{2,40}?)[ _]?(?:\(?(?:in )?(?:ms|s|secs?)\)?)?[ _]"
    r"(?:(?:by|per|of|for|across) (?:each |every |all )?ranks?|each rank|all ranks)"
    r"[^\w\[]{0,3}\[(?P<values>[\d., ]{5,600})\]"
)
"""The same as a list, in the order of ranks: ``fwd+bwd s by rank [1.77, 4.10]``."""
_LISTED: Final = r"(?i)\branks?[^\w\[]{0,3}\[\d{1,6}\.\d"
_REPORTS: Final = 8
_ALWAYS: Final = 0.9
_READ: Final = 2000


def _listed(text: str) -> list[float] | None:
    """What a list tells that each rank took for its own part; None: there is none, or it is of something else."""
    for found in _LIST.finditer(text):
        words = found["words"] or ""
        if _OWN_LISTED.search(words) and not _OF_OTHERS.search(words):
            values = [each.strip() for each in found["values"].split(",")]
            if len(values) > 1 and all(re.fullmatch(r"\d{1,6}\.\d{1,6}", each) for each in values):
                return [float(each) for each in values]
    return None


_OWN_LISTED: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:busy|comput\w*|work\w*|own|forward|backward|fwd|bwd|model)(?:[^a-z]|$)"
)


@dataclass(frozen=True, slots=True)
class Slowest:
    """The rank that takes the longest in nearly every report.

    Attributes:
        own: What it takes itself, in the unit of the line; the median of the reports.
        typical: What the median of its peers takes, likewise.
        row: The line of ``log_lines`` that tells it last.
        unit: That of both, where it is known.
    """

    rank: int
    own: float
    typical: float
    reports: int
    row: Row
    unit: str = ""


def slowest_in_a_line(ev: Evidence, story: Story, ratio: float) -> Slowest | None:
    """The rank that takes ``ratio`` times as long as its peers; None where none does, or no line tells of all."""
    last = story.steps.filter(pl.col("line_seq").is_not_null())
    if last.is_empty() or not ev.has("log_lines"):
        return None
    text = pl.col("text").fill_null("").str.slice(0, _WIDE).str.replace_all(ANSI, "")
    stream = ev.scan("log_lines").filter(
        same_stream(last.row(-1, named=True)) & (text.str.contains(_SEVERAL) | text.str.contains(_LISTED))
    )
    told = []
    for row in stream.sort("seq").tail(_READ).with_columns(plain=text).collect().iter_rows(named=True):
        if (values := _listed(str(row["plain"]))) is not None:
            told.append((values, row))
            continue
        found = list(_EACH.finditer(str(row["plain"])))
        words = re.split(r"\d", str(row["plain"])[: found[0].start()])[-1] if found else ""
        ranks = [int(each[1]) for each in found]
        if ranks == list(range(len(ranks))) and len(ranks) > 1 and _OWN.search(words) and not _OF_OTHERS.search(words):
            told.append(([float(each[2]) for each in found], row))
    told = told[-max(_REPORTS, len(told) // 3) :]  # it may have become slow in mid-run
    if len(told) < _REPORTS or len({len(values) for values, _ in told}) > 1:
        return None
    slowest, times = Counter(values.index(max(values)) for values, _ in told).most_common(1)[0]
    if times < _ALWAYS * len(told):
        return None
    own = statistics.median(values[slowest] for values, _ in told)
    peers = (statistics.median(values[:slowest] + values[slowest + 1 :]) for values, _ in told)
    typical = statistics.median(peers)
    return Slowest(slowest, own, typical, len(told), told[-1][1]) if own >= ratio * max(typical, 0.0) > 0 else None


_WIDE: Final = 1000
