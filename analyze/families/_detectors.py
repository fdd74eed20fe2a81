"""What a job's own detectors of stragglers report, when asked for: Megatron-LM's, and NVIDIA's Resiliency Extension.

Both write a report every so often, whether anything is slow or not, so a name in a report says nothing: what counts is
that it is the same one nearly always, and by how much it differs. The same goes for loops that gather the time of every
rank and print them all in one line.
"""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

_MEGATRON: Final = r"MnRtt/Rnk: ([\d.]+)ms/\d+ \| MxRtt/Rnk: ([\d.]+)ms/(\d{1,7})\b"
"""Least and greatest time of work on a rank between two reports (megatron/core/utils.py, StragglerDetector)."""
_NVRX: Final = r"GPU relative performance: worst: ([\d.]+) Rank=(\d{1,7}) Node=([^\s,]{1,200}), median: ([\d.]+)"
"""The slowest GPU's speed against the best (nvidia_resiliency_ext/ptl_resiliency/straggler_det_callback.py)."""
_NVRX_RANK: Final = r"^\s*Rank=(\d{1,7}) Node=([^\s,]{1,200}) Score=([\d.]+)\s*$"
_NVRX_HEAD: Final = r"GPU relative performance:\s*$"
"""The same since version 0.2: a line of each of the worst and of the best, as shares of the fastest."""
_REPORTS: Final = 3
NEARLY_ALL: Final = 0.8


@dataclass(frozen=True, slots=True)
class Detected:
    """A rank that a detector names in nearly all of its reports.

    Attributes:
        node: Its node, where the reports tell.
        ratio: How many times as long as the fastest, or the median rank, it takes; the median of the reports.
        row: The last line that names it.
        by_loop: Whether the loop itself told the times of all ranks, and no detector.
    """

    rank: int
    node: str | None
    ratio: float
    reports: int
    row: Row
    by_loop: bool = False


def detected(ev: Evidence, least: float = 1.0) -> Detected | None:
    """The rank that a detector names; None where none reports, or names now one and now another.

    Of the lines of a loop also where one rank came to take ``least`` times as long in the midst of the run, to the end.
    """
    if not ev.has("log_lines"):
        return None
    text = pl.col("text")
    lines = (
        ev.scan("log_lines")
        .filter(text.str.contains("MxRtt/Rnk: |GPU relative performance: worst: "))
        .sort("node", "seq")
        .collect()
    )
    megatron, nvrx = text.str.extract_groups(_MEGATRON).struct, text.str.extract_groups(_NVRX).struct
    for rank, node, slow, usual in (
        (megatron.field("3"), pl.lit(None, pl.String), megatron.field("2"), megatron.field("1")),
        (nvrx.field("2"), nvrx.field("3"), nvrx.field("4"), nvrx.field("1")),
    ):
        told = lines.with_columns(
            named=rank.cast(pl.Int64, strict=False),
            host=node,
            ratio=slow.cast(pl.Float64, strict=False) / usual.cast(pl.Float64, strict=False),
        ).filter(pl.col("named").is_not_null() & pl.col("ratio").is_finite())
        if told.height < _REPORTS:
            continue
        most = told.group_by("named").len().sort("len", "named", descending=[True, False]).row(0)
        mine = told.filter(pl.col("named") == most[0])
        ratio = mine["ratio"].median()
        if mine.height >= NEARLY_ALL * told.height and isinstance(ratio, float):
            hosts = mine["host"].drop_nulls().unique().to_list()
            last = mine.row(-1, named=True)
            return Detected(most[0], hosts[0] if len(hosts) == 1 else None, ratio, told.height, last)
    return _by_scores(ev) or _side_by_side(ev, least)


def _by_scores(ev: Evidence) -> Detected | None:
    """The rank of the least score in nearly all reports of NVIDIA's extension that give one to each of several."""
    text = pl.col("text")
    lines = ev.scan("log_lines").filter(text.str.contains(f"{_NVRX_RANK}|{_NVRX_HEAD}")).sort("node", "seq").collect()
    reports: list[list[tuple[float, int, str, Row]]] = []
    for row in lines.iter_rows(named=True):
        told = re.match(_NVRX_RANK, row["text"])
        if told is None:
            reports.append([])
        elif reports:
            reports[-1].append((float(told[3]), int(told[1]), told[2], row))
    whole = [sorted(each, key=lambda one: one[:2]) for each in reports if len(each) > 1]
    if len(whole) < _REPORTS:
        return None
    named = statistics.mode(each[0][1] for each in whole)
    mine = [each for each in whole if each[0][1] == named and each[0][0] > 0]
    if len(mine) < NEARLY_ALL * len(whole):
        return None
    ratio = statistics.median(statistics.median(one[0] for one in each[1:]) / each[0][0] for each in mine)
    _, _, node, row = mine[-1][0]
    return Detected(named, node, ratio, len(whole), row)


