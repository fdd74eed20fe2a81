"""The times that a line tells, each by the part of the work it is of: ``read 7.2s  fwd/bwd 0.1s``, ``iter 3.5 s [..]``.

Which part a name means is ``inquest.bundle.timers``' to say; this module finds out what the whole is that they are of.
"""

from __future__ import annotations

import itertools
import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from inquest.analyze.logs.forms import Form, name_by_head
from inquest.analyze.logs.named_numbers import TIMES, numbers_of
from inquest.bundle.timers import COMM, COMPUTE, DATA, SAVE, STEP, epoch_timer_of, tells_a_wait, timer_of, unit_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.logs.named_numbers import Number

EVALUATION: Final = "evaluation"


class Told(NamedTuple):
    """What one line tells.

    Attributes:
        whole: How long all of it took, in seconds; of shares, 100.
        parts: How long each part took, by its column in ``fact_steps`` or ``EVALUATION``.
        timed: Whether these are seconds; else only their shares mean something.
        sure: Whether the whole is told, or the time of computing is; else other parts may be untold.
    """

    whole: float
    parts: dict[str, float]
    timed: bool
    sure: bool


class _Time(NamedTuple):
    part: str | None
    seconds: float
    called: str


def told_times(text: str) -> Told | None:
    """The parts of a time and the time itself; None where a line does not tell both."""
    return told_by(numbers_of(_plain(text[:_WIDE])))


def told_by(numbers: Sequence[Number]) -> Told | None:
    """The same of the numbers of a line, or of a row of a table under its head."""
    numbers = _by_a_server(numbers)
    told = _shares(numbers) or _seconds(numbers)
    return told if told is None else _with_its_shares(told, numbers)


def timed_lines(texts: Sequence[str]) -> list[tuple[int, Told]]:
    """The lines that tell both, each with its place among ``texts``: lines that follow each other.

    Rows of a table are named by its head; names and times that stand one a line below each other are one report.
    """
    forms: dict[tuple[Any, ...], Form] = {}
    for row, text in _reports([_in_seconds(text) for text in _with_points([text[:_WIDE] for text in texts])]):
        if numbers := numbers_of(RUN_TOGETHER.sub("_", text)):
            names = tuple(number.name for number in numbers)
            form = forms.setdefault((names, len(numbers)), Form(names, False, [], [[] for _ in numbers]))
            form.rows.append(row)
            for column, number in zip(form.columns, numbers, strict=True):
                column.append(number)
    found = []
    for form in forms.values():
        unnamed = form.names
        name_by_head(form, texts)
        headed = form.names != unnamed
        _since_the_report_before(form)
        _whole_by_its_clock(form)
        _drop_clocks_that_run_on(form)
        for row, cells in zip(form.rows, zip(*form.columns, strict=True), strict=True):
            named = [_under(name, number) if headed else number for name, number in zip(form.names, cells, strict=True)]
            if (told := told_by(named)) is not None:
                found.append((row, told))
    return sorted(found, key=lambda each: each[0])


def _plain(text: str) -> str:
    return RUN_TOGETHER.sub("_", _in_seconds(text))


def _in_seconds(text: str) -> str:
    """``text`` with times that stand behind a name as hours, minutes and seconds told in seconds.

    A unit that is told once, before all times of a line, is put behind each; of several values of one time one is left.
    """
    text = _OF_SO_MANY.sub(r"\1", _one_of_several(text))
    if (once := _UNIT_ONCE.search(text)) is not None:
        text = text[: once.end()] + _BARE_NUMBER.sub(rf"\g<0> {once[1]}", text[once.end() :])
    return _HOURS.sub(lambda t: f"{t[1]}{int(t[3]) * 3600 + int(t[4]) * 60 + int(t[5])} s", text)


