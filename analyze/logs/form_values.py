"""What the numbers of counted lines tell: which one is the loss, and where the time went.

A number that is called by what learning brings down is a loss, whichever way it goes; one of another name where it fell
in no smooth line, is the sum of its neighbours, or came to be none.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from inquest.analyze.logs.forms import REPORTS, Form, count_as, last_before
from inquest.analyze.logs.named_numbers import COUNTS, HELD, LIKELIHOOD, NO_LOSS, PERHAPS, SCORE, SURE, TIMES, TOTAL
from inquest.analyze.logs.unnamed_losses import BESIDE, CRITERION
from inquest.bundle.timers import DATA, STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

_FELL: Final = 0.9
_GONE: Final = 3
_BEYOND: Final = 1e30


def told_by(forms: Sequence[Form]) -> dict[int, tuple[Any, ...]]:
    """Step, plan, loss, validation loss and score by row."""
    forms = _last_of_a_sweep(forms)
    if (rivals := next((form for form in forms if _play_against_each_other(form)), None)) is not None:
        return _steps_alone(rivals)
    chosen = _the_loss(forms) or _never_a_number(forms)
    if chosen is not None and chosen[0] < _THE_LOSS and _which_is_untold(chosen[1]):
        return {}
    rows: dict[int, list[Any]] = {}

    def put(form: Form, at: int, place: int) -> None:
        assert form.steps is not None
        epochs: Sequence[float | None] = form.epochs or [None] * len(form.rows)
        for row, step, epoch, number in zip(form.rows, form.steps, epochs, form.columns[at], strict=True):
            told = rows.setdefault(row, [*step, *(None,) * len(MORE), epoch])
            if told[place] is None:
                told[place] = number.value

    parts: tuple[int, ...] = ()
    if chosen is not None:
        put(chosen[1], chosen[2], 2)
        parts = _parts(chosen[1], chosen[2])
        count_as(chosen[1], [form for form in forms if form is not chosen[1]])
    for form in forms:
        # A likelihood tells how learning goes, whatever stands before it.
        for at, name in sorted(enumerate(form.names), key=lambda each: LIKELIHOOD.search(each[1]) is None):
            if at in form.counters or (chosen is not None and form is chosen[1] and at in (chosen[2], *parts)):
                continue
            held = form.held or HELD.search(name) is not None
            judges = SCORE.match(name) and not _with_a_loss(name)
            if (judges or LIKELIHOOD.search(name)) and not _HELD_AMONG.search(name):
                put(form, at, 4)
            elif held and _weight(form, at, held_too=True):
                put(form, at, 3)
    leader = chosen[1] if chosen is not None else max(forms, key=lambda form: len(form.rows), default=None)
    if leader is not None and leader.steps is not None:
        steps = dict(zip(leader.rows, leader.steps, strict=True))
        for row, whole, waited in _spent(forms, leader):
            told = rows.setdefault(row, [*steps[row], *(None,) * (1 + len(MORE))])
            told[5:7] = whole, waited
    likely = any(LIKELIHOOD.search(name) for form in forms for name in form.names)
    if chosen is None and not likely and not any(told[3] is not None for told in rows.values()):
        return {}
    return {row: tuple(told) for row, told in rows.items()}


def _last_of_a_sweep(forms: Sequence[Form]) -> list[Form]:
    """``forms``, of those that differ by a label alone, and follow each other, the last: ``w12-d3 epoch``, ``w20-d1 epoch``.

    What one configuration came to after another is no curve.
    """
    alike: dict[tuple[Any, ...], list[Form]] = {}
    for form in forms:
        unlabelled = tuple(" ".join(word for word in name.split() if not _LABEL.search(word)) for name in form.names)
        alike.setdefault((unlabelled, form.held), []).append(form)
    left: list[Form] = []
    for same in alike.values():
        in_turn = all(before.rows[-1] < after.rows[0] for before, after in itertools.pairwise(same))
        left += same[-1:] if in_turn and len({form.names for form in same}) == len(same) else same
    kept = set(map(id, left))
    return [form for form in forms if id(form) in kept]


_LABEL: Final = re.compile(r"\d")
"""What a word of a name holds that tells one configuration from another."""


def _the_loss(forms: Sequence[Form]) -> tuple[float, Form, int] | None:
    """Which number of which form looks most like the loss, and how much."""
    # Where a likelihood rises, its parts rise with it.
    likely = any(_of_a_likelihood(form, at) for form in forms for at in range(len(form.columns)))
    weighed = (
        (weight, len(form.rows), -each, form, at)
        for each, form in enumerate(forms)
        if not form.held
        for at in range(len(form.columns))
        if (weight := _weight(form, at))
        and not (likely and not TOTAL.match(form.names[at]) and _rises(form.values(at)))
    )
    best = max(weighed, key=lambda found: (*found[:3], -found[4]), default=None)
    return None if best is None else (best[0], best[3], best[4])


def _never_a_number(forms: Sequence[Form]) -> tuple[float, Form, int] | None:
    """A criterion beside other values none of which ever was a number: what a single one told need not be known."""
    for form in forms:
        values = [at for at in range(len(form.columns)) if at not in form.counters and not _whole(form, at)]
        named = next((at for at in values if SURE.match(form.names[at]) or PERHAPS.match(form.names[at])), None)
        if (
            named is not None
            and len(values) > 1
            and not any(math.isfinite(v) for at in values for v in form.values(at))
        ):
            return _THE_LOSS, form, named
    return None


def _with_a_loss(name: str) -> bool:
    """Whether a name adds a loss to something (``entropy+Dice``): a sum that learning brings down."""
    parts = re.split(r"[+&]", name)
    return len(parts) > 1 and any(SURE.match(part.strip()) for part in parts)


def _whole(form: Form, at: int) -> bool:
    return all(number.whole for number in form.columns[at])


def _play_against_each_other(form: Form) -> bool:
    """Whether a line tells what two lose to each other: no curve, though it shows how far training came."""
    names = {re.sub(r"[ _]?loss[ _]?", "", name) for name in form.names}
    return bool(names & _DISCRIMINATES and names & _GENERATES)


_DISCRIMINATES: Final = {"d", "dis", "disc", "discriminator", "critic"}
_GENERATES: Final = {"g", "gen", "generator"}


def _steps_alone(form: Form) -> dict[int, tuple[Any, ...]]:
    assert form.steps is not None
    return {row: (*step, *(None,) * (1 + len(MORE))) for row, step in zip(form.rows, form.steps, strict=True)}


MORE: Final = ("eval_loss", "score", STEP, DATA, "epoch")


def _spent(forms: Sequence[Form], leader: Form) -> list[tuple[int, float, float | None]]:
    """Rows of the leading form with the seconds since the one before, and what of them was waited for data.

    Both may stand in lines of their own. Nothing where they are not told, or may be of something else. Where no wait is
    told, the longest time that stands beside the loss is that of the whole.
    """
    times: list[tuple[str, dict[int, float]]] = []
    for form in forms:
        timed = [(at, scale) for at in range(len(form.names)) if (scale := _seconds(form, at)) is not None]
        if not timed or form.held:
            continue
        at_leader = [leader.rows[max(0, last_before(leader.rows, row + 1))] for row in form.rows]
        for at, scale in timed:
            values = {row: value * scale for row, value in zip(at_leader, form.values(at), strict=True)}
            times.append((form.names[at], values))
    waits = [each for each in times if _WAITS.search(each[0]) and not _ELSE.search(each[0])]
    if not waits:
        return [(row, whole, None) for row, whole in _beside_the_loss(leader)]
    if len(waits) != 1:
        return []
    waited = waits[0][1]
    rest = [each for each in times if each is not waits[0] and not _LEFT.search(each[0])]
    for name, values in sorted(rest, key=lambda each: -sum(each[1].values())):
        both = sorted(values.keys() & waited.keys())
        whole = [values[row] + (waited[row] if _REST.search(name) else 0.0) for row in both]
        if len(both) < REPORTS or any(all_ < 0.999 * waited[row] for row, all_ in zip(both, whole, strict=True)):
            continue
        if not all(
            later >= sooner for sooner, later in itertools.pairwise(whole)
        ):  # what only rises counts from the start
            return [(row, all_, waited[row]) for row, all_ in zip(both, whole, strict=True)]
    return []


def _beside_the_loss(leader: Form) -> list[tuple[int, float]]:
    """Rows of a form with the longest of the times that it names, where that one is longest in each, and may fall."""
    told = [
        [value * scale for value in leader.values(at)]
        for at, name in enumerate(leader.names)
        if (scale := _seconds(leader, at)) is not None and not _LEFT.search(name) and not _ELSE.search(name)
    ]
    if not told or len(leader.rows) < REPORTS:
        return []
    longest = max(told, key=sum)
    if any(value > whole for each in told for value, whole in zip(each, longest, strict=True)):
        return []
    rises = all(later >= sooner for sooner, later in itertools.pairwise(longest))
    return [] if rises else list(zip(leader.rows, longest, strict=True))


_REST: Final = re.compile(r"(?:^|[_\W])(?:rest|other|remainder|compute|gpu|calc)(?:$|[_\W])")


def _seconds(form: Form, at: int) -> float | None:
    """What one of a column's unit is in seconds; None where it is no time."""
    column, name = form.columns[at], form.names[at]
    if at in form.counters or any(not math.isfinite(number.value) or number.value < 0 for number in column):
        return None
    if column[0].unit in TIMES:
        return TIMES[column[0].unit]
    if column[0].unit or (not form.clocked and not _TIMED.search(name)):
        return None
    if (bracketed := _IN_BRACKETS.search(name)) is not None:
        return _SECONDS[bracketed[1]]
    return 1e-3 if re.search(r"(?:^|[_ .])(?:ms|millis|msec)(?:$|[_ .])", name) else 1.0


