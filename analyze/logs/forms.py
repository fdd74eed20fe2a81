"""Lines that name the same numbers: one form, whichever words stand between, and what of it counts.

A number that only rises counts; one that begins anew while another rises counts within it. Lines that count nothing
belong to the line above that does.
"""

from __future__ import annotations

import bisect
import itertools
import math
import re
import statistics
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from inquest.analyze.logs.named_numbers import (
    COUNTS,
    HELD,
    LEFT,
    NO_COUNT,
    NOT_TRAINING,
    SCORE,
    TIMES,
    Number,
    alike,
    numbers_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REPORTS: Final = 6
"""Reports of one form."""
_BELOW: Final = 8
"""How far below a line that counts its numbers may stand."""


_ABBREVIATED: Final = re.compile(
    r"(?i)(?<![\w.])((?:ep|epo|it|iter|itér|schr|rd|upd|gen|ét|эп|ит)(?=\.\d)|[^\W\d_]{1,12}(?=\.\s{1,4}-?\d))\."
)
"""A name that is cut short before its number: ``Ep.01``, ``It.  97; Zielfkt. 0.0592``."""
_FRENCH_CLOCK: Final = re.compile(r"^\W{0,3}\d{1,2}h\d\d(?:[:m]\d\ds?)?(?=\W)")


@dataclass(slots=True)
class Form:
    """Lines that name the same numbers.

    Attributes:
        names: What its numbers are called, by their place in the line.
        held: Whether its lines tell of data held out.
        rows: Where its lines stand in the log.
        columns: Its numbers, by their place in the line.
        steps: Step and plan of each line; None where nothing counts them.
        epochs: Epoch of each line, where a count within it is told, too.
        counters: Places of the numbers that count, or tell of how many.
        clocked: Whether its lines begin with a word for times: their numbers are some.
    """

    names: tuple[str, ...]
    held: bool
    rows: list[int]
    columns: list[list[Number]]
    steps: list[tuple[int, int | None]] | None = None
    epochs: list[float] | None = None
    counters: frozenset[int] = frozenset()
    clocked: bool = False

    def values(self, column: int) -> list[float]:
        """The numbers of one place in the line."""
        return [number.value for number in self.columns[column]]


def forms_of(texts: Sequence[str]) -> list[Form]:
    """The forms of a log's lines that may tell of training; those of few lines are left out."""
    forms: dict[tuple[Any, ...], Form] = {}
    section = False
    for row, written in enumerate(texts):
        whole = _ABBREVIATED.sub(r"\1 ", written) if "." in written else written
        text = _FRENCH_CLOCK.sub("", whole, count=1)
        ones = alike(text)
        told = _words(ones)
        if not told.numbers and len(text) <= _SHORT:
            section = told.held
        if not told.numbers or told.apart:
            continue
        numbers = numbers_of(text, ones)
        if not numbers:
            continue
        names = tuple(number.name for number in numbers)
        held = (told.held and HELD.search(" ".join(names)) is None) or (section and len(numbers) == 1)
        key = (names, held, tuple(number.of for number in numbers), tuple(number.unit == "%" for number in numbers))
        if (form := forms.get(key)) is None:
            form = forms[key] = Form(names, held, [], [[] for _ in numbers], clocked=_CLOCKED.match(text) is not None)
        form.rows.append(row)
        for column, number in zip(form.columns, numbers, strict=True):
            column.append(number)
    return _like_each_other([form for form in forms.values() if len(form.rows) >= 2])


class _Words(NamedTuple):
    """What the words of a line tell, whichever digits stand between."""

    numbers: bool
    apart: bool
    """It is of work beside training."""
    held: bool


@lru_cache(maxsize=4096)
def _words(text: str) -> _Words:
    return _Words(*(of.search(text) is not None for of in (_ANY, NOT_TRAINING, HELD)))


_SHORT: Final = 40
"""The head of a part of a report (``kind: validation``), whose values stand below it, one a line."""
_ANY: Final = re.compile(r"\d|(?i:nan)\b")


def name_by_head(form: Form, texts: Sequence[str]) -> None:
    """Name the columns of a table after the line above it, cell by cell; a cell may hold a clock, no number."""
    if 2 * sum(name == "" for name in form.names) <= len(form.names) or len(form.names) < 2:
        return
    for row in range(form.rows[0] - 1, max(-1, form.rows[0] - 1 - _HEAD), -1):
        head = _ASIDE.sub("", texts[row])
        if _ANY.search(_WITH_DIGITS.sub("", head)):
            continue
        for apart in _APART:
            cells = [cell.strip() for cell in apart.split(_bare(head))]
            # A comma may stand within a name: what has a gap in it is two.
            if not all(_LETTER.search(cell) and _GAP.search(cell) is None for cell in cells):
                continue
            if len(cells) != len(form.names):
                cells = _over_numbers(cells, [cell.strip() for cell in apart.split(_bare(texts[form.rows[0]]))])
            if len(cells) == len(form.names):
                form.names = tuple(cell.lower() for cell in cells)
                return


_GAP: Final = re.compile(r"\s{2}")


def _bare(text: str) -> str:
    return text.strip().strip(_BARS).strip()


def _over_numbers(head: Sequence[str], row: Sequence[str]) -> list[str]:
    """The cells of a head that stand over a number, where those of a row below are as many; none where they are not."""
    if len(head) != len(row):
        return []
    found = [len(numbers_of(cell)) for cell in row]
    return [] if max(found) > 1 else [cell for cell, held in zip(head, found, strict=True) if held]


_BARS: Final = "#|\u2502\u2503\u2551"
_APART: Final = tuple(
    re.compile(sign)
    for sign in (
        r"\s*[|\u2502\u2503\u2551,;\t]\s*",
        r"\s*[|\u2502\u2503\u2551]\s*|\s{2,}",
        r"\s+[|\u2502\u2503\u2551]?\s*",
    )
)
"""What may part the cells of a table: signs, blanks of two and more, or any."""
_LETTER: Final = re.compile(r"[^\W\d]")
_ASIDE: Final = re.compile(r"\([^()]{0,40}\)|/\s?\d+")
"""What a head says of a column in brackets, or of how many it counts: ``queue(max 32)``, ``skipped/100``."""
_WITH_DIGITS: Final = re.compile(r"[^\W\d][\w@.]*\d[\w@.]*|[@.]\w*\d[\w@.]*")
"""Names with digits of their own: ``top1``, ``rank0``."""
_HEAD: Final = 4
"""How far above its first row the head of a table may stand."""


def _like_each_other(forms: Sequence[Form]) -> list[Form]:
    """``forms``, those of the same numbers in other sentences put together; without those of few lines."""
    merged: dict[tuple[Any, ...], Form] = {}
    for form in forms:
        key = (tuple(_plain(name) for name in form.names), form.held)
        if (known := merged.get(key)) is None or len(known.columns) != len(form.columns):
            merged[key if known is None else (*key, len(form.columns))] = form
            continue
        order = sorted(range(len(known.rows) + len(form.rows)), key=(known.rows + form.rows).__getitem__)
        known.columns = [
            [both[at] for at in order] for both in (a + b for a, b in zip(known.columns, form.columns, strict=True))
        ]
        known.rows = [(known.rows + form.rows)[at] for at in order]
    return [form for form in merged.values() if len(form.rows) >= REPORTS]


def _plain(name: str) -> str:
    return re.sub(r"e?s$", "", name)


# --- counts ----------------------------------------------------------------------------------------------------------
def count(form: Form) -> None:
    """Find the numbers of a form that count."""
    names = form.names
    _one_of_all_ranks(form)
    whole = [
        at
        for at, column in enumerate(form.columns)
        if all(number.whole for number in column)
        and not re.match(NO_COUNT, names[at])
        and not column[0].of
        and column[0].unit not in TIMES
        and "/" not in column[0].unit
    ]
    first_two = [at for at, column in enumerate(form.columns) if not column[0].of][:2]
    moves = [at for at in whole if len(set(form.values(at))) > 1 and (COUNTS.match(names[at]) or at in first_two)]
    for chosen, again in _choices(moves):
        keys = list(zip(*(form.values(at) for at in chosen), strict=True))
        if not _rises(keys, again=again):
            continue
        plans = [_plan(form, at) for at in chosen]
        if len(chosen) == 1:
            form.steps = _on([int(key[0]) for key in keys], plans[0])
        else:
            each = plans[1] or int(max(form.values(chosen[1])))
            first = min(form.values(chosen[0]))
            total = plans[0] * each if plans[0] else None
            form.steps = [(int((key[0] - min(first, 1)) * each + key[1]), total) for key in keys]
            form.epochs = [key[0] for key in keys]
        form.counters = frozenset(
            {*chosen, *(at + 1 for at in chosen if at + 1 < len(form.columns) and form.columns[at + 1][0].of)}
        )
        return
    if len(moves) != 1 or not _count_down(form, moves[0]):
        _count_parts(form)


def _one_of_all_ranks(form: Form) -> None:
    """Of lines that several ranks tell of each step, keep the first."""
    column = next((c for c in form.columns if all(n.whole for n in c) and len({n.value for n in c}) > 1), None)
    if column is None:
        return
    groups = [
        [place for place, _ in each] for _, each in itertools.groupby(enumerate(column), key=lambda x: x[1].value)
    ]
    size, often = Counter(map(len, groups)).most_common(1)[0]
    if size > 1 and len(groups) >= REPORTS and often >= _ALIKE * len(groups) and len(form.columns) > 1:
        # Another count within it is no other rank's.
        inner = [c for c in form.columns if c is not column and all(n.whole for n in c) and not c[0].of]
        if any(len({c[place].value for place in groups[0]}) == size for c in inner):
            return
        kept = [group[0] for group in groups]
        form.rows = [form.rows[place] for place in kept]
        form.columns = [[c[place] for place in kept] for c in form.columns]


_ALIKE: Final = 0.8


def _choices(moves: Sequence[int]) -> Iterable[tuple[tuple[int, ...], bool]]:
    """One count, or one within another; those that may begin anew only after those that never do."""
    for again in (False, True):
        yield from (((at,), again) for at in moves)
        yield from ((both, again) for both in itertools.combinations(moves, 2))


def _rises(keys: Sequence[tuple[float, ...]], *, again: bool) -> bool:
    """Whether counts rise from line to line; with ``again``, but for places where they begin anew."""
    if any(after == before for before, after in itertools.pairwise(keys)):
        return False
    anew = [after for before, after in itertools.pairwise(keys) if after < before]
    if not again:
        return not anew
    return 2 * len(anew) <= len(keys) and all(after <= keys[min(1, len(keys) - 1)] for after in anew)


def _on(counts: Sequence[int], plan: int | None) -> list[tuple[int, int | None]]:
    """Counts that begin anew, as those of an epoch do, counted on; of how many epochs is untold."""
    if all(after > before for before, after in itertools.pairwise(counts)):
        return [(count, plan) for count in counts]
    each = plan or max(counts)
    done = itertools.accumulate((after < before for before, after in itertools.pairwise(counts)), initial=0)
    return [(epoch * each + count, None) for epoch, count in zip(done, counts, strict=True)]


def _plan(form: Form, at: int) -> int | None:
    """How many there are to be, where the number behind a count tells it."""
    if at + 1 >= len(form.columns) or not form.columns[at + 1][0].of:
        return None
    told = set(form.values(at + 1))
    return int(told.pop()) if len(told) == 1 and max(form.values(at)) <= form.columns[at + 1][0].value else None


def _count_down(form: Form, at: int) -> bool:
    """Whether the one number that moves tells what is left to do, and falls by the same each time."""
    values = form.values(at)
    strides = {sooner - later for sooner, later in itertools.pairwise(values)}
    if LEFT.search(form.names[at]) is None or len(strides) != 1 or (stride := strides.pop()) <= 0:
        return False
    whole = int(values[0] + stride)
    form.steps = [(whole - int(value), whole) for value in values]
    form.counters = frozenset({at})
    return True


def _count_parts(form: Form) -> None:
    """Find a share of all that is to be done, or an amount in parts of thousands, that only rises."""
    for at, column in enumerate(form.columns[:2]):
        values = form.values(at)
        if not all(map(math.isfinite, values)) or any(b <= a for a, b in itertools.pairwise(values)):
            continue
        if column[0].unit == "%" and values[0] >= 0 and values[-1] <= 100 and not SCORE.match(form.names[at]):
            form.steps = [(round(value), 100) for value in values]
        elif COUNTS.match(form.names[at]) or COUNTS.match(column[0].unit):
            gaps = [b - a for a, b in itertools.pairwise(values)]
            if max(gaps) > 2 * statistics.median(gaps):
                continue
            form.steps = [(place, None) for place in range(1, len(values) + 1)]
        else:
            continue
        form.counters = frozenset({at})
        return


def count_by_lines_above(forms: Sequence[Form], seqs: Sequence[int]) -> None:
    """Give lines that count nothing the count of the line above that does."""
    counted = sorted(
        (row, step) for form in forms if form.steps is not None for row, step in zip(form.rows, form.steps, strict=True)
    )
    if not counted:
        return
    places = [row for row, _ in counted]
    for form in forms:
        if form.steps is not None:
            continue
        above = [last_before(places, row) for row in form.rows]
        told = [
            (counted[at][1] if at >= 0 and seqs[row] - seqs[places[at]] <= _BELOW else None)
            for at, row in zip(above, form.rows, strict=True)
        ]
        known = [step for step in told if step is not None]
        distinct = len({step for step, _ in known})
        if len(known) == len(told) and distinct >= max(REPORTS, 0.8 * len(told)):
            form.steps = [step for step in told if step is not None]


def count_as(leader: Form, others: Sequence[Form]) -> None:
    """Give what is told beside a loss the step of the report above it: an evaluation may be counted otherwise."""
    assert leader.steps is not None
    for form in others:
        above = [max(0, last_before(leader.rows, row)) for row in form.rows]
        form.steps = [leader.steps[at] for at in above]


def last_before(places: Sequence[int], row: int) -> int:
    """Which of ``places``, in order, is the last before ``row``; -1: none."""
    return bisect.bisect_left(places, row) - 1


_CLOCKED: Final = re.compile(r"(?i)^\W{0,8}(?:seconds|secs?|times?|timings?|wall|zeiten?|duration)\b\W{1,3}")