_UNIT_ONCE: Final = re.compile(
    r"(?i)(?:times?|timings?|timers?|breakdown|split|phases?|durations?|zeiten|tiempos|temps|tempi|tempos)\b[^|:\d]{0,30}?"
    r"(?:since [^|:]{1,20} )?[\[(](ms|us|s|sec)[\])] ?[:|] ?(?=[^\W\d_])"
)
"""``time (ms) | forward: 142.8 | backward: 290.5``."""
_BARE_NUMBER: Final = re.compile(r"(?<=[:= ])\d{1,9}(?:\.\d{1,6})?(?![\w.%:/])")
_HOURS: Final = re.compile(r"([^\W\d_]\)?(?:[ .:=]{2,60}|[:=]))([\"']?)(\d{1,3}):([0-5]\d):([0-5]\d)(?![\d:.,])\2")


_OF_SO_MANY: Final = re.compile(r"(?<=\d)( ?(?:ms|us|s))/\d{1,5}(?=[\s,;|)]|$)")
"""``calc=3.38s/10 exch=22.36s/10``: of ten steps each."""


def _one_of_several(text: str) -> str:
    """``text`` with one value of each time that is told by several: over all ranks the least, else a typical one.

    What the quickest of all ranks waited all of them waited; of one that waited little the others' waits tell nothing.
    """
    text = _SPREAD.sub(lambda told: f"{told['name']}{told['unit'] or ''}={_least(told)}", text)
    return _VALUES.sub(lambda told: f"{told['name']}={_typical(told['values'])}", text)


_LEAST: Final = r"min(?:imum|imo)?|lo(?:w(?:est)?)?|fastest|least"
_TYPICAL: Final = r"p50|median|med|mean|avg|average|moy|media|média|mittel|среднее|平均"
_OTHER_VALUE: Final = r"max(?:imum|imo)?|hi(?:gh(?:est)?)?|slowest|longest|worst|p\d{2}|std|sd|sum|n"
_ANY_VALUE: Final = rf"(?:{_LEAST}|{_TYPICAL}|{_OTHER_VALUE})"
_SPREAD: Final = re.compile(
    rf"(?i)(?P<name>[^\W\d][\w-]{{1,40}})(?P<unit> ?\((?:ms|us|s|sec)\)| (?:ms|us|s|sec))?"
    rf" ?[\[(]?(?P<heads>(?:{_ANY_VALUE})(?:/(?:{_ANY_VALUE})){{1,4}})[\])]?"
    r" ?[:=]? ?[\[(]?(?P<told>\d[\d.]*(?: ?/ ?\d[\d.]*){1,4})[\])]?"
)
"""``sync_us[min/max]=1251206/1328600``: a name, what the values are, and they, in the same order."""
_VALUES: Final = re.compile(
    rf"(?i)[\"']?(?P<name>[^\W\d][\w-]{{1,40}})[\"']?(?: ?[:=]? ?[\[({{] ?| )"
    rf"(?P<values>[\"']?{_ANY_VALUE}[\"']?[ :=]{{1,2}}\d[\d.]*(?: ?(?:ms|us|s)\b)?"
    rf"(?:[,; /]{{1,2}}[\"']?{_ANY_VALUE}[\"']?[ :=]{{1,2}}\d[\d.]*(?: ?(?:ms|us|s)\b)?){{1,5}}) ?[\])}}]?"
)
"""``fetch_ms(avg=3567,lo=3425,hi=3746)``, ``"get_wait_s": {"p50": 4.24, "p95": 8.91}``, ``own ms p50 279 p90 290``."""
_VALUE: Final = re.compile(rf"(?i)({_ANY_VALUE})[\"']?[ :=]{{1,2}}(\d[\d.]*(?: ?(?:ms|us|s)\b)?)")


def _least(told: re.Match[str]) -> str:
    """Of values behind their names the least, else a typical one, else the first."""
    values = dict(zip(told["heads"].lower().split("/"), re.split(r" ?/ ?", told["told"]), strict=False))
    return _chosen(values)


def _typical(told: str) -> str:
    return _chosen({name.lower(): value for name, value in _VALUE.findall(told)})


def _chosen(values: dict[str, str]) -> str:
    for wanted in (_LEAST, _TYPICAL, _ANY_VALUE):
        for name, value in values.items():
            if re.fullmatch(wanted, name):
                return value
    return "0"