_SECONDS: Final = {"us": 1e-6, "\u00b5s": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0}
_IN_BRACKETS: Final = re.compile(rf"[\[(]({'|'.join(_SECONDS)})[\])]")
"""The unit in the head of a column: ``t_iter[ms]``."""
_TIMED: Final = re.compile(
    rf"^t_|{_IN_BRACKETS.pattern}|thereof|davon|of which|(?:^|[_ .])(?:s|ms|secs?|seconds|millis|msec|dt|time|wall|took|elapsed|wait)(?:$|[_ .])"
)
_WAITS: Final = re.compile(
    r"(?:^|[_\W])(?:wait\w*|i/?o|read(?:s|er|ing)?|load(?:s|er|ing)?|data\w*|fetch\w*|input|feed\w*|decod\w*|prefetch\w*|starv\w*"
    r"|idle|stall\w*|queue\w*|etl|jdbc|sql|nas|nfs|disk|files?|sampling|\u0447\u0442\u0435\u043d\u0438\u0435|\u53d6\u6570\u8017\u65f6|leest|lecture|lettura dati|lesen)(?:$|[_\W])"
)
_ELSE: Final = re.compile(
    r"sav|ckpt|checkpoint|snapshot|comm|reduce|gather|sync|barrier|peer|rank|eval|valid|test|forward|backward|fwd|bwd|optim|log|plot"
    r"|writ|upload|compute|gpu"
)
_LEFT: Final = re.compile(r"eta|left|remain|since|start|total time|budget|limit")
_HELD_AMONG: Final = re.compile(r"(?i)best|lowest|target|goal")


