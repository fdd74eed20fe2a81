"""What speakers tell side by side, round after round: ranks, cards, workers, hosts and their numbers of one form.

A line of each (``worker=w-4 took=13.9s``), a file of each, a list or a dict of all in one line, a row of each in a
table, a column of each in a curve: all are read into rounds, in which every speaker tells the same quantity once.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import itertools
import re
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from inquest.analyze.families._wall import time_of_day_s
from inquest.analyze.logs.named_numbers import TIMES, numbers_of
from inquest.analyze.logs.reader import ANSI
from inquest.bundle.line_rank import strip_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

# --- who speaks -------------------------------------------------------------------------------------------------------
_AS_RANK: Final = (
    r"ranks?|rk|ranc?go|rang|\u0440\u0430\u043d\u0433|\u30e9\u30f3\u30af|\ub7ad\ud06c|workers?|wrk|gpus?|cuda|npu|xpu|cards?|devices?|dev|replicas?|proc(?:ess)?|processo|proceso"
    r"|processus|prozess|proces|\u043f\u0440\u043e\u0446\u0435\u0441\u0441|\u0440\u0430\u0431\u043e\u0447\u0438\u0439|\u043a\u0430\u0440\u0442\u0430|pe|trainers?|peers?|members?|placa|carte|karte|tarjeta|scheda|kart|\u663e?\u5361|\u8fdb\u7a0b|\u30d7\u30ed\u30bb\u30b9|\uce74\ub4dc|\ud504\ub85c\uc138\uc2a4"
    r"|executor|trabalhador|trabajador"
)
_AS_NODE: Final = (
    r"nodes?|hosts?|hostname|machines?|servers?|srv|box|sites?|clients?|lane|rechner|maschine|knoten|n(?:oe|\u0153)ud|nodo|n\u00f3|m\u00e1quina|macchina|machine|serveur|servidor|sunucu"
    r"|d\u00fc\u011f\u00fcm|w\u0119ze\u0142|serwer|\u0443\u0437\u0435\u043b|\u0441\u0435\u0440\u0432\u0435\u0440|\u043c\u0430\u0448\u0438\u043d\u0430|\u8282\u70b9|\u7bc0\u9ede|\u673a\u5668|\u670d\u52a1\u5668|\u30ce\u30fc\u30c9|\u30b5\u30fc\u30d0\u30fc?|\uc11c\ubc84|\ub178\ub4dc"
)
_LABEL: Final = re.compile(
    r"(?i)(?:^|(?<=[\s\[({|,;:\"'<]))"
    rf"(?:(?P<word>{_AS_RANK}|{_AS_NODE})"
    r"(?:[\"']?\s?[=:]\s?[\"']?(?P<named>[^\W\d_][\w.-]{0,40}|\d{1,3}(?:\.\d{1,3}){3})(?=[\s\"',;:)}\]]|$)"
    r"| (?P<address>(?:[a-z]{2,6}://)?\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?)(?=[\s,;)]|$)"
    r"|[\"']?(?:\{id=|[ _=:#/\[(\u2116-]{0,2})(?P<number>\d{1,5})(?![\w.]*\d|[\w%]|\s*(?:/|of\b|(?:cards?|gpus?|nodes?|workers?)\b(?!\s?[=:]))))"
    r"|(?P<short>[rwgn])(?:-|=|#)?(?P<of>\d{1,4})(?=[\s:,\]|)]|$)"
    r"|(?P<key>ip|pid)=(?P<at>[\d.]{3,40}\d)"
    r"|(?P<bare>(?:(?:tcp|tls|ucx|grpc)://)?\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?)(?=[\s,;:)\]|]|$))"
)
"""A speaker's name in a line: ``rank 3``, ``worker=w-4``, ``{"Machine":"Birch"}``, ``r2``, ``ip=10.8.0.12``, or an address."""
_ON: Final = re.compile(r"\bon ([a-z][\w-]{0,40}\d[\w.-]{0,20})(?=[\s,;)\]]|$)")
"""``in 4948 ms on gpu-node-12``."""
_BESIDE_A_NAME: Final = re.compile(r"\[ {1,3}[^\W\d_][\w.-]{0,40} ?\]")
"""What is left of a name that stood in brackets with another one: ``[w2 lagoon]``."""
_PREFIX: Final = re.compile(
    r"^(?:(?P<task>\d{1,5}): +(?=\S)|\[?(?P<host>[a-z]{2,12}[a-z-]{0,12}\d{1,6}[\w-]{0,12})\]?: )"
)
"""What srun, or a shell over hosts, puts before every line."""
_COUNTED: Final = re.compile(
    r"(?i)^(?:step|iter|epoch|ep|batch|round|update|upd|it|loss|layer|stage|fold|seed|trial|gen)"
)
_NODE_WORD: Final = re.compile(rf"(?i)^(?:{_AS_NODE}|ip|on|host)$")
_FILE: Final = re.compile(
    rf"(?i)(?:^|[/_.\-])(?:(?:{_AS_RANK}|{_AS_NODE}|task)[_\-.]?\d{{1,5}}|(?:nid|cn|dgx|gpu|tux)-?\d{{1,6}})(?=[_.\-/]|$)"
)
"""A file of each speaker: ``machine_1.log``, ``host-2-of-4.INFO``."""