def _with_points(texts: Sequence[str]) -> Sequence[str]:
    """Lines of a program that writes a comma before the decimals, with points: ``2,172 s`` beside ``0,209 s``."""
    sure = sum(_DECIMALS.search(text) is not None for text in texts)
    if 2 * sure < len(texts) or any(_POINTS.search(text) for text in texts):
        return texts
    return [_COMMA.sub(r"\1.\2", text) for text in texts]


_DECIMALS: Final = re.compile(r"(?<![\d.,])(?:0,\d{1,9}|\d{1,9},(?:\d{1,2}|\d{4,9}))(?![\d,])")
"""What no comma between thousands leaves: it stands before three digits."""
_POINTS: Final = re.compile(r"(?<![\d.,:])\d{1,6}\.\d{2,9}(?![\d.:])(?= ?[^\W\d_])")
_COMMA: Final = re.compile(r"(?<![\d.,])(\d{1,9}),(\d{1,9})(?![\d,])")


def _since_the_report_before(form: Form) -> None:
    """Where times of several parts add up from the start on, leave what each row adds to the one before.

    Of parts that are told step by step, one or the other becomes shorter now and then.
    """
    if len(form.rows) < _TO_TELL:
        return
    grown = [
        at
        for at, column in enumerate(form.columns)
        if not column[0].of and not _counts(form.names[at], column) and _adds_up(form.values(at))
    ]
    parts = {part_by(form.names[at]) for at in grown}
    told = {part_by(name) for name in form.names} & {DATA, COMPUTE, COMM, SAVE}
    if len(parts & told) < _SEVERAL or not told <= parts or COMPUTE not in parts:
        return
    for at in grown:
        column = form.columns[at]
        added = [
            later._replace(value=later.value - sooner.value, whole=False)
            for sooner, later in itertools.pairwise(column)
        ]
        form.columns[at] = [column[0]._replace(whole=False), *added]


def _counts(name: str, column: Sequence[Number]) -> bool:
    """Whether a column is a count of steps, which only grows as well."""
    return part_by(name) == STEP and all(number.whole and not number.unit for number in column)


def _adds_up(values: Sequence[float]) -> bool:
    """Whether a number only grows from row to row, to many times what it was."""
    return values[-1] >= _MANY_TIMES * max(values[0], 0.0) and all(b >= a for a, b in itertools.pairwise(values))


_SEVERAL: Final = 2
_MANY_TIMES: Final = 3


def _whole_by_its_clock(form: Form) -> None:
    """Where a clock runs on beside parts that do not, leave what it adds from row to row: the time they are parts of.

    It is one where no part ever takes longer than that.
    """
    if len(form.rows) < _TO_TELL or STEP in {part_by(name) for name, column in _timed(form)}:
        return
    parts = [form.names.index(name) for name, _ in _timed(form) if part_by(name) in (DATA, SAVE, COMM)]
    clocks = [
        at
        for at, name in enumerate(form.names)
        if _RUNS_ON.fullmatch(name) and all(b > a for a, b in itertools.pairwise(form.values(at)))
    ]
    if len(clocks) != 1 or not parts:
        return
    at = clocks[0]
    added = [later - sooner for sooner, later in itertools.pairwise(form.values(at))]
    for part in parts:
        seconds = unit_in(form.names[part]) or TIMES.get(form.columns[part][0].unit, 0.0)
        values = form.values(part)[1:]
        if not seconds or any(value * seconds > whole + 1 for value, whole in zip(values, added, strict=True)):
            return
    column = [
        later._replace(name="step time", value=whole, whole=False, unit="s")
        for later, whole in zip(form.columns[at][1:], added, strict=True)
    ]
    form.columns[at] = [column[0]._replace(value=max(form.values(at)[0], column[0].value)), *column]
    form.names = tuple("step time" if place == at else name for place, name in enumerate(form.names))


def _timed(form: Form) -> list[tuple[str, Sequence[Number]]]:
    """The columns of times, by their own units or those in their names."""
    each = zip(form.names, form.columns, strict=True)
    return [(name, column) for name, column in each if column[0].unit in TIMES or unit_in(name) is not None]


_RUNS_ON: Final = re.compile(
    r"(?:time[_ /]?)?elapsed(?:[_ ](?:s|sec|time))?|wall(?:[_ ](?:s|time|clock))?|uptime(?:[_ ]s)?"
    r"|(?:total|run|running)[_ ]time(?:[_ ]s)?"
)
"""What a program calls the time since its start."""


