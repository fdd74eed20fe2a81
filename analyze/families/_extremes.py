"""The longest time of a round, whose it was, and a typical one beside it: in a line, or in columns of a curve."""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._detectors import (
    LINES,
    NEAR,
    NEARLY_ALL,
    NO_WORK,
    OFTEN,
    OWN_PART,
    TIMED,
    WIDTH,
    Detected,
)
from inquest.analyze.families._tellers import tables_of

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._tellers import Column

_WHOSE: Final = (
    r"(?i)[\"'](?:max|hi(?:gh(?:est)?)?|slowest|worst|longest)[\"']: ?(?P<most>\d{1,7}(?:\.\d{1,9})?)\b.{0,80}?"
    r"[\"'](?:arg_?max|(?:max|hi|slowest|worst|longest)_(?:at|by|on|rank|who|worker|host|node|gpu))[\"']: ?[\"']?(?P<who>[\w@.:-]{1,60})"
)
"""``"hi": 1.13, "hi_at": "r06@g100"``."""
_AT_THE_TOP: Final = (
    r"(?i)\b(?:top-?\d{0,2}|slowest(?: \d{1,2})?|worst(?: \d{1,2})?|longest(?: \d{1,2})?)\b[^:#|]{0,60}:\s*"
    r"(?P<who>(?:#|rank |worker |r|w)\d{1,6}(?: ?[(@] ?(?P<node>[\w.-]{1,60})\)?)?)[ :=,]{1,3}(?P<most>\d{1,7}(?:\.\d{1,9})?) ?(?:ms|s)\b"
)
"""``top-3 of 64 by own time: #48 (nid001212) 4.96s, #61 ...``."""
_IN_BRACKETS: Final = (
    r"(?i)(?:\b(?:max(?:imum|imo)?|m[aá]x(?:imo)?|slowest|longest|worst|plus lent|langsamste[rs]?|m[aá]s lento|mais lento)|最大|最慢|最長|макс\w*)"
    r"[\"']?[ :=]{0,3}(?P<most>\d{1,7}(?:\.\d{1,9})?) ?(?:ms|s)? ?[\[(](?:von |by |on |at )?"
    r"(?P<who>(?:rank|rang|rango|ранг|ランク|worker|gpu|proc\w*|карта|卡|r|w|#)[ :=#]?\d{1,6}(?: ?(?:@|on|auf|sur|en) ?(?P<node>[\w.-]{1,60}))?)[\])]"
)
"""``min 0.614 / moy 0.711 / max 1.630 (rang 7)``."""
_BESIDE_IT: Final = r"(?i)(?:\b(?:median|med|mean|avg|average|p50|typical|moy(?:enne)?|m[ée]diane|mittel(?:wert)?|media|m[eé]dia(?:na)?)|平均|中位|средн\w*|медиан\w*)[\"']?[ :=]{0,3}(?P<usual>\d{1,7}(?:\.\d{1,9})?)"

_LEAST: Final = r"(?i)(?:\b(?:min(?:imum|imo)?|m[i\u00ed]n(?:imo)?|fastest|quickest|schnellste[rs]?|plus rapide|m[a\u00e1]s r[a\u00e1]pido|mais r[a\u00e1]pido)|\u6700\u5c0f|\u6700\u5feb|\u6700\u77ed|\u043c\u0438\u043d\w*)[\"']?[ :=]{0,3}(?P<usual>\d{1,7}(?:\.\d{1,9})?)"
"""The shortest, where no typical one is told."""
_FROM_TO: Final = (
    r"(?i)\(min, ?max\)[^(]{0,60}\(ms\)[^(]{0,60}\((?P<usual>\d{1,7}(?:\.\d{1,9})?), ?(?P<most>\d{1,7}(?:\.\d{1,9})?)\)[ ,;|]{0,3}"
    r"(?:\(?(?:(?:slowest|max)(?:imum)? )?(?:rank|by rank|on rank)(?: (?:of|with|at) (?:the )?(?:max(?:imum)?|slowest))?)[ :=]{1,3}(?P<who>\d{1,6})\b"
)
"""Megatron's least and greatest time over all ranks, and whose the latter was: ``(847.02, 1629.18) rank of max: 11``."""


def extremes(ev: Evidence) -> Detected | None:
    """The one that takes longest in nearly all lines, or rows, that tell the longest time, whose it was, and a typical one."""
    if not ev.has("log_lines"):
        return _extreme_columns(ev)
    text = pl.col("text").str.slice(0, WIDTH)
    lines = ev.scan("log_lines").filter(text.str.contains(_MAY_NAME)).sort("node", "seq").tail(LINES).collect()
    told = [(*found, row) for row in lines.iter_rows(named=True) if (found := _extreme(row["text"][:WIDTH]))]
    return _nearly_always(told) or _nearly_always(_ratios(ev)) or _extreme_columns(ev)


_RATIO: Final = re.compile(
    r"(?i)^[\s|>*-]*(?P<who>(?:r|rank[ _]?|worker[ _]?|gpu[ _]?)\d{1,6})(?:@(?P<node>[\w.-]{1,60}))?:? ?[x\u00d7](?P<ratio>\d{1,3}\.\d{1,3})(?=[,;\s]|$)"
)
"""``r22@n06 x2.43, r29@n08 x1.09``: the slowest first, each by how many times as long it takes."""
_OF_OWN_TIMES: Final = r"(?i)\b(?:longest|slowest)\b.{0,60}\b(?:own|step|compute)\b.{0,20}\btimes?\b|\b(?:own|step|compute) times?\b.{0,60}\brelative to\b"
"""What such lines are said to be of."""