class Speaker(NamedTuple):
    """Who tells: a name for people, and the rank or the node that it means, where it means one."""

    name: str
    rank: int | None = None
    node: str | None = None


def _speaker(labels: Sequence[tuple[str, str]]) -> Speaker:
    rank = node = None
    for key, value in labels:
        if _NODE_WORD.match(key):
            node = node or (value if not value.isdigit() else f"{key} {value}")
        elif key != "pid" and rank is None and (digits := re.search(r"\d{1,5}$", value)):
            rank = int(digits[0])
    shown = [f"{key} {value}" for key, value in labels if key != "pid" or len(labels) == 1]
    return Speaker(", ".join(shown), rank, node)


def _labels(text: str) -> tuple[list[tuple[str, str]], str]:
    """The speaker's names in a line, and the line without them."""
    found: list[tuple[str, str]] = []
    prefix = _PREFIX.match(text)
    if prefix is not None and (prefix["task"] or not _COUNTED.match(prefix["host"])):
        found.append(("task", prefix["task"]) if prefix["task"] else ("host", prefix["host"]))
        text = text[prefix.end() :]

    def take(label: re.Match[str]) -> str:
        if (address := label["address"] or label["bare"]) is not None:
            found.append(("host", address))
            return " "
        key = label["word"] or label["short"] or label["key"]
        found.append((key.lower(), label["named"] or label["number"] or label["of"] or label["at"]))
        return " "

    text = _BESIDE_A_NAME.sub(" ", _LABEL.sub(take, text))
    if (host := _ON.search(text)) is not None:
        found.append(("on", host[1]))
        text = f"{text[: host.start()]} {text[host.end() :]}"
    return found, text


# --- what is told -----------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class Quantity:
    """One quantity of all speakers: what it is called, in what unit, and what each said, with the place of the line."""

    called: str
    unit: str
    said: dict[Speaker, list[tuple[int, float]]] = field(default_factory=dict)
    row: Row | None = None
    source: str | None = None
    together: bool = False
    """All in one line or row: they are of one round for sure."""
    sure: bool = True
    """A word says that ranks, cards, hosts speak; columns and keys may be parts of one program as well."""
    guessed: bool = False
    """Nothing says that speakers tell it: that some of them wait, by what stands beside it, has to show that."""


@dataclass(slots=True)
class Joint:
    """A quantity that is told once for all: the time of a round, the rate of the job."""

    called: str
    unit: str
    said: list[tuple[int, float]] = field(default_factory=list)
    source: str | None = None


class Column(NamedTuple):
    """A column of a table: the values with their places, and the row of a store that tells the last one."""

    said: list[tuple[int, float]]
    row: Row


@dataclass(slots=True)
class Tellings:
    """All that is told side by side; quantities of one form of lines stand under one key."""

    tables: list[dict[str, Column]] = field(default_factory=list)
    forms: dict[tuple[object, ...], list[Quantity]] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    clock: dict[tuple[str | None, int], float] = field(default_factory=dict)
    """When lines were written, in seconds, by their source and place."""


_CLOCK: Final = re.compile(r"(?<![\d:.-])(\d{1,3}):([0-5]\d):([0-5]\d)(?:\.\d+)?(?![\d:])")
_SPAN: Final = re.compile(
    rf"(?i)((?:elapsed|took|after|in|duration|time|total|busy|idle|wait\w*|compute)\W{{1,3}}){_CLOCK.pattern}"
)
"""``elapsed 0:10:24``: a time that took so long, and not one of day."""
_NO_BAR: Final = re.compile(r"[\u2580-\u259f\u2501#=>]{2,}|\d{1,3}%\|")
_UNIT_AHEAD: Final = re.compile(
    r"(?i)(?:\((ms|s|sec|min|us|\u6beb\u79d2|\u79d2)\)\s*[:|]|(?<!\w)(ms|s|sec|us)(?: per |/)(?:step|it(?:er(?:ation)?)?|update|batch):)"
)
"""``time (ms) | fwd: 317.8 | ...``, ``ms per step: load 3 ...``: the unit of all that follow."""
_READ: Final = 6_000
_WIDE: Final = 3000
_MOST: Final = 4096


