"""What each rank takes of a step, told by a line of each: ``rank 2: compute 77.5 ms, sync 11.2 ms``.

Who takes the longest for its own part is waited for by all others, and waits the least itself. The second half of the
reports is looked at, as a rank may have become slow in mid-run.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._ranks_in_a_line import Slowest
from inquest.analyze.logs.named_numbers import TIMES, numbers_of
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_RANK: Final = re.compile(r"(?i)(?:^|[\s\[(])r(?:ank)?[ _=:]?(\d{1,4})\b")
_RUN_TOGETHER: Final = re.compile(r"(?<=[a-z])(?=r(?:ank)?[ _]?\d{1,4} [a-z]{2,12} \d)")
"""Where lines that two ranks wrote at the same time meet."""
_TELLS: Final = r"(?i)(?:^|[\s\[(])r(?:ank)?[ _=:]?\d{1,4}\b.{0,200}\d ?(?:ms|s|sec)\b.{0,80}\d ?(?:ms|s|sec)\b"
_BARE: Final = (
    r"(?i)^.{0,60}?(?:^|[\s\[(])r(?:ank)?[ _=:]?\d{1,4}\b.{0,200}"
    r"(?:all_?reduce|comm\w*|wait\w*|sync\w*|barrier|idle\w*)\W{1,6}\d{1,6}\.\d"
)
"""The same without units: what both take is told in one."""
_OWN: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:comput\w*|busy|work\w*|own|forward|backward|fwd|bwd|f\+b|model)(?:[^a-z]|$)"
)
_WAIT: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:wait\w*|idle\w*|comm\w*|all_?reduce|reduce_?scatter|all_?gather|sync\w*|barrier|nccl|gloo)(?:[^a-z]|$)"
)
_REPORTS: Final = 8
_ALWAYS: Final = 0.9
_ALIKE: Final = 0.8
"""Ranks report about as often as each other."""
_WAITS: Final = 0.5
"""What the slowest waits, as a share of what its peers wait."""
_READ: Final = 6000
_WIDE: Final = 600


def slowest_by_lines(ev: Evidence, story: Story, ratio: float) -> Slowest | None:
    """The rank that takes ``ratio`` times as long as its peers, and waits the least; None where none does."""
    last = story.steps.filter(pl.col("line_seq").is_not_null())
    if last.is_empty() or not ev.has("log_lines"):
        return None
    text = pl.col("text").fill_null("").str.slice(0, _WIDE).str.replace_all(ANSI, "")
    where = same_stream(last.row(-1, named=True)) & (text.str.contains(_TELLS) | text.str.contains(_BARE))
    lines = ev.scan("log_lines").filter(where).sort("seq").tail(_READ).with_columns(plain=text).collect()
    told: dict[int, list[_Told]] = {}
    for row in lines.iter_rows(named=True):
        for piece in _RUN_TOGETHER.split(str(row["plain"])):
            if (times := _times(piece, row)) is not None:
                told.setdefault(times.rank, []).append(times)
    if len(told) < 2 or sorted(told) != list(range(len(told))):
        return None
    least, most = (of(map(len, told.values())) for of in (min, max))
    late = least // 2
    if least < max(_REPORTS, _ALIKE * most):
        return None
    rounds = [[told[rank][-at] for rank in range(len(told))] for at in range(1, late + 1)]
    slowest, often = Counter(max(one, key=lambda each: each.own_s).rank for one in rounds).most_common(1)[0]
    waits_least = sum(one[slowest].wait_s == min(each.wait_s for each in one) for one in rounds)
    if min(often, waits_least) < _ALWAYS * late:
        return None
    peers = [[each for each in one if each.rank != slowest] for one in rounds]
    own_s = statistics.median(one[slowest].own_s for one in rounds)
    typical_s = statistics.median(statistics.median(each.own_s for each in one) for one in peers)
    waited_s = statistics.median(statistics.median(each.wait_s for each in one) for one in peers)
    waits = statistics.median(one[slowest].wait_s for one in rounds) > _WAITS * waited_s
    if waits or not own_s >= ratio * typical_s > 0:
        return None
    unit = " s" if told[slowest][-1].timed else ""
    return Slowest(slowest, own_s, typical_s, late, told[slowest][-1].row, unit)


class _Told(NamedTuple):
    rank: int
    own_s: float
    wait_s: float
    row: Row
    timed: bool


def _times(text: str, row: Row) -> _Told | None:
    """The rank of a line, and what its own part and its waits take; None: it does not tell of both."""
    rank = _RANK.search(text)
    if rank is None:
        return None
    own, wait = [], []
    numbers = numbers_of(text[rank.end() :])
    timed = any(number.unit.split("/")[0] in TIMES for number in numbers)
    for number in numbers:
        scale = TIMES.get(number.unit.split("/")[0]) if timed else 1.0 if not number.unit else None
        if scale is not None and _WAIT.search(number.name):
            wait.append(number.value * scale)
        elif scale is not None and _OWN.search(number.name):
            own.append(number.value * scale)
    return _Told(int(rank[1]), sum(own), sum(wait), row, timed) if own and wait else None