def _drop_clocks_that_run_on(form: Form) -> None:
    """Leave out a time that only grows from row to row beside parts that do not: it is of no step."""
    if len(form.rows) < _TO_TELL:
        return
    timed = [at for at, column in enumerate(form.columns) if not column[0].of and not all(n.whole for n in column)]
    runs = {at for at in timed if all(b > a for a, b in itertools.pairwise(form.values(at)))}
    parts = {at for at in timed if part_by(form.names[at]) in (DATA, COMPUTE, COMM, SAVE, EVALUATION)}
    if parts and not parts & runs:
        kept = [at for at in range(len(form.columns)) if at not in runs]
        form.columns, form.names = [form.columns[at] for at in kept], tuple(form.names[at] for at in kept)


_TO_TELL: Final = 6


def _under(name: str, number: Number) -> Number:
    """A cell of a table, with the unit that its head may tell."""
    unit = _HEAD_UNIT.search(name)
    return number._replace(name=name, unit=number.unit or ("" if unit is None else unit[1]), behind="")


_HEAD_UNIT: Final = re.compile(r"(?:[\[(]|(?<=[ _])(?=%$))(ms|s|sec|min|h|%)(?:[\])]|$)")


def _reports(texts: Sequence[str]) -> list[tuple[int, str]]:
    """Lines, those that tell one number each put together where they follow each other."""
    found: list[tuple[int, str]] = []
    block: list[str] = []
    for row, text in enumerate(texts):
        short = text[:_WIDE]
        if _ONE_A_LINE.fullmatch(short) is not None and len(block) < _BLOCK:
            block.append(short.strip(" \t|\u2502\u2514\u250c"))
            continue
        if len(block) > 1:
            found.append((row - 1, " ; ".join(block)))
        # What was waited for before a step may stand above it alone: darknet's ``Loaded: 0.5 seconds``.
        alone = len(block) == 1 and _LOADED.match(block[0]) is not None
        found.append((row, f"data {block[0]} ; {short}" if alone else short))
        block = []
    if len(block) > 1:
        found.append((len(texts) - 1, " ; ".join(block)))
    return found


_ONE_A_LINE: Final = re.compile(
    r"[\s|\u2502\u2514\u250c]*[^\W\d][^\d]{0,40}?[\s:=|]+[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?\s?[^\W\d]{0,8}[\s|]*"
)
_LOADED: Final = re.compile(r"(?i)(?:loaded|fetched|read|waited|data)\b[\w ]{0,24}[:=]? \d")
_BLOCK: Final = 40


_WIDE: Final = 600
RUN_TOGETHER: Final = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")


def _batch_as_data(numbers: Sequence[Number]) -> Sequence[Number]:
    """Numbers with the time of a ``batch`` as that of its data, where all parts of computing stand beside it.

    Beside one of them alone it may be the whole.
    """
    parts = [_part(number) for number in numbers if not number.whole and not number.of]
    called = [number for number in numbers if number.name == "batch" and not number.whole and not number.of]
    if len(called) != 1 or parts.count(COMPUTE) < _OF_COMPUTING or DATA in parts:
        return numbers
    return [number._replace(name="data batch") if number is called[0] else number for number in numbers]


_OF_COMPUTING: Final = 2


def _net_as_model(numbers: Sequence[Number]) -> Sequence[Number]:
    """Numbers with the time of a ``net`` as that of the model, where data and the exchange have their own beside it."""
    timed = [number for number in numbers if number.unit in TIMES or unit_in(number.name) is not None]
    parts = {_part(number) for number in timed if not _NET.fullmatch(number.name)}
    if not parts >= {DATA, COMM} or COMPUTE in parts:
        return numbers
    return [
        number._replace(name=_NET.sub(r"model\1", number.name)) if _NET.fullmatch(number.name) else number
        for number in numbers
    ]


_NET: Final = re.compile(r"net((?:[ _](?:ms|us|s|sec|time))?)")