def tables_of(ev: Evidence) -> list[dict[str, Column]]:
    """The columns of curves, and of tables in logs, by their names."""
    return tellings(ev).tables


def tellings(ev: Evidence) -> Tellings:
    """What speakers tell by the lines of logs and by the columns of curves."""
    return ev.once(("tellings",), lambda: _tellings(ev))


def _tellings(ev: Evidence) -> Tellings:
    told = Tellings()
    if ev.has("log_lines"):
        text = pl.col("text").fill_null("").str.slice(0, _WIDE).str.replace_all(ANSI, "")
        lines = ev.scan("log_lines").sort("seq").tail(_READ).with_columns(plain=text).collect()
        _of_lines(told, lines)
        told.clock = _clock_of(lines)
        for source, columns in tables(lines):
            _of_table(told, source, columns)
    if ev.has("metrics"):
        _of_columns(told, ev.scan("metrics").filter(pl.col("value").is_finite()).sort("seq").tail(_CELLS).collect())
    return told


def _clock_of(lines: pl.DataFrame) -> dict[tuple[str | None, int], float]:
    """When lines were written, in seconds: by their own times, or by those of the day that stand at their heads."""
    told: dict[tuple[str | None, int], float] = {}
    for source, seq, ts_ns, text in lines.select("source", "seq", "ts_ns", "plain").iter_rows():
        at = time_of_day_s(text) if ts_ns is None else ts_ns / 1e9
        if at is not None:
            told[source, seq] = float(at)
    return told


_CELLS: Final = 200_000


def _of_lines(told: Tellings, lines: pl.DataFrame) -> None:
    own: dict[tuple[object, ...], list[tuple[int, dict[str, str], list[tuple[str, str, float]], Row]]] = {}
    alone: dict[tuple[object, ...], Joint] = {}
    head: _Head | None = None
    legend: _Legend | None = None
    for row, text in _as_written(lines):
        head, legend = _Head.of(text) or head, _Legend.of(text) or legend
        if legend is not None and (values := legend.values(text)) is not None:
            pairs = zip(map(_by_its_key, legend.who), values, strict=True)
            _side_by_side(told, (row["source"], "legend", legend), legend.words, pairs, row)
        if head is not None and (cells := head.cells(text)) is not None:
            labels, numbers = [(head.who, cells[0])], cells[1]
            form: tuple[object, ...] = (row["source"], "table", head.names)
        elif _of_clauses(told, text, row):
            continue
        else:
            _of_a_list(told, text, row)
            _of_bare_lists(told, text, row)
            _of_arrivals(told, text, row)
            labels, rest = _labels(strip_prefix(text) if row["rank"] is not None else text)
            form = ()
            numbers = _numbers(_ARRIVALS.sub(" ", _DICT.sub(" ", _LIST.sub(" ", rest))))
        if not numbers or _OTHERS.search(text):
            continue
        source: str | None = row["source"]
        if (ranked := row["rank"] is not None) and all(_NODE_WORD.match(key) for key, _ in labels):
            labels.insert(0, ("rank", str(row["rank"])))
        if ranked and row["rank_by"] not in _IN_THE_LINE:
            source = None  # a file of each
        elif not ranked and (named := _FILE.search(str(source or ""))) is not None:
            labels.insert(0, _parted(named[0].strip("/_.-")))
            source = None
        form = form or (source, tuple(key for key, _ in labels), tuple((name, unit) for name, unit, _ in numbers))
        if labels:
            own.setdefault(form, []).append((row["seq"], dict(labels), numbers, row))
        for at, (name, unit, value) in enumerate(numbers):
            if not labels or "all" in name:
                key = (source, form, at)
                joint = alone.setdefault(key, Joint(name, unit, [], source))
                joint.said.append((row["seq"], value))
    told.joints += [joint for joint in alone.values() if len(joint.said) > 1]
    for form, said in own.items():
        if len({tuple(labels.items()) for _, labels, _, _ in said}) == 1:  # who speaks for all: the head, the driver
            told.joints += _of_one(said)
            continue
        for keys in _ways_to_name(said):
            quantities = _quantities(said, keys, form)
            if quantities:
                told.forms[form, keys] = quantities
                break


def _as_written(lines: pl.DataFrame) -> Iterator[tuple[Row, str]]:
    """Each line, and each of those that several wrote at once into one."""
    for row in lines.iter_rows(named=True):
        yield from ((row, text) for text in _GLUED.split(str(row["plain"])))