# --- the times of all ranks in one line -------------------------------------------------------------------------------


def _side_by_side(ev: Evidence, least: float) -> Detected | None:
    """The rank that takes longest in nearly all lines that tell the time of each; None: none does."""
    text = pl.col("text").str.slice(0, WIDTH)
    lines = ev.scan("log_lines").filter(text.str.contains(_MAY_TELL)).sort("node", "seq").tail(LINES).collect()
    told = [(slowest, row) for row in lines.iter_rows(named=True) if (slowest := _slowest(row["text"][:WIDTH]))]
    found = _nearly_always(told)
    # While all are as fast, who is the slowest is chance: the later half is asked by itself.
    late = _nearly_always(told[len(told) // 2 :]) if found is None or found.ratio < least else None
    return found if late is None or late.ratio < least else late


def _nearly_always(told: list[tuple[tuple[int, float], Row]]) -> Detected | None:
    if len(told) < OFTEN:
        return None
    most = statistics.mode(rank for (rank, _), _ in told)
    mine = [(ratio, row) for (rank, ratio), row in told if rank == most]
    if len(mine) < NEARLY_ALL * len(told):
        return None
    ratio = statistics.median(ratio for ratio, _ in mine)
    return Detected(most, None, ratio, len(told), mine[-1][1], by_loop=True)


def _slowest(text: str) -> tuple[int, float] | None:
    """The rank that took longest by a line, and how many times as long as a typical one of the others."""
    times: dict[int, float] = {}
    if listed := re.search(_LISTED, text):
        start = listed.start("label")
        times = dict(enumerate(map(float, re.findall(_SECONDS, listed["times"]))))
    elif paired := re.search(_PAIRED, text):
        said = _BESIDE.sub("", paired["said"])
        pairs = re.findall(_PAIR, paired["pairs"])
        times = {int(rank): float(number) for rank, number in pairs}
        timed = _TIME_OF_A_STEP.search(said) or OWN_PART.search(said)
        if len(times) < len(pairs) or not timed or NO_WORK.search(said) or _RATE.search(said):
            return None
        start = 0
    elif keyed := list(re.finditer(_KEY, text)):
        start = keyed[0].start()
        times = {int(key[1]): float(key[2]) for key in keyed}
        if len(times) < len(keyed) or len({key[3].lower() for key in keyed}) > 1:
            return None
    if len(times) > 1:
        slow = max(times, key=lambda rank: times[rank])
        usual = statistics.median(taken for rank, taken in times.items() if rank != slow)
        return (slow, times[slow] / usual) if usual > 0 and not NO_WORK.search(_said_of(text, start)) else None
    worst, usually = re.search(_WORST, text), re.search(_USUAL, text)
    if worst is None or usually is None or float(usually[1]) <= 0:
        return None
    start = min(worst.start(), usually.start())
    near = _said_of(text, start) + text[start : max(worst.end(), usually.end())]
    if NO_WORK.search(near) or not TIMED.search(near):
        return None
    number = worst["time"] or worst["after"] or worst["behind"]
    rank = worst["rank"] or worst["whose"] or worst["who"]
    return int(rank), float(number) / float(usually[1])


_WHO: Final = r"(?:rank|worker|gpu|device|replica|node|host|process|proc|trainer|peer|task|member)s?"
_MAY_TELL: Final = (
    rf"(?i)\b{_WHO}[)\"']?[ :=]{{1,3}}[{{(]?\d{{1,5}}[:=] ?\d[\d.]*(?: ?m?s)?[ ,;/]{{1,3}}\d{{1,5}}[:=]"
    rf"|(?:{_WHO}|times?|latenc(?:y|ies)|ms|s)[)\"']{{0,2}}[ :=]{{0,3}}\[ ?\d[\d.]*, ?\d"
    rf"|{_WHO}(?:[ _]?[\[(]?m?s[\])]?)?[ :=]{{1,3}}\d{{1,6}}\.?\d*(?: ?m?s)?[ ,;/|]{{1,3}}\d{{1,6}}\.?\d*"
    r"|\b(?:r|w|rank|gpu|worker|node|proc)[ _#]?\d{1,5}[\"']?[ :=]{1,3}\d[\d.]* ?(?:ms|s)\b"
    rf"|\b(?:max(?:imum)?|slowest)\b.{{0,30}}\b{_WHO}|\b{_WHO}[ #]?\d{{1,5}}\b.{{0,12}}\bslowest\b"
)


def _said_of(text: str, start: int) -> str:
    """The words right before a place, behind the last number."""
    return _NUMBERS.split(text[max(0, start - NEAR) : start])[-1]


_NUMBERS: Final = re.compile(r"[|,;\]]|\d")
_TIME: Final = r"(?:ms|msec|secs?|seconds|times?|durations?|latency|latencies)"
_PART: Final = r"(?:comput\w{1,5}|busy|working|(?:fwd|forward)(?: ?(?:\+|and) ?(?:bwd|backward))?|bwd|backward|f\+b)"
OWN_PART: Final = re.compile(rf"(?i)\b{_PART}\b")
"""What a rank does itself."""
_LABEL: Final = (
    rf"(?:(?:{_TIME}|{_PART})(?: ?\(?(?:ms|s)\b\)?)?[ _]?"
    rf"(?:/|per|by|of|of all|of each|on|across|for each|each)?[ _]?{_WHO}"
    rf"|{_WHO}[ _]?(?:step[ _]?)?{_TIME})"
)
_LONG: Final = r"\d{1,7}(?:\.\d{1,9})?"
_SECONDS: Final = rf"({_LONG})"
_AMOUNT: Final = rf"{_LONG}(?: ?m?s\b)?(?![:=])"
_LISTED: Final = (
    rf"(?i)(?<![a-z])(?P<label>{_LABEL})(?:[ _]?[\[(]?(?:ms|s)[\])]?)?[\"']?[ :=]{{0,3}}"
    rf"(?P<opened>\[ ?)?(?P<times>{_AMOUNT}(?:[ ,;/|]{{1,3}}{_AMOUNT}){{1,4095}})(?![.\w])(?(opened) ?\])"
)
"""``ms/rank: [211, 214, 1893]``: whose times they are is said by the order."""
_KEY: Final = (
    r"(?i)(?<![\w.])(?:r|rank|gpu|worker|w|node|proc(?:ess)?|trainer|task)[ _#]?"
    rf"(\d{{1,5}})[\"']?[ :=]{{1,3}}{_SECONDS} ?(ms|s|secs?)\b"
)
"""``r0=0.21s r1=1.90s``."""
_PAIR: Final = r"(\d{1,5})[:=] ?(\d{1,7}(?:\.\d{1,9})?)"
_PAIRED: Final = (
    r"(?i)(?P<said>[^|;\[\]{}]{0,80}?)\b(?:by|per|of(?: each| the)?|for(?: each)?|each|across|on)[ _-]?"
    rf"{_WHO}[)\"']?[ :=]{{1,3}}[{{(]?"
    r"(?P<pairs>\d{1,5}[:=] ?\d[\d.]*(?: ?m?s)?(?:[ ,;/]{1,3}\d{1,5}[:=] ?\d[\d.]*(?: ?m?s)?){1,4095})"
)
"""``compute s/it by rank: 0:0.59 1:1.22``: who and how long, in pairs."""
_BESIDE: Final = re.compile(
    r"(?i)\b(?:before|without|w/o|excl(?:\.|uding|udes)?|outside(?: of)?|not counting|minus|less)[ :]"
    r"(?:the |any )?(?:all[-_ ]?reduce|gradient |grad )?[\w-]+"
)
"""What the times leave out."""
_TIME_OF_A_STEP: Final = re.compile(r"(?i)time|duration|latency|seconds?\b|\bsecs?\b|\bms\b|\bs/|\bs\b")
_RATE: Final = re.compile(r"(?i)/ ?s(?:ec)?\b|per sec|throughput|\btps\b|\bips\b|speed|rate\b")
_IN: Final = r"[ :=,(\[@]{1,3}(?:at |with )?"
_WORST: Final = (
    r"(?i)\b(?:max(?:imum)?|slowest)\b[ :=]{0,3}"
    rf"(?:(?P<time>{_LONG}) ?(?:ms|s|secs?)?,? ?[(\[@]?(?:on |by |at )?{_WHO}[ :=#]?(?P<rank>\d{{1,6}})"
    rf"|(?:is |was )?{_WHO}[ :=#]?(?P<whose>\d{{1,6}}){_IN}(?P<after>{_LONG}) ?(?:ms|s)\b)"
    rf"|\b{_WHO}[ :=#]?(?P<who>\d{{1,6}}) (?:is |was )?(?:the )?slowest{_IN}(?P<behind>{_LONG}) ?(?:ms|s)\b"
)
_USUAL: Final = (
    r"(?i)\b(?:min(?:imum)?|fastest|median|med|mean|avg|average|p50|typical|others?|rest|peers)\b"
    rf"[ :=]{{0,3}}{_SECONDS}"
)
NO_WORK: Final = re.compile(
    r"(?i)wait|comm|reduce|gather|idle|barrier|sync|data|load|fetch|sav(?:e|ing)|ckpt|checkpoint|mem|loss|norm|\bago\b|seen"
    r"|heartbeat|since|eval|valid|start|init"
)
"""What is no work of a rank's: who waits least is the one that the others wait for."""
TIMED: Final = re.compile(r"(?i)time|latency|duration|\b(?:ms|secs?|seconds)\b|\d ?(?:ms|s)\b")
NEAR: Final = 32
"""Characters before such times in which it is said what they are of."""
WIDTH: Final = 4000
LINES: Final = 500
OFTEN: Final = 5