def _by_a_server(numbers: Sequence[Number]) -> Sequence[Number]:
    """Numbers with the times of what goes to a server of parameters, and comes from it, as those of an exchange.

    Of either word alone anything may be pulled or pushed; what is done to gradients between them is computing.
    """
    told = {word for number in numbers for word in re.findall(r"[a-z]+", number.name)[:1]}
    if not told >= {"pull", "push"}:
        return numbers
    return [number._replace(name=_GRAD.sub("compute", _SERVED.sub("exchange", number.name))) for number in numbers]


_SERVED: Final = re.compile(r"^(?:pull|push)(?=$|[^a-z])")
_GRAD: Final = re.compile(r"^(?:grads?|gradients?)(?=$|[^a-z])")


def _without_subtotals(numbers: Sequence[Number]) -> Sequence[Number]:
    """Numbers without the time of a part of which its own parts are told: DeepSpeed's ``bwd``, inner and allreduce.

    They bear its first word, and add up to it.
    """
    kept = list(numbers)
    for number in numbers:
        first = re.split(r"[^a-z]", number.name, maxsplit=1)[0]
        mine = [each for each in numbers if each.name.startswith(f"{first}_") and each.unit == number.unit]
        rest = [each.value for each in mine if each is not number]
        if first and number in mine and len(rest) > 1 and abs(sum(rest) - number.value) <= _ROUNDED * number.value:
            kept.remove(number)
    return kept


def _with_its_shares(told: Told, numbers: Sequence[Number]) -> Told:
    """What is told with the parts that only their shares of it tell: ``step 4.5 s, compute 0.5 s, sync 88.6 %``.

    Such a share is of this time where the parts that are told in seconds leave about as much.
    """
    if not told.timed or COMPUTE not in told.parts:
        return told
    parts = dict(told.parts)
    for number in numbers:
        share = _share(number)
        part = None if share is None else _part(share._replace(name=_FRACTION.sub(" ", share.name).strip()))
        if share is None or part not in (DATA, SAVE, COMM) or part in parts:
            continue
        if abs(sum(parts.values()) + share.value / _ALL * told.whole - told.whole) <= _ABOUT * told.whole:
            parts[part] = share.value / _ALL * told.whole
    return told._replace(parts=parts)


_ABOUT: Final = 0.08
"""What no part of a time may be, of it."""


def _seconds(numbers: Sequence[Number]) -> Told | None:
    numbers = _without_subtotals(_net_as_model(_batch_as_data(numbers)))
    units = [TIMES.get(re.split(_PER, number.unit, maxsplit=1)[0]) for number in numbers]
    _in_the_whole_s_unit(numbers, units)
    _of_a_whole(numbers, units)
    timed = any(unit is not None for unit in units)
    peers = any(_PEERS.search(f"{number.name} {number.behind}") for number in numbers)
    bare = not timed and _tells_parts(numbers)
    times: list[_Time] = []
    whole: float | None = None
    for number, unit in zip(numbers, units, strict=True):
        scale = unit
        if scale is None:
            timer = timer_of(number.name)
            if number.unit or (number.whole and unit_in(number.name) is None):
                continue
            if timer is None or (timed and timer.seconds is None):
                named = unit_in(number.name)
                if named is None and (not bare or _part(number) is None):
                    continue
                timed, scale = timed or named is not None, named or 1.0
            else:
                scale = timer.seconds or 1.0
                timed = timed or timer.seconds is not None
        if not math.isfinite(number.value):
            continue  # a word: ``check-inf``
        if not 0 <= number.value < _ENDLESS_S:
            return None
        seconds = number.value * scale
        if number.of:
            whole = seconds
        else:
            part = _part(number)
            if (part == SAVE and "/" in number.unit) or (part == DATA and peers and not _names_data(number)):
                part = None  # how quick it was; or a wait for those beside it
            times.append(_Time(part, seconds, number.name))
    return _summed(times, whole, timed=timed)


def _tells_parts(numbers: Sequence[Number]) -> bool:
    """Whether numbers without a unit are called by parts of a step, computing among them: what else may they be?"""
    parts = {_part(number) for number in numbers if not number.whole and not number.unit and not number.of}
    return (DATA in parts and bool(parts & {COMPUTE, STEP})) or (COMPUTE in parts and bool(parts & {SAVE, COMM}))