_GLUED: Final = re.compile(
    r"(?i)(?<=[\w.%)}])(?=\[(?:rank|worker|gpu|node|proc|[rwgn])[ _:=#-]?\d{1,4}\b[^\]\[]{0,40}\] )"
)
_IN_THE_LINE: Final = ("text", "tee_prefix", "task")
"""How a line tells its rank by itself, as ``line_rank`` names it."""
_OTHERS: Final = re.compile(
    r"(?i)data ?loader|prefetch|decod|augment|tokeni[sz]|preprocess|\b(?:actors?|envs?|environments?|rollouts?|simulat\w*|trials?|folds?|seeds?)\b"
)
"""Workers that feed a job or play for it, and runs side by side: who is slow among these holds no other up."""


def _parted(label: str) -> tuple[str, str]:
    """The word and the number of a label in one: ``machine_1``."""
    number = re.search(r"\d+$", label)
    word = label[: number.start()].strip("_.-") if number else label
    return (word.lower() or "file", number[0] if number else label)


def _of_one(said: Sequence[tuple[int, dict[str, str], list[tuple[str, str, float]], Row]]) -> Iterator[Joint]:
    for at, (name, unit, _) in enumerate(said[0][2]):
        values = [(seq, numbers[at][2]) for seq, _, numbers, _ in said]
        yield Joint(name, unit, values, said[0][3]["source"])


def _ways_to_name(said: Sequence[tuple[int, dict[str, str], object, object]]) -> Iterator[tuple[str, ...]]:
    """By which of its labels a speaker is told: by all that it has, or else by one of them."""
    keys = tuple(said[0][1])
    yield keys
    if len(keys) > 1:
        yield from ((key,) for key in keys)


def _quantities(
    said: Sequence[tuple[int, dict[str, str], list[tuple[str, str, float]], Row]],
    keys: tuple[str, ...],
    form: tuple[object, ...],
) -> list[Quantity]:
    """The numbers of lines of one form, each told by several speakers often enough; none where they are not."""
    _, _, first, last = said[-1]
    source = last["source"] if form[0] is not None else None
    found = [Quantity(name, unit, {}, last, source) for name, unit, _ in first]
    for seq, labels, numbers, _ in said:
        who = _speaker([(key, labels[key]) for key in keys])
        for quantity, (_, _, value) in zip(found, numbers, strict=True):
            quantity.said.setdefault(who, []).append((seq, value))
    counts = [len(each) for each in found[0].said.values()]
    return found if 2 <= len(counts) <= _MOST and min(counts) >= LEAST_ROUNDS else []


LEAST_ROUNDS: Final = 8
"""Rounds that are told, at least: that one is the slowest time and again is no chance then."""


def _numbers(text: str) -> list[tuple[str, str, float]]:
    """The numbers of a line with their names and units; spans of time in seconds."""
    text = _SPAN.sub(lambda span: f"{span[1]}{int(span[2]) * 3600 + int(span[3]) * 60 + int(span[4])} s", text)
    text = _NO_BAR.sub(" ", text)
    ahead = _UNIT_AHEAD.search(text)
    if ahead is None:
        return _named(text, "")
    return _named(text[: ahead.start()], "") + _named(text[ahead.end() :], (ahead[1] or ahead[2]).lower())


def _named(text: str, unit_of_all: str) -> list[tuple[str, str, float]]:
    found = []
    for number in numbers_of(text):
        name = number.name if not number.behind else f"{number.name} {number.behind}"
        unit = number.unit or unit_called(name) or unit_of_all
        scale = TIMES.get(unit)
        found.append((name.strip(), "s" if scale else unit, number.value * (scale or 1.0)))
    return found


# --- all of them in one line ------------------------------------------------------------------------------------------
_LIST: Final = re.compile(
    r"(?P<words>[^\[\]{}|,;\d]{2,60}?)[=:\uff1a]?\s*\[(?P<values>\s*\d[\d.]*(?:\s*[,; ]\s*\d[\d.]*){1,4095}\s*)\]"
)
_DICT: Final = re.compile(
    r"(?P<words>[^\[\]{}|,;\d]{2,60}?)[\"']?\s*[=:]\s*\{(?P<pairs>\s*[\"']?[\w:.-]{1,40}[\"']?\s*:\s*\d[\d.]*"
    r"(?:\s*,\s*[\"']?[\w:.-]{1,40}[\"']?\s*:\s*\d[\d.]*){1,4095}\s*)\}"
)
_PAIR: Final = re.compile(r"(?P<quote>[\"']?)(?P<who>[\w:.-]{1,40})(?P=quote)\s*:\s*(?P<value>\d[\d.]*)")
_AMONG: Final = re.compile(rf"(?i)(?:^|[^a-z])(?:{_AS_RANK}|{_AS_NODE})")
_KEYS_OF_SPEAKERS: Final = re.compile(
    rf"(?i)^(?:(?:{_AS_RANK}|{_AS_NODE}|[rwgnp])[:_.-]?\d{{1,5}}|[a-z-]{{1,20}}\d{{1,6}}|\d{{1,5}})$"
)