_THE_LOSS: Final = 4


def _which_is_untold(form: Form) -> bool:
    """Whether a line tells the losses of several parts, and which of them is what is learned it does not say."""
    parts = [found[1] for name in form.names if (found := _PART.fullmatch(name)) is not None]
    return len(parts) > 1 and len(parts) == len(set(parts)) and not set(parts) & _WHOLE and "loss" not in form.names


_PART: Final = re.compile(r"([a-z]\w{0,24})[ _]loss")
_WHOLE: Final = frozenset(
    {"train", "training", "total", "sum", "main", "g", "gen", "generator", "nll", "avg", "mean", "v"}
)


def _weight(form: Form, at: int, *, held_too: bool = False) -> float:
    """How much a number looks like the loss that training brings down; 0: it does not."""
    name, values, unit = form.names[at], form.values(at), form.columns[at][0].unit
    sure = SURE.match(name) is not None
    if at in form.counters or unit == "%" or unit in TIMES or "/" in unit or unit.endswith("B"):
        return 0
    if _whole(form, at) or form.columns[at][0].of or not any(map(math.isfinite, values)):
        return 0
    if unit and not sure:  # a measure of something
        return 0
    if not held_too and HELD.search(name):
        return 0
    if NO_LOSS.match(name) or (SCORE.match(name) and not _with_a_loss(name)) or (BESIDE.match(name) and not sure):
        return 0
    if sure or CRITERION.match(name) or _with_a_loss(name):
        if _parts(form, at):
            return 4
        return 3.5 if TOTAL.match(name) else 3
    if TOTAL.match(name) and _parts(form, at):
        return 3.2
    if not _learned(values):
        return 0
    if _parts(form, at):
        return 2.5
    if PERHAPS.match(name):
        return 2
    return 1 if not _smooth(values) and any(COUNTS.match(form.names[at]) for at in form.counters) else 0