_PER: Final = r"/(?!s)| per "
"""``0.3 s/it``"""
_ENDLESS_S: Final = 1e8


def _in_the_whole_s_unit(numbers: Sequence[Number], units: list[float | None]) -> None:
    """Give numbers without a unit that add up to a time beside them its unit: ``iter 3.5 s [read 3.3 net 0.2]``."""
    bare = [
        unit is None and not number.whole and not number.unit and not number.of
        for number, unit in zip(numbers, units, strict=True)
    ]
    for at, number in enumerate(numbers):
        if (unit := units[at]) is None:
            continue
        for run in _RUNS:
            for first in {at + 1, at - run}:
                part = range(first, first + run)
                if first < 0 or first + run > len(numbers) or not all(bare[each] for each in part):
                    continue
                total = sum(numbers[each].value for each in part)
                if abs(total - number.value) <= _ROUNDED * number.value and any(
                    map(_part, numbers[first : first + run])
                ):
                    for each in part:
                        units[each] = unit
                    return
    untold = [at for at, number in enumerate(numbers) if units[at] is None and not (number.unit or number.of)]
    _of_parts(numbers, units, untold)


def _of_parts(numbers: Sequence[Number], units: list[float | None], bare: Sequence[int]) -> None:
    """The same for those that are called by parts of a step, whole ones too, other numbers between them."""
    parts = [at for at in bare if _part(numbers[at]) in (DATA, COMPUTE, COMM, SAVE)]
    total = sum(numbers[at].value for at in parts)
    for number, unit in zip(numbers, list(units), strict=True):
        if unit is not None and len(parts) > 1 and abs(total - number.value) <= _ROUNDED * number.value:
            for at in parts:
                units[at] = unit
            return


_RUNS: Final = range(2, 9)
_ROUNDED: Final = 0.02


def _of_a_whole(numbers: Sequence[Number], units: list[float | None]) -> None:
    """Give the part before ``of 36.3 s`` or ``/36.3 s`` the unit of the whole."""
    for before, (at, behind) in itertools.pairwise(enumerate(numbers)):
        if behind.of and units[at] is not None and units[before[0]] is None and not before[1].unit:
            units[before[0]] = units[at]


def _summed(times: Sequence[_Time], whole: float | None, *, timed: bool) -> Told | None:
    """The whole of these times, where one of them is it, or all of them make it up."""
    parts: dict[str, float] = {}
    steps = [each.seconds for each in times if each.part == STEP]
    unknown = [each for each in times if each.part is None and not NO_PART.search(each.called)]
    for each in times:
        if each.part not in (None, STEP):
            parts[str(each.part)] = parts.get(str(each.part), 0.0) + each.seconds
    if not parts or (whole is None and len(times) < 2):
        return None
    known = sum(parts.values())
    if whole is None and steps and max(steps) >= (1 - _ROUNDED) * max(known, *parts.values()):
        whole = max(steps)
    elif whole is None and unknown and not steps:
        longest = max(each.seconds for each in unknown)
        rest = known + sum(each.seconds for each in unknown) - longest
        whole = longest if longest >= (1 - _ROUNDED) * rest else None  # ``epoch 3 done in 25.7 s, 25.6 s for data``
    sure = whole is not None or COMPUTE in parts or bool(steps)
    if whole is None and (sure or unknown):
        whole = known + sum(steps) + sum(each.seconds for each in unknown)
    if whole is None or whole <= 0 or any(part > (1 + _ROUNDED) * whole for part in parts.values()):
        return None
    return Told(whole, parts, timed, sure)