def _of_a_list(told: Tellings, text: str, row: Row) -> None:
    """``ms per card: [395, 393, 1901]``, ``'nccl_wait': {'cuda:0': 0.63, 'cuda:1': 0.03}``."""
    for found in _LIST.finditer(text):
        values = [float(each) for each in re.findall(r"\d+(?:\.\d+)?", found["values"])]
        speakers = [Speaker(f"rank {at}", at) for at in range(len(values))]
        if _AMONG.search(found["words"]):
            _side_by_side(
                told, (row["source"], "list", found["words"]), found["words"], zip(speakers, values, strict=True), row
            )
        else:
            like = (row["source"], "lists", len(values))
            _side_by_side(told, like, found["words"], zip(speakers, values, strict=True), row, guessed=True)
    for found in _DICT.finditer(text):
        pairs = [(pair["who"], float(pair["value"].rstrip("."))) for pair in _PAIR.finditer(found["pairs"])]
        if all(_KEYS_OF_SPEAKERS.match(who) for who, _ in pairs):
            named = ((_by_its_key(who), value) for who, value in pairs)
            form = (row["source"], "dict", found["words"])
            _side_by_side(told, form, found["words"], named, row)
            told.forms[form][0].sure = all(_AMONG.match(who) for who, _ in pairs)


def _of_clauses(told: Tellings, text: str, row: Row) -> bool:
    """``rank0: forward 0.017s of step 0.184s  rank1: forward 0.136s of step 0.184s``: whether each has one like it."""
    labels = [found for found in _LABEL.finditer(text) if found["word"] or found["short"]]
    if len(labels) < 2 or _OTHERS.search(text):
        return False
    names = [
        ((found["word"] or found["short"]).lower(), found["named"] or found["number"] or found["of"])
        for found in labels
    ]
    if len({key for key, _ in names}) > 1 or len(set(names)) < len(names) or None in dict(names).values():
        return False
    ends = [found.start() for found in labels[1:]] + [len(text)]
    said = [_numbers(text[found.end() : end].lstrip(" :=)]>")) for found, end in zip(labels, ends, strict=True)]
    form = tuple((name, unit) for name, unit, _ in said[0])
    if not form or any(tuple((name, unit) for name, unit, _ in each) != form for each in said):
        return False
    key = (row["source"], "clauses", form)
    mine = [Quantity(name, unit, {}, None, row["source"], together=True) for name, unit in form]
    for at, quantity in enumerate(told.forms.setdefault(key, mine)):
        quantity.row = row
        for name, numbers in zip(names, said, strict=True):
            quantity.said.setdefault(_speaker([name]), []).append((row["seq"], numbers[at][2]))
    return True


_BARE_LIST: Final = re.compile(
    r"(?P<words>[^=:\d|;,]{2,60}?)[=:\uff1a]{1,2}\s*(?P<values>\d[\d.]*(?:(?P<sign>[ /])\d[\d.]*)(?:(?P=sign)\d[\d.]*){1,4094})"
    r"(?=\s*$|\s+[^\W\d]|\s*[|;,)])"
)
_OF_SEVERAL_THINGS: Final = re.compile(
    r"(?i)\w/\w|\b(?:min|max|avg|mean|median|p\d\d|std|epoch|shape|size|date|time of day)\b"
)


def _of_bare_lists(told: Tellings, text: str, row: Row) -> None:
    """``TFLOP/s by rank: 160 162 78``, ``compute[ms]= 310/317/669 wait[ms]= 365/358/6``: lists without brackets.

    Where no word says of whom they are, two times of as many each are told.
    """
    found = [
        (words, [float(each) for each in re.split(r"[ /]", one["values"])])
        for one in _BARE_LIST.finditer(text)
        if (words := re.sub(r"(?i)\b\w*flops?/s\b", "flops per s", one["words"]))
        and not _OF_SEVERAL_THINGS.search(words)
        and re.fullmatch(r"(?:\d+(?:\.\d+)?[ /]?)+", one["values"])
    ]
    named = any(_AMONG.search(words) for words, _ in found)
    timed = [words for words, _ in found if unit_called(words) in {*TIMES, "us"}]
    if not found or len({len(values) for _, values in found}) > 1 or not (named or len(timed) > 1):
        return
    form = (row["source"], "bare lists", tuple(words for words, _ in found))
    new = [
        Quantity(words.strip(" :=("), unit_called(words), {}, None, row["source"], together=True, sure=named)
        for words, _ in found
    ]
    for quantity, (_, values) in zip(told.forms.setdefault(form, new), found, strict=True):
        quantity.row = row
        for at, value in enumerate(values):
            quantity.said.setdefault(Speaker(f"rank {at}", at), []).append((row["seq"], value))