def _of_a_likelihood(form: Form, at: int) -> bool:
    """Whether a number is a likelihood that rises; some call its negative so, which falls."""
    return LIKELIHOOD.search(form.names[at]) is not None and _rises(form.values(at))


def _rises(values: Sequence[float]) -> bool:
    """Whether the last third of some numbers lies above their first third."""
    told = [value for value in values if math.isfinite(value)]
    third = len(told) // 3
    return third > 0 and statistics.median(told[-third:]) > statistics.median(told[:third])


def _parts(form: Form, at: int) -> tuple[int, ...]:
    """Numbers right before or behind one that add up to it."""
    others = [
        each
        for each, column in enumerate(form.columns)
        if each != at and each not in form.counters and not all(number.whole for number in column)
    ]
    for run in (2, 3, 4, 5):
        for first in range(len(others) - run + 1):
            part = others[first : first + run]
            if min(abs(part[0] - at), abs(part[-1] - at)) > 1:
                continue
            sums = [sum(row) for row in zip(*(form.values(each) for each in part), strict=True)]
            pairs = [
                (a, b) for a, b in zip(sums, form.values(at), strict=True) if math.isfinite(a) and math.isfinite(b)
            ]
            if len(pairs) >= _GONE and all(abs(a - b) <= 0.01 * abs(b) + 1e-3 for a, b in pairs):
                return tuple(part)
    return ()


def _learned(values: Sequence[float]) -> bool:
    """Whether a value fell as one that learning brings down, or is none any more where it was one."""
    lost = sum(1 for _ in itertools.takewhile(lambda value: not math.isfinite(value), reversed(values)))
    finite = [value for value in values if math.isfinite(value)]
    third = len(finite) // 3
    if lost or third < 1:
        seen = len(finite) >= _GONE or max(finite, default=0.0) > _BEYOND
        return lost >= _GONE and seen
    begin, end = statistics.median(finite[:third]), statistics.median(finite[-third:])
    if not (begin > 0 and end <= _FELL * begin):
        return False
    falls = Counter(later < sooner for sooner, later in itertools.pairwise(finite))
    middle = statistics.median(finite[third : 2 * third] or finite)
    return falls[True] > falls[False] and end <= 1.02 * middle <= 1.05 * begin


def _smooth(values: Sequence[float]) -> bool:
    """Whether a value never rises: so go schedules, and what is left."""
    finite = [value for value in values if math.isfinite(value)]
    return all(later <= sooner for sooner, later in itertools.pairwise(finite))