def _shares(numbers: Sequence[Number]) -> Told | None:
    """Shares of all that a time is (``data 93.8 %  net 5.7 %``), or of waiting alone (``idle 81 %``)."""
    shares = [share for number in numbers if (share := _share(number)) is not None]
    parts: dict[str, float] = {}
    for number in shares:
        if (part := _part(number)) is not None:
            part = COMPUTE if part == STEP else part
            parts[part] = parts.get(part, 0.0) + number.value
    if len(shares) >= 2 and abs(sum(number.value for number in shares) - _ALL) <= _ROUNDED * _ALL:
        return Told(_ALL, parts, timed=False, sure=True) if parts.keys() & {DATA, SAVE, EVALUATION, COMM} else None
    waits = [
        number
        for number in shares
        if _part(number) == DATA
        and (tells_a_wait(f"{number.name} {number.behind}") or _OF_THE_TIME.match(number.behind) is not None)
    ]
    if len(waits) == 1 and not any(number.unit in TIMES and _part(number) == DATA for number in numbers):
        return Told(_ALL, {DATA: waits[0].value}, timed=False, sure=False)
    return None


def _share(number: Number) -> Number | None:
    """A number that is a share by its unit or its name, in per cent and without the word for it; None for others."""
    if number.of or _EXTREME.search(number.name):
        return None
    if number.unit == "%" or (not number.unit and _PER_CENT.search(number.name)):
        return number._replace(name=_PER_CENT.sub(" ", number.name).strip()) if 0 <= number.value <= _ALL else None
    if number.unit or number.whole or not 0 <= number.value <= 1 or not _FRACTION.search(number.name):
        return None
    return number._replace(name=_FRACTION.sub(" ", number.name).strip(), value=number.value * _ALL)


_EXTREME: Final = re.compile(r"(?:^|[^a-z])(?:min|max|p\d\d|std|slowest|fastest)(?:[^a-z]|$)")
_PER_CENT: Final = re.compile(
    r"(?:^|(?<=[^a-z]))(?:pct|perc|percent|prozent|porcent\w*|pourcent\w*|процент\w*|%)(?=[^a-z]|$)"
)
_FRACTION: Final = re.compile(
    r"(?:^|(?<=[^a-z]))(?:frac|fracs|fraction|share|anteil|fraç[aã]o|fracci[oó]n|frazione|quota|доля|割合|比例|占比)(?=[^a-z]|$)"
)
"""Words of names for shares of a hundred, and of one."""


_ALL: Final = 100.0
_OF_THE_TIME: Final = re.compile(
    r"of (?:it|that|this|the|time|all|each|every|a|step|wall)\b|d[aeio]l? (?:tiempo|tempo|temps)|der zeit|van de tijd"
    r"|\u0432\u0440\u0435\u043c\u0435\u043d\u0438|zaman"
)


def _part(number: Number) -> str | None:
    return part_by(number.name) or part_by(f"{number.name} {number.behind}".strip())


def _names_data(number: Number) -> bool:
    """Whether more than the word for waiting says that it is of data."""
    return timer_of(f"{number.name} s") is not None or timer_of(f"{number.name} {number.behind} s") is not None


_PEERS: Final = re.compile(r"(?:^|[^a-z])(?:peers?|ranks?|workers?|nodes?|barrier|all-?reduce|parallel)(?:[^a-z]|$)")


@lru_cache(maxsize=4096)
def part_by(name: str) -> str | None:
    """Which part of the work a time of this name is of; None where it does not tell."""
    if not name:
        return None
    if _EVALUATES.search(name):
        return EVALUATION
    timer = timer_of(f"{name} s") or epoch_timer_of(f"{name} s")
    if timer is not None:
        return timer.column
    if tells_a_wait(name) and not _OTHERS.search(name):
        return DATA
    return None


_EVALUATES: Final = re.compile(r"(?:^|[^a-z])(?:val(?:id\w*)?|eval\w*|test(?:ing)?|dev)(?:[^a-z]|$)")
_OTHERS: Final = re.compile(
    r"sav|ckpt|checkpoint|comm\b|recv|receiv|ddp|fsdp|reduce|gather|sync|barrier|peer|rank|worker|node|(?:^|[^a-z])lock|gpu|kernel|grad|queue_?(?:len|size)"
)
"""What else may be waited for."""
NO_PART: Final = re.compile(
    r"(?:^|[^a-z])(?:eta|left|remain\w*|since|start|elapsed|until|total time|so far|limit|budget|every|timeout|age"
    r"|uptime)(?:[^a-z]|$)"
)
"""Times that no part of a step is."""