_ARRIVALS: Final = re.compile(
    r"(?i)(?P<words>\b(?:arriv\w*|order|came|lateness|late|barrier|rendezvous|gathered|ankunft\w*|reihenfolge|arriv\u00e9e?s?|ordre|llegada\w*"
    r"|orden|chegada\w*|ordem|arrivi|ordine)|\u5230\u8fbe\w*|\u5230\u7740\w*|\ub3c4\ucc29\w*|\u043f\u0440\u0438\u0431\u044b\u0442\u0438\w*|\u043f\u043e\u0440\u044f\u0434\u043e\u043a)[^\d+]{0,12}?[:=\uff1a]?\s*"
    r"(?P<all>(?:[^\W\d_][\w.-]{0,40}|\d{1,5})[ (@:=]{0,2}\+\s?\d{1,6}(?:\.\d{1,6})?(?: ?m?s)?\)?"
    r"(?:[ ,;<>|-]{1,4}(?:[^\W\d_][\w.-]{0,40}|\d{1,5})[ (@:=]{0,2}\+\s?\d{1,6}(?:\.\d{1,6})?(?: ?m?s)?\)?){1,4094})"
)
"""``order avocet+0.00 dunlin+0.04 kestrel+3.76``: who came when to where all wait for the last."""
_ARRIVAL: Final = re.compile(
    r"(?P<who>[^\W\d_][\w.-]{0,40}|\d{1,5})[ (@:=]{0,2}\+\s?(?P<after>\d{1,6}(?:\.\d{1,6})?)(?: ?(?P<unit>m?s)(?!\w))?"
)


def _of_arrivals(told: Tellings, text: str, row: Row) -> None:
    """When each came, told as what each waited for the last of them."""
    found = _ARRIVALS.search(text)
    each = [] if found is None else list(_ARRIVAL.finditer(found["all"]))
    if found is None or len({one["who"] for one in each}) < max(len(each), _CAME):
        return
    after = [float(one["after"]) * TIMES[one["unit"] or "s"] for one in each]
    pairs = ((_by_its_key(one["who"]), max(after) - at) for one, at in zip(each, after, strict=True))
    _side_by_side(told, (row["source"], "arrivals"), "wait for the last (s)", pairs, row)


_CAME: Final = 3
"""Speakers, at least, of whom the last to come is told."""


def _by_its_key(who: str) -> Speaker:
    digits = re.search(r"\d{1,5}$", who)
    key = re.sub(r"\d+$", "", who).strip(":_.-").lower()
    if digits is None or _NODE_WORD.match(key) or (key and not re.fullmatch(rf"(?i){_AS_RANK}|[rwgp]", key)):
        return Speaker(who, None, who)
    return Speaker(who if key else f"rank {who}", int(digits[0]))


def _side_by_side(
    told: Tellings,
    form: tuple[object, ...],
    words: str,
    pairs: Iterable[tuple[Speaker, float]],
    row: Row,
    *,
    guessed: bool = False,
) -> None:
    name = re.sub(r"[\"'_]+", " ", words).strip(" :=(\u2502\u2514\u250c")
    mine = next((each for each in told.forms.get(form, ()) if each.called == name or not guessed), None)
    if mine is None:
        mine = Quantity(name, unit_called(name), {}, None, row["source"], together=True, guessed=guessed)
        told.forms.setdefault(form, []).append(mine)
    mine.row = row
    for who, value in pairs:
        mine.said.setdefault(who, []).append((row["seq"], value))


def unit_called(name: str) -> str:
    """The unit that a name ends with or begins with: ``compute_ms``, ``ms_abacus``, ``busy [s]``, ``T_MAX(S)``."""
    found = _UNIT_IN.search(name)
    return "" if found is None else found[1].lower()


_UNIT_IN: Final = re.compile(
    r"(?i)(?:^|[\W_])(ms|msec|us|\u00b5s|s|sec|secs|seconds|min|minutes|minutos|\u6beb\u79d2|\u79d2|\ubd84|\ucd08|\u0441\u0435\u043a)(?=$|[\W_])"
)


