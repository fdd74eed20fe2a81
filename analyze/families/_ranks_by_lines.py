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

_WHO: Final = (
    r"(?:^|[\s\[(])"
    r"(?:r(?:ank)?|w|worker|gpu|cuda|device|replica|node|host|proc(?:ess)?|trainer|peer|task|member)"
)
_RANK: Final = re.compile(rf"(?i){_WHO}[ _=:#]?(\d{{1,4}})\b")
_RUN_TOGETHER: Final = re.compile(
    r"(?<=[a-z])(?=r(?:ank)?[ _]?\d{1,4} [a-z]{2,12} \d)|(?<=\w)(?=[\[(]rank[ _=]?\d{1,4}[\])])"
)
"""Where lines that two ranks wrote at the same time meet."""
_TELLS: Final = rf"(?i){_WHO}[ _=:#]?\d{{1,4}}\b.{{0,200}}\d ?(?:ms|s|sec)\b.{{0,80}}\d ?(?:ms|s|sec)\b"
_BARE: Final = (
    rf"(?i)^.{{0,60}}?{_WHO}[ _=:#]?\d{{1,4}}\b.{{0,200}}"
    r"(?:all_?reduce|comm\w*|wait\w*|sync\w*|barrier|idle\w*)\W{1,6}\d{1,6}\.\d"
)
"""The same without units: what both take is told in one."""
_OWN: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:comput\w*|busy|work\w*|own|forward|backward|fwd|bwd|f\+b|model)(?:[^a-z]|$)"
)
_WAITING: Final = r"(?:wait\w*|idle\w*|comm\w*|all_?reduce|reduce_?scatter|all_?gather|sync\w*|barrier|nccl|gloo)"
_WAIT: Final = re.compile(rf"(?i)(?:^|[^a-z]){_WAITING}(?:[^a-z]|$)")
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
    numbers = sorted(told)
    if len(told) < 2 or numbers[0] > 1 or numbers != list(range(numbers[0], numbers[0] + len(told))):
        return None
    least, most = (of(map(len, told.values())) for of in (min, max))
    late = least // 2
    if least < max(_REPORTS, _ALIKE * most):
        return None
    rounds = [{rank: told[rank][-at] for rank in numbers} for at in range(1, late + 1)]
    slowest, often = Counter(max(one.values(), key=lambda each: each.own_s).rank for one in rounds).most_common(1)[0]
    waits_least = sum(one[slowest].wait_s == min(each.wait_s for each in one.values()) for one in rounds)
    if min(often, waits_least) < _ALWAYS * late:
        return None
    peers = [[each for each in one.values() if each.rank != slowest] for one in rounds]
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
    own, wait, whole, beside = [], [], [], []
    numbers = numbers_of(text[rank.end() :])
    scales = [TIMES.get(_PER.split(number.unit)[0]) for number in numbers]
    timed = any(scales)
    for number, in_s in zip(numbers, scales, strict=True):
        scale = in_s if timed else 1.0 if not number.unit else None
        if scale is None:
            continue
        if _WAIT.search(number.name) or _IN_IT.match(number.behind):
            wait.append(number.value * scale)
        elif _OWN.search(number.name):
            own.append(number.value * scale)
        elif timed and _OF_ALL.search(number.name or "all") is None:
            beside.append(number.value * scale)
        elif timed:
            whole.append(number.value * scale)
    if own:
        own += beside  # its data, its update: whatever it does while the others wait
    whole += beside
    if wait and not own and whole and max(whole) >= sum(wait):
        own = [max(whole) - sum(wait)]  # ``1.31 s per step, of which 0.42 s in all_reduce``
    return _Told(int(rank[1]), sum(own), sum(wait), row, timed) if own and wait else None


_OF_ALL: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:all|step|iter\w*|it|total|epoch|elapsed|eta|time|took|wall|left)(?:[^a-z]|$)"
)
_PER: Final = re.compile(r"/| per ")
_IN_IT: Final = re.compile(rf"in (?:the )?{_WAITING}")