def _ratios(ev: Evidence) -> list[tuple[str, str | None, float, Row]]:
    """The first of each line of ratios, where a line says that they are of the ranks' own times."""
    lines = ev.scan("log_lines").sort("node", "seq")
    text = pl.col("text").str.slice(0, WIDTH)
    if not lines.select(text.str.contains(_OF_OWN_TIMES).any()).collect().item():
        return []
    rows = lines.filter(text.str.contains(r"\d ?[x\u00d7]\d{1,3}\.\d")).tail(LINES).collect().iter_rows(named=True)
    found = [(_RATIO.match(row["text"][:WIDTH]), row) for row in rows]
    return [(told["who"], told["node"], float(told["ratio"]), row) for told, row in found if told is not None]


def _nearly_always(told: list[tuple[str, str | None, float, Row]]) -> Detected | None:
    """The one that is named in nearly all of the later half."""
    late = told[-max(OFTEN, len(told) // 2) :]
    if len(late) < OFTEN:
        return None
    who, node, _, row = late[-1]
    mine = [ratio for whose, _, ratio, _ in late if whose == who]
    number = re.search(r"\d{1,6}", who)
    if number is None or len(mine) < NEARLY_ALL * len(late):
        return None
    return Detected(int(number[0]), node, statistics.median(mine), len(late), row, by_loop=True)


_MOST: Final = re.compile(r"(?i)(?:^|[\W_])(?:max(?:imum)?|slowest|longest|worst|hi)(?=$|[\W_])")
_USUAL: Final = re.compile(r"(?i)(?:^|[\W_])(?:mean|avg|average|median|med|p50|typical)(?=$|[\W_])")
_ITS_OWNER: Final = re.compile(
    r"(?i)^(?:arg_?max(?:_\w{1,12})?|(?:pe|rank|who|worker|proc|process|node|host|gpu|id)[ _](?:of[ _])?(?:t[ _])?(?:max|slowest|worst|longest|hi)"
    r"|(?:max|slowest|worst|longest|hi)[ _](?:at|on|by|pe|rank|who|worker|id|host|gpu|node|proc|process))$"
)
"""``T_MEAN(S)  T_MAX(S)  PE_MAX``: a typical time, the longest, and whose that was, in columns."""


def _extreme_columns(ev: Evidence) -> Detected | None:
    """The same by the columns of a curve, or of a table in a log."""
    each = ((owner, columns) for columns in tables_of(ev) for owner in columns if _ITS_OWNER.match(owner))
    return next((found for owner, columns in each if (found := _by_columns(owner, columns)) is not None), None)


def _by_columns(owner: str, columns: dict[str, Column]) -> Detected | None:
    times = [name for name in columns if name != owner and not NO_WORK.search(name) and _is_a_time(name)]
    most = [name for name in times if _MOST.search(name)]
    usual = [name for name in times if _USUAL.search(name) and not _MOST.search(name)]
    if len(most) != 1 or len(usual) != 1:
        return None
    whose, longest, typical = ([value for _, value in columns[name].said] for name in (owner, most[0], usual[0]))
    if not len(whose) == len(longest) == len(typical) or min(typical) <= 0:
        return None
    row = columns[most[0]].row
    told: list[tuple[str, str | None, float, Row]] = [
        (f"{int(who)}", None, high / mean, row) for who, high, mean in zip(whose, longest, typical, strict=True)
    ]
    return _nearly_always(told)


def _is_a_time(name: str) -> bool:
    return bool(TIMED.search(name) or OWN_PART.search(name) or re.search(r"(?i)^t[_ ]|[\W_](?:s|sec)(?:\W|$)", name))


_MAY_NAME: Final = r"(?i)(?:top|slowest|worst|longest|max|máx|plus lent|langsamst|lento|最|макс|hi_|highest).{0,120}\d.{0,200}|(?:max|slowest|worst|hi)_"


_COMMA: Final = re.compile(r"(?<![\d.,])(\d{1,4}),(\d{1,4})(?![\d.,])")
_TIMED_ABROAD: Final = re.compile(
    r"(?i)_?sec\b|dur[ée]e|dauer|dura[cç]|temps|zeit\b|tiempo|tempo|czas|время|длит|时间|時間|耗时|用时|[(\[](?:ms|s)[)\]]"
)


def _extreme(text: str) -> tuple[str, str | None, float] | None:
    """Whose time was the longest by a line, on which node, and how many times as long as a typical one it was."""
    text = _COMMA.sub(r"\1.\2", text)
    both = re.search(_FROM_TO, text)
    most = both or re.search(_WHOSE, text) or re.search(_AT_THE_TOP, text) or re.search(_IN_BRACKETS, text)
    usual = both or re.search(_BESIDE_IT, text) or re.search(_LEAST, text)
    if most is None or usual is None or float(usual["usual"]) <= 0:
        return None
    said = text[max(0, min(most.start(), usual.start()) - NEAR) : most.end()]
    if NO_WORK.search(said) or (both is not None and OWN_PART.search(said) is None):
        return None  # of the parts that Megatron tells, it is its own work alone that fills a step
    if not (TIMED.search(said) or OWN_PART.search(said) or _TIMED_ABROAD.search(said)):
        return None
    node = most.groupdict().get("node") or (most["who"].partition("@")[2] or None)
    return most["who"], node, float(most["most"]) / float(usual["usual"])