class _Head(NamedTuple):
    """The head of a table with a column of speakers."""

    names: tuple[str, ...]
    at: int

    @property
    def who(self) -> str:
        return self.names[self.at]

    @staticmethod
    def of(text: str) -> _Head | None:
        cells = _cells(text)
        if len(cells) < 2 or any(re.match(r"[-+]?\d", cell) for cell in cells):
            return None
        ranks = [index for index, cell in enumerate(cells) if re.fullmatch(rf"(?i){_AS_RANK}", cell)]
        nodes = [index for index, cell in enumerate(cells) if re.fullmatch(rf"(?i){_AS_NODE}", cell)]
        names = tuple(cell.lower() for cell in cells)
        # Where each rank stands beside its host, it is the rank that tells.
        return _Head(names, (ranks or nodes)[0]) if max(len(ranks), len(nodes)) == 1 else None

    def cells(self, text: str) -> tuple[str, list[tuple[str, str, float]]] | None:
        """Who a row is of, and the numbers of it; None: it is no row of this table."""
        cells = _cells(text)
        if len(cells) != len(self.names):
            return None
        numbers = []
        told = [at for at, name in enumerate(self.names) if at != self.at and _A_SPEAKER.fullmatch(name) is None]
        for at in told:
            if found := _CELL.fullmatch(cells[at]):
                unit = found["unit"] or unit_called(self.names[at])
                value = float(found["value"]) * TIMES.get(unit, 1.0)
                numbers.append((self.names[at], "s" if unit in TIMES else unit, value))
        return (cells[self.at], numbers) if len(numbers) == len(told) else None


_A_SPEAKER: Final = re.compile(rf"(?i){_AS_RANK}|{_AS_NODE}")


_CELL: Final = re.compile(r"(?P<value>-?\d{1,12}(?:\.\d{1,9})?) ?(?:%|(?P<unit>ms|us|s|sec|min)?)")


def _cells(text: str) -> list[str]:
    """The cells of a row: between bars, between two blanks or tabs, or else between commas."""
    text = text.strip().strip("|\u2502\u2503").strip()
    parted = re.split(r"\s*[|\u2502\u2503\t]\s*|\s{2,}", text) if text else []
    if len(parted) == 1 and _NO_PROSE.fullmatch(text):
        parted = re.split(r"\s?[,;]\s?", text)
    return [cell for cell in parted if cell]


_NO_PROSE: Final = re.compile(r"[^\s,;]+(?:\s?[,;]\s?[^\s,;]+){2,}")
"""A row of a table whose cells are one word each: ``step,host,compute_s,wait_s``."""


# --- tables in a log --------------------------------------------------------------------------------------------------
def tables(lines: pl.DataFrame) -> Iterator[tuple[str, dict[str, Column]]]:
    """The tables of numbers in lines with ``plain`` texts, by the names over their columns, and where they stand."""
    heads: dict[str, tuple[str, ...]] = {}
    found: dict[tuple[str, tuple[str, ...]], dict[str, Column]] = {}
    for row in lines.iter_rows(named=True):
        source, cells = str(row["source"]), _words(str(row["plain"]))
        names = heads.get(source)
        if names is not None and len(cells) == len(names) and all(map(_VALUE.fullmatch, cells)):
            columns = found.setdefault((source, names), {name: Column([], row) for name in names})
            for name, cell in zip(names, cells, strict=True):
                said = columns[name].said
                said.append((row["seq"], float(cell.rstrip("%"))))
                columns[name] = Column(said, row)
        elif len(cells) >= _COLUMNS and not any(map(_VALUE.match, cells)) and len(set(cells)) == len(cells):
            heads[source] = tuple(cells)
    yield from ((source, columns) for (source, _), columns in found.items())


_VALUE: Final = re.compile(r"[-+]?\d{1,12}(?:\.\d{1,12})?(?:[eE][-+]?\d{1,3})?%?")
_COLUMNS: Final = 4


def _words(text: str) -> list[str]:
    return [cell for cell in re.split(r"[\s|,;\u2502\u2503]+", text) if cell]


class _Legend(NamedTuple):
    """Which part of a line, between bars, has a number of each speaker: ``busy% per proc: p0 p1 p2``."""

    at: int
    words: str
    who: tuple[str, ...]

    @staticmethod
    def of(text: str) -> _Legend | None:
        for at, part in enumerate(text.split("|")):
            if (found := _LEGEND.fullmatch(part)) is not None and _AMONG.search(found["words"]):
                return _Legend(at, found["words"], tuple(found["who"].split()))
        return None

    def values(self, text: str) -> list[float] | None:
        """The numbers of all speakers in a line; None: there are none, or others."""
        parts = text.split("|")
        cells = parts[self.at].split() if len(parts) > self.at else []
        same = len(cells) == len(self.who) and all(map(_VALUE.fullmatch, cells))
        return [float(cell.rstrip("%")) for cell in cells] if same else None


_LEGEND: Final = re.compile(
    r"(?P<words>[^:\d]{3,80}):\s*(?P<who>(?:[^\W\d]{1,8}\d{1,4}\s+){1,4095}[^\W\d]{1,8}\d{1,4})\s*"
)


