"""What is new since the good run: two bundles held against each other, reading by reading.

``diff_read`` says what a bundle tells of its run, each reading with the SQL that gives it; here readings of one name
are paired. Absent is not changed: a reading that one bundle lacks is listed as lacking, with the reason the collector
gave. Differences are ordered by what matters for the verdict of B: the topic its family is about, what the verdict
itself names, and who it blames.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from inquest.analyze.diff_read import PRINTED, TOPICS, Portrait, Reading, Topic, read
from inquest.analyze.diff_words import Message, messages
from inquest.analyze.evidence import rounded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Value, Verdict

SCHEMA: Final = "inquest-diff/1"

Change = Literal["new", "gone", "changed", "more", "less"]

_BY_FAMILY: Final[dict[str, tuple[Topic, ...]]] = {
    "A1": ("messages", "configuration", "software", "limits"),
    "A2": ("limits", "messages", "pace", "configuration", "nodes"),
    "B1": ("configuration", "pace", "messages", "software", "gpus"),
    "B2": ("gpus", "nodes", "messages", "clocks", "software"),
    "B3": ("clocks", "gpus", "nodes", "pace"),
    "C1": ("nodes", "configuration", "messages", "software", "limits"),
    "C2": ("messages", "nodes", "gpus", "configuration", "software"),
    "C3": ("messages", "configuration", "software", "pace"),
    "D1": ("pace", "configuration", "nodes", "limits"),
    "D2": ("pace", "configuration", "software", "nodes", "clocks"),
    "D3": ("nodes", "gpus", "clocks", "pace"),
    "E1": ("learning", "configuration", "software", "messages"),
    "E2": ("learning", "configuration", "messages", "limits"),
    "E3": ("limits", "learning", "pace", "configuration"),
    "F1": ("nodes", "messages", "limits"),
    "F2": ("limits", "nodes", "messages"),
    "F3": ("pace", "limits", "learning", "configuration"),
}
_OTHERWISE: Final[tuple[Topic, ...]] = ("messages", "pace", "learning", "configuration")
"""Topics in the order in which they bear on a family; those not named follow."""

SAME_LOSS: Final = 0.02
"""Losses at equal steps of two runs differ by a percent or so through data order and rounding alone."""

_TOPIC, _MENTIONED, _ROOT, _VOLATILE, _GONE = 10, 40, 30, -60, -60
"""Weights: a place in the order of topics, being named by the verdict, a root event, what differs at every start, what
no longer happens."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs."""

    name: str
    content_digest: str
    job_id: str | None
    nodes: int
    ranks: int
    simulated: bool
    outcome: str
    family: str | None
    headline: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was.

    ``a`` and ``b`` are the values each bundle gave, empty where it was captured and has none; ``sql_a`` and ``sql_b``
    give the rows, the value first (or, where it is read out of text, that text). ``text`` says it in one sentence,
    ``because`` why it stands where it does. ``weight`` is the order.
    """

    topic: Topic
    name: str
    change: Change
    a: tuple[Value, ...]
    b: tuple[Value, ...]
    unit: str
    where: str
    text: str
    because: str
    sql_a: str
    sql_b: str
    weight: int


@dataclass(frozen=True, slots=True)
class Lacking:
    """What cannot be compared, as one side (or both) did not capture it."""

    topic: Topic
    name: str
    lacks: Literal["a", "b", "both"]
    why: str


@dataclass(frozen=True, slots=True)
class Same:
    """What was captured on both sides and is equal."""

    topic: Topic
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Diff:
    """The whole comparison."""

    tool_version: str
    a: Side
    b: Side
    differences: tuple[Difference, ...]
    lacking: tuple[Lacking, ...]
    same: tuple[Same, ...]
    notes: tuple[str, ...] = ()
    schema: str = SCHEMA


def diff(a: tuple[str, Verdict, Evidence], b: tuple[str, Verdict, Evidence]) -> Diff:
    """Compare two runs, each given by its name, verdict and evidence; A is the good one, B the one in question."""
    from inquest import __version__

    scale = _Scale(_order(b[1]), _mentioned(b[1]))
    losses = _losses(a[2], b[2])
    told_a, told_b = (
        Portrait({**portrait.readings, **more}, portrait.groups)
        for portrait, more in zip((read(side[2], side[1]) for side in (a, b)), losses, strict=True)
    )
    differences, lacking, same = _compared(told_a, told_b, scale)
    found, notes = messages(a[2], b[2])
    differences += [_said(message, scale) for message in found]
    differences.sort(key=lambda item: (-item.weight, scale.order.index(item.topic), item.name, item.change))
    return Diff(
        __version__,
        _side(a[0], a[1]),
        _side(b[0], b[1]),
        tuple(differences),
        tuple(dict.fromkeys(lacking)),
        tuple(same),
        tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    """What weighs: the order of topics for the verdict of B, and the words that verdict uses."""

    order: tuple[Topic, ...]
    mentioned: frozenset[str]

    def of(self, topic: Topic) -> int:
        """The weight of a topic."""
        return _TOPIC * (len(self.order) - self.order.index(topic))


def _compared(a: Portrait, b: Portrait, scale: _Scale) -> tuple[list[Difference], list[Lacking], list[Same]]:
    """Readings of one name held against each other."""
    differences: list[Difference] = []
    lacking: list[Lacking] = []
    same: list[Same] = []
    names = dict.fromkeys((*b.readings, *a.readings))
    for name in names:
        one, two = _pair(name, a, b)
        if _told_better(one, two, _twin(name, names), a, b):
            continue
        if one.values is None or two.values is None:
            lacks: Literal["a", "b", "both"] = (
                "b" if one.values is not None else "a" if two.values is not None else "both"
            )
            absent = two if lacks == "b" else one
            lacking.append(Lacking(absent.topic, absent.group or absent.name, lacks, absent.why or "not captured"))
        elif change := _change(one, two):
            differences.append(_difference(one, two, change, scale))
        elif one.values:
            same.append(Same(one.topic, one.name, worded(one.values, one.unit)))
    return differences, lacking, same


def _told_better(one: Reading, two: Reading, twin: str | None, a: Portrait, b: Portrait) -> bool:
    """Whether an option and a setting that the job printed are one thing, and the other one tells it of both runs."""
    if twin is None or not all(twin in side.readings and side.readings[twin].values for side in (a, b)):
        return False
    return not (twin.endswith(PRINTED) and one.values and two.values)


def _said(message: Message, scale: _Scale) -> Difference:
    """A message that only one of the runs has."""
    fresh = message.count_b > 0
    weight, because = scale.of("messages") + (_ROOT if message.root else 0), ""
    if fresh:
        because = "began trouble" if message.root else ""
        if message.words & scale.mentioned:
            weight, because = weight + _MENTIONED, "the verdict names it"
        text = f"Only in B: {message.sample} ({message.count_b:,} in B)"
    else:
        weight += _GONE
        text = f"No longer in B, but in A: {message.sample} ({message.count_a:,} in A)"
    return Difference(
        "messages",
        message.name,
        "new" if fresh else "gone",
        (message.count_a,),
        (message.count_b,),
        "lines" if message.lines else "",
        message.where,
        text,
        because,
        message.sql,
        message.sql,
        weight,
    )


def _pair(name: str, a: Portrait, b: Portrait) -> tuple[Reading, Reading]:
    """The readings of one name; one that a bundle has not is empty there, or not captured with its whole group."""
    one, two = a.readings.get(name), b.readings.get(name)
    if one is None and two is not None:
        one = _none_of(two, a)
    elif two is None and one is not None:
        two = _none_of(one, b)
    assert one is not None
    assert two is not None
    return one, two


def _twin(name: str, names: Collection[str]) -> str | None:
    """The option of a setting the job printed, or the other way round, where there is one."""
    if name.endswith(PRINTED):
        key = name.removesuffix(PRINTED)
        return next((n for n in (f"--{key}", f"--{key.replace('_', '-')}", key) if n in names), None)
    printed = f"{name.lstrip('-').replace('-', '_')}{PRINTED}"
    return printed if printed in names else None


def _none_of(other: Reading, where: Portrait) -> Reading:
    why = where.groups.get(other.group, "not captured")
    return replace(other, values=None if why else (), why=why, nodes={})


def _side(name: str, verdict: Verdict) -> Side:
    bundle = verdict.bundle
    return Side(
        name,
        bundle.content_digest,
        bundle.job_id,
        len(bundle.named_nodes or bundle.nodes),
        len(bundle.ranks),
        bundle.simulated,
        verdict.outcome,
        verdict.family,
        verdict.headline,
        verdict.confidence,
    )


# --- loss -----------------------------------------------------------------------------------------------------------
def loss_by_step(ev: Evidence) -> pl.DataFrame:
    """Training loss by step, the median of what ranks and attempts reported of it: columns ``step`` and ``loss``."""
    steps = ev.facts("fact_steps").filter(
        pl.col("kind").is_in(["step", "bar"]) & pl.col("step").is_not_null() & pl.col("loss").is_not_null()
    )
    return steps.group_by("step").agg(pl.col("loss").median()).sort("step")


def _losses(a: Evidence, b: Evidence) -> tuple[dict[str, Reading], dict[str, Reading]]:
    """Loss at the first, middle and last step that both reported."""
    one, two = loss_by_step(a), loss_by_step(b)
    both = one.join(two, on="step", how="inner", suffix="_b").sort("step")
    if both.is_empty():
        told = "no loss was reported"
        why = [told if frame.is_empty() else "no step is reported by both" for frame in (one, two)]
        if one.height and two.height:
            return {}, {}
        empty = [
            Reading(
                "learning", "Loss", "Loss", None if frame.is_empty() else (rounded(frame["loss"][-1], ""),), "", why=w
            )
            for frame, w in zip((one, two), why, strict=True)
        ]
        return {"Loss": empty[0]}, {"Loss": empty[1]}
    found: tuple[dict[str, Reading], dict[str, Reading]] = ({}, {})
    last = both.height - 1
    for at, words in {0: "first", last // 2: "middle", last: "last"}.items():
        step, *values = both.row(at)
        name = f"Loss at step {step} ({words} that both reported)"
        sql = (
            f"SELECT MEDIAN(loss) AS value FROM fact_steps WHERE step = {step} AND kind IN ('step', 'bar')"
            " AND loss IS NOT NULL"
        )
        for side, value in zip(found, values, strict=True):
            side[name] = Reading("learning", name, name, (rounded(value, ""),), sql, tolerance=SAME_LOSS, weight=10)
    return found


# --- is it a difference, and what kind? -----------------------------------------------------------------------------
def _change(one: Reading, two: Reading) -> Change | None:
    a, b = one.values or (), two.values or ()
    if one.tolerance is not None:
        return _moved(a, b, one.tolerance)
    if set(map(_key, a)) == set(map(_key, b)):
        return None
    return "changed" if a and b else "new" if b else "gone"


def _moved(a: tuple[Value, ...], b: tuple[Value, ...], tolerance: float) -> Change | None:
    """More or less, where two numbers differ by more than ``tolerance`` of the first."""
    old, new = (float(side[0]) if side and isinstance(side[0], int | float) else math.nan for side in (a, b))
    if not math.isfinite(old) or not math.isfinite(new):
        return None if repr(old) == repr(new) else "changed"
    if abs(new - old) <= tolerance * max(abs(old), 1e-12):
        return None
    return "more" if new > old else "less"


def _key(value: Value) -> str:
    """NaN equals NaN, 1 equals 1.0."""
    return repr(float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else repr(value)


def _difference(one: Reading, two: Reading, change: Change, scale: _Scale) -> Difference:
    a, b = one.values or (), two.values or ()
    seen = frozenset(map(_key, a))
    fresh = tuple(value for value in b if _key(value) not in seen)
    weight, because = scale.of(two.topic) + two.weight + _size(a, b), ""
    if words := {word for value in fresh for word in _words(value)} & scale.mentioned:
        weight += _MENTIONED
        because = f"the verdict names {min(words)}"
    if two.volatile:
        weight += _VOLATILE
        because = because or "differs at every start"
    where = _where(two, fresh)
    text = _sentence(two, a, b, change, fresh, where)
    return Difference(two.topic, two.name, change, a, b, two.unit, where, text, because, one.sql, two.sql, weight)


def _size(a: tuple[Value, ...], b: tuple[Value, ...]) -> int:
    """How far two numbers, also such as stand in text, are apart: in tenths of doublings, at most 20."""
    old, new = _number(a), _number(b)
    if old is None or new is None:
        return 0
    if not (math.isfinite(old) and math.isfinite(new)) or old <= 0 or new <= 0:
        return 20
    return min(20, round(10 * abs(math.log2(new / old))))


def _number(values: tuple[Value, ...]) -> float | None:
    """The number that one value is."""
    if len(values) != 1 or values[0] is None or isinstance(values[0], bool):
        return None
    try:
        return float(values[0])
    except (ValueError, OverflowError):
        return None


def _where(reading: Reading, fresh: tuple[Value, ...]) -> str:
    """Nodes that hold what is new, where not all do."""
    if not reading.nodes or not fresh:
        return ""
    holders = {node for value in fresh for node in reading.nodes.get(_key(value), ())}
    everyone = {node for nodes in reading.nodes.values() for node in nodes}
    return ", ".join(sorted(holders)[:8]) + (", ..." if len(holders) > 8 else "") if holders < everyone else ""


def _sentence(
    reading: Reading, a: tuple[Value, ...], b: tuple[Value, ...], change: Change, fresh: tuple[Value, ...], where: str
) -> str:
    on = f" on {where}" if where else ""
    if reading.many:
        lost = tuple(value for value in a if _key(value) not in set(map(_key, b)))
        parts = [f"{len(fresh)} new ({worded(fresh, reading.unit)})"] if fresh else []
        parts += [f"{len(lost)} gone ({worded(lost, reading.unit)})"] if lost else []
        return f"{reading.name}: {', '.join(parts)}; {len(b) - len(fresh)} in both{on}"
    if change in ("more", "less"):
        old, new = float(a[0] or 0), float(b[0] or 0)
        ratio = f" ({new / old:.2f} times)" if old else ""
        return f"{reading.name}: {worded(a, reading.unit)} in A, {worded(b, reading.unit)} in B{ratio}"
    nothing = "not set" if reading.topic in ("configuration", "limits") else "none"
    if change == "new":
        return f"{reading.name}: {worded(b, reading.unit)} in B, {nothing} in A{on}"
    if change == "gone":
        return f"{reading.name}: {worded(a, reading.unit)} in A, {nothing} in B"
    return f"{reading.name}: {worded(a, reading.unit)} in A, {worded(b, reading.unit)} in B{on}"


def worded(values: Iterable[Value], unit: str, most: int = 4) -> str:
    """Values as text: the first few, and how many more."""
    values = tuple(values)
    shown = [_one(value, unit) for value in values[:most]]
    return ", ".join(shown) + (f" and {len(values) - most} more" if len(values) > most else "")


def _one(value: Value, unit: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if unit == "bytes" and isinstance(value, int):
        return f"{value / 2**30:.4g} GiB"
    if unit == "1" and isinstance(value, float):
        return f"{value:.1%}"
    if isinstance(value, float):
        value = f"{value:.6g}"
    return f"{value} {unit}" if unit not in ("", "1") else str(value)


# --- what matters for the verdict -----------------------------------------------------------------------------------
def _order(verdict: Verdict) -> tuple[Topic, ...]:
    first = _BY_FAMILY.get(verdict.family or "", _OTHERWISE)
    return (*first, *(topic for topic in TOPICS if topic not in first))


def _mentioned(verdict: Verdict) -> frozenset[str]:
    """Words that the verdict itself uses of what happened: names of nodes and GPUs, exceptions, files, options."""
    failing = verdict.first_failing
    texts = [verdict.headline, verdict.next.action, failing.node or "", failing.gpu_uuid or ""]
    texts += [link.text for link in verdict.chain]
    texts += [*verdict.culprit_nodes, *verdict.culprit_gpus]
    own = next((entry.claims for entry in verdict.families if entry.family == verdict.family), ())
    texts += [f"{claim.text} {claim.excerpt}" for claim in verdict.shows if claim.id in own]
    return frozenset(word for text in texts for word in _words(text))


def _words(value: Value) -> frozenset[str]:
    """Words that can name a thing: longer than three letters, and not a plain word or number."""
    if not isinstance(value, str):
        return frozenset()
    parts = (part.strip(".,:;()[]{}'\"`") for part in value.replace("=", " ").split())
    return frozenset(
        part
        for part in parts
        if len(part) > 3 and (any(c.isdigit() or c in "_-/." for c in part) or not part[1:].islower())
        if not part.replace(".", "").isdigit()
    )
