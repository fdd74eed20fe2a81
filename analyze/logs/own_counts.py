"""Values under counts of a program's own: ``[3/8][ 15/60] triplet 0.5167``, ``e03 b015 loss nan``.

Asked where nothing else told of progress. Lines of one form, whose whole numbers before the value only rise, count; the
only value that they name is a loss where it is called by a criterion's name, and fell or turned into NaN for good.
"""

from __future__ import annotations

import itertools
import math
import re
import statistics
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.unnamed_losses import BESIDE, CRITERION, READ

if TYPE_CHECKING:
    from inquest.bundle.store import Store

_LOOKED_AT: Final = 100_000
"""Lines from the end on: one pattern at all lines of a long log that tells no progress is half of the whole cost."""
_LINES: Final = 20_000
_WIDTH: Final = 400
_VALUE: Final = r"(?i)\d.*[a-z].*(?:\d\.\d|\bnan\b|\binf\b)"
_REPORTS: Final = 8
_CLOCKS: Final = r"\d{4}[-/]\d\d[-/]\d\d|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?"
_FORM: Final = r"(?i)[-+]?(?:\b(?:nan|inf)\b|\d+(?:\.\d+)?(?:e[-+]?\d+\b)?)"
_NAMED: Final = re.compile(
    r"(?i)(?<![\w.])([a-z_][\w/.-]{0,30}?)(?:\s?[:=]\s?|\s{1,3})([-+]?(?:nan|inf|\d{1,12}\.\d{1,15}(?:e[-+]?\d{1,3})?))(?![\w.%])"
)
_WHOLE: Final = re.compile(r"(?i)(?:\b([a-z]{3,20})[ :=#]{0,3})?(?<![\d.])(\d{1,9})(?![\d.])")
NO_COUNT: Final = (
    r"^(?:fold|seed|trial|client|worker|layer|class|user|device|gpu|rank|depth|model|run|part|file|day|year|line|port"
    r"|pid|job|task|node|head|stage|phase|lr|loss|acc|val|test|eval|width|size|dim|hidden|split|group|expert|site)"
)
"""What a number behind it counts no steps of."""
_A_LOSS: Final = re.compile(
    r"(?i)(?:.*[_/.-])?(?:loss|infonce|nt_?xent|contrast\w*|margin|align\w*|cycle|ranking|pairwise|energy"
    r"|misfit|mismatch|miss|slack|gap|discrepancy|residuals?|resid|err(?:or)?|cost|distance|deviation)$"
)
_FELL: Final = 0.9
_GONE: Final = 3


def own_counts(store: Store) -> pl.DataFrame:
    """The last lines with ``step``, ``total_steps`` where they tell it, and ``loss``."""
    text = pl.col("text")
    lines = store.scan("log_lines").tail(_LOOKED_AT).filter(text.str.contains(_VALUE))
    rows = lines.tail(_LINES).with_columns(text=text.str.slice(0, _WIDTH).str.replace_all(ANSI, "")).collect()
    rows = rows.with_columns(plain=pl.col("text").str.replace_all(_CLOCKS, ""))
    rows = rows.with_columns(form=pl.col("plain").str.replace_all(_FORM, "#").str.replace_all(r"\s+", " "))
    found: list[tuple[Any, ...]] = []
    places = ("node", "capture", "source", "rank", "form")
    for _, group in rows.sort("seq").group_by(places, maintain_order=True):
        if group.height >= _REPORTS:
            found += _read(group)
    told = pl.DataFrame(found, schema=READ, orient="row")
    return rows.drop("plain", "form").join(told, on=["node", "capture", "seq"], how="inner", maintain_order="left")


def _read(group: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Lines of one form as reports; none where they tell no loss, or do not count."""
    words: list[str] = []
    counts, values = [], []
    for text in group["plain"]:
        named = [told for told in _NAMED.finditer(text) if not BESIDE.match(told[1])]
        if len(named) != 1:
            return []
        whole = _WHOLE.findall(text[: named[0].start()])
        words = [word.lower() for word, _ in whole]
        counts.append(tuple(int(number) for _, number in whole))
        values.append((named[0][1], float(named[0][2])))
    names = {name for name, _ in values}
    steps = _steps(counts, words)
    if steps is None or len(names) != 1 or not _is_loss(names.pop(), [value for _, value in values]):
        return []
    where = group.select("node", "capture", "seq").rows()
    return [(*at, *step, value) for at, step, (_, value) in zip(where, steps, values, strict=True)]


def _is_loss(name: str, values: list[float]) -> bool:
    """Whether a value is one that learning brings down, and did, or is none any more."""
    lost = sum(1 for _ in itertools.takewhile(lambda value: not math.isfinite(value), reversed(values)))
    finite = [value for value in values if math.isfinite(value)]
    third = len(finite) // 3
    if not (_A_LOSS.match(name) or CRITERION.match(name)):
        return False
    if lost or third < 1:
        return lost >= _GONE and len(finite) >= _GONE
    begin, end = statistics.median(finite[:third]), statistics.median(finite[-third:])
    return end <= _FELL * begin and begin > 0


def _steps(counts: list[tuple[int, ...]], words: list[str]) -> list[tuple[int, int | None]] | None:
    """Step and plan by the whole numbers of each line, behind ``words``; None where they do not rise or count else."""
    if len({len(count) for count in counts}) != 1 or not counts[0]:
        return None
    columns = list(zip(*counts, strict=True))
    moves = [at for at, column in enumerate(columns) if len(set(column)) > 1]
    if not 1 <= len(moves) <= 2 or any(re.match(NO_COUNT, words[at]) for at in moves):
        return None
    keys = list(zip(*(columns[at] for at in moves), strict=True))
    if any(after <= before for before, after in itertools.pairwise(keys)):
        return None
    plans = [_plan(columns, at) for at in moves]
    if len(moves) == 1:
        return [(key[0], plans[0]) for key in keys]
    each = plans[1] or max(columns[moves[1]]) + 1
    first = min(columns[moves[0]])
    total = plans[0] * each if plans[0] and plans[1] else None
    return [((epoch - min(first, 1)) * each + step, total) for epoch, step in keys]


def _plan(columns: list[tuple[int, ...]], at: int) -> int | None:
    """The number behind a count that stays, and is none less than it."""
    behind = set(columns[at + 1]) if at + 1 < len(columns) else set()
    return behind.pop() if len(behind) == 1 and max(columns[at]) <= min(columns[at + 1]) else None