# --- a column of each -------------------------------------------------------------------------------------------------
_PARTS: Final = (re.compile(r"\d+"), re.compile(r"[^\W\d_][^\W_]*(?:[.-][^\W_]+)*"))
_OF_ALL: Final = re.compile(
    r"(?i)^(?:all|total|sum|mean|avg|average|median|med|max|min|job|overall|global|step|wall|whole|loss|lr|std|gesamt|todos|\u603b|\u5168\u4f53|\u5168)$"
)


def _of_columns(told: Tellings, cells: pl.DataFrame) -> None:
    for (source,), mine in cells.group_by(["source"], maintain_order=True):
        frames = {str(name): frame for (name,), frame in mine.group_by(["name"], maintain_order=True)}
        columns = {
            name: Column(list(enumerate(frame["value"].to_list())), frame.row(-1, named=True))
            for name, frame in frames.items()
        }
        _of_table(told, str(source), columns)
    _add_files(told, cells)


def _of_table(told: Tellings, source: str, columns: dict[str, Column]) -> None:
    """Columns of one stem are of speakers; each of the others is told once for all."""
    told.tables.append(columns)
    stems: dict[tuple[str, str], dict[str, str]] = {}
    for name in columns:
        for part in itertools.chain.from_iterable(each.finditer(name) for each in _PARTS):
            stems.setdefault((name[: part.start()], name[part.end() :]), {})[part[0]] = name
    used: set[str] = set()
    for stem, names in sorted(stems.items(), key=_most_likely):
        each = {part: name for part, name in names.items() if not _OF_ALL.match(part) and name not in used}
        lengths = {len(columns[name].said) for name in each.values()}
        least = 2 if all(map(str.isdigit, each)) else 3
        if len(each) >= least and len(lengths) == 1 and min(lengths) >= LEAST_ROUNDS:
            used.update(each.values())
            _add_columns(told, source, stem, {part: columns[name] for part, name in each.items()})
    for name, column in columns.items():
        if name not in used:
            told.joints.append(Joint(name.replace("_", " "), unit_called(name), column.said, source))


def _most_likely(stem: tuple[tuple[str, str], dict[str, str]]) -> tuple[bool, int, bool, tuple[str, str]]:
    """Order of stems: those that name speakers first, then those of most columns, then those with numbers."""
    (before, behind), names = stem
    digits = all(map(str.isdigit, names))
    several = sum(_OF_ALL.match(part) is None for part in names)
    return not (digits and _AMONG.search(before)), -several, not digits, (before, behind)


def _add_columns(told: Tellings, source: str, stem: tuple[str, str], each: dict[str, Column]) -> None:
    before, behind = stem
    raw = f"{before} {behind}"
    key = before.rstrip("_-. /").lower() or "column"
    ranked = re.search(rf"(?i)(?:^|[^a-z])(?:{_AS_RANK}|[rwgpc])$", key) is not None
    sure = all(map(str.isdigit, each)) and _AMONG.search(key) is not None
    last = next(reversed(each.values())).row
    quantity = Quantity(raw.replace("_", " ").strip(), unit_called(raw), {}, last, source, together=True, sure=sure)
    for part, column in each.items():
        number = int(part) if part.isdigit() and ranked else None
        who = Speaker(f"{key} {part}", number) if part.isdigit() else Speaker(part, None, part)
        quantity.said[who] = column.said
    told.forms.setdefault((source, "columns", tuple(sorted(each))), []).append(quantity)


def _add_files(told: Tellings, cells: pl.DataFrame) -> None:
    """A file of each: ``rank0.csv``, ``rank1.csv``, with the same columns."""
    by_name: dict[str, Quantity] = {}
    for (source, name), mine in cells.group_by(["source", "name"], maintain_order=True):
        named = _FILE.search(str(source or ""))
        if named is None:
            continue
        label = named[0].strip("/_.-")
        who = _speaker([_parted(label)])
        unit = unit_called(str(name))
        quantity = by_name.setdefault(
            str(name), Quantity(str(name).replace("_", " "), unit, {}, None, None, together=True)
        )
        quantity.said[who] = list(enumerate(mine["value"].to_list()))
        quantity.row = mine.row(-1, named=True)
    kept = [each for each in by_name.values() if len(each.said) > 1 and alike(map(len, each.said.values()))]
    if kept:
        told.forms["files",] = kept


def alike(lengths: Iterable[float], share: float = 0.8) -> bool:
    """Whether the least is about as much as the most."""
    each = list(lengths)
    return bool(each) and min(each) >= share * max(each)


def typical(values: Iterable[float]) -> float:
    """The quarter from below: half of the speakers may be slow ones, where they are those of a node."""
    told = sorted(values)
    return told[(len(told) - 1) // 4] if len(told) > 2 else statistics.median_low(told)
