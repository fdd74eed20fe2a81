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
_VALUE: Final = r"(?i)\d.*[a-z].*(?:\d\.\d|\bnan\b|\binf(?:inity)?\b)"
_REPORTS: Final = 8
_CLOCKS: Final = r"\d{4}[-/]\d\d[-/]\d\d|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?"
_FORM: Final = r"(?i)[-+]?(?:\b(?:nan|inf|infinity)\b|\d+(?:\.\d+)?(?:e[-+]?\d+\b)?)"
_NUMBER: Final = re.compile(
    r"(?i)(?<![\w.])([-+]?(?:nan|inf(?:inity)?|\d{1,12}\.\d{1,15}(?:e[-+]?\d{1,3})?))(?![\w.%])"
    r"(?!\s?(?:[mun\u00b5]?s|secs?|seconds?|mins?|minutes?|hours?|h|[KMG]i?B)\b)"
)
"""A value, and no time or size."""
_NAME: Final = re.compile(
    r"(?i)((?:[^\W\d_](?:[^\W\d]|[/.+()'-]){0,30} ){0,3}[^\W\d_][\w/.+()'-]{0,30})\s?[:=]?\s{0,8}$"
)
"""The words right before it."""
_LEFT: Final = re.compile(
    r"(?i)\b(?:left|remain(?:s|ing)?|to go|to do|still to come|\u00fcbrig|noch|restant(?:e?s)?|restan|rimanenti)\b"
)
_WHOLE: Final = re.compile(r"(?i)(?:\b([a-z]{3,20})[ :=#]{0,3})?(?<![\d.])(\d{1,9})(?![\d.])")
NO_COUNT: Final = (
    r"^(?:fold|seed|trial|client|worker|layer|class|user|device|gpu|rank|depth|model|run|part|file|day|year|line|port"
    r"|pid|job|task|node|head|stage|phase|lr|loss|acc|val|test|eval|width|size|dim|hidden|split|group|expert|site)"
)
"""What a number behind it counts no steps of."""
_A_LOSS: Final = re.compile(
    r"(?i)(?:.*[_/. +-])?(?:loss|objective|inertia|perplexit\w{1,3}|surprisal|infonce|nt_?xent|contrast\w*|margin"
    r"|align\w*|cycle|ranking|pairwise|energy|misfit|mismatch|miss|slack|gap|discrepancy|residuals?|resid|err(?:or)?|cost"
    r"|distance|deviation)(?:[/ (].*)?$"
)
_HELD_OUT: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:val(?:id(?:ation)?)?|test|dev|eval(?:uation)?|held|oot|holdout|unseen)(?:[^a-z]|$)"
)
_LIKELIHOOD: Final = re.compile(
    r"(?i)(?:^|[^a-z])log[- ]?(?:lik\w{0,9}|vraisemblance|veros+imi\w{2,9}|densit[y\u00e9]|prob\w{0,8}|evidence)"
    r"|(?:^|[^a-z])(?:elbo|evidence lower bound|log p\([^)]{1,20}\))(?:[^a-z]|$)"
)
"""What learning raises, whatever is learned."""
_DISCRIMINATES: Final = {"d", "dis", "disc", "discriminator", "critic", "loss d", "loss_d", "d_loss", "d loss"}
_GENERATES: Final = {"g", "gen", "generator", "loss g", "loss_g", "g_loss", "g loss"}
"""Two who play against each other: what they lose is no curve, and shows that training goes on."""
_PER_CENT: Final = re.compile(r"\d ?%")
_PHRASE: Final = 120
_STARTS: Final = 5
"""Reports that each start makes, at the least."""
_FELL: Final = 0.9
_GONE: Final = 3
_BEYOND: Final = 1e30
"""No loss of a model that learns."""


def own_counts(store: Store) -> pl.DataFrame:
    """The last lines with ``step``, ``total_steps`` where they tell it, and ``loss``, ``eval_loss`` or ``score``."""
    text = pl.col("text")
    lines = store.scan("log_lines").tail(_LOOKED_AT).filter(text.str.contains(_VALUE))
    rows = lines.tail(_LINES).with_columns(text=text.str.slice(0, _WIDTH).str.replace_all(ANSI, "")).collect()
    rows = rows.with_columns(plain=pl.col("text").str.replace_all(_CLOCKS, ""))
    rows = rows.with_columns(form=pl.col("plain").str.replace_all(_FORM, "#").str.replace_all(r"\s+", " "))
    rows = _told_ranks(rows)
    found: list[tuple[Any, ...]] = []
    places = ("node", "capture", "source", "rank", "form")
    for _, group in rows.sort("seq").group_by(places, maintain_order=True):
        if group.height >= _REPORTS:
            found += _read(group)
    told = pl.DataFrame(found, schema=READ | {"eval_loss": pl.Float64, "score": pl.Float64}, orient="row")
    return rows.drop("plain", "form").join(told, on=["node", "capture", "seq"], how="inner", maintain_order="left")


def _told_ranks(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with the rank by which their lines begin, where these count from 0 without a gap and take turns."""
    told = rows.select(told=pl.when(pl.col("rank").is_null()).then(pl.col("plain").str.extract(_RANK).cast(pl.Int64)))
    ranks = told["told"].drop_nulls()
    if len(ranks) < _REPORTS or not 2 <= ranks.n_unique() == int(ranks.max() or 0) + 1:  # type: ignore[arg-type]
        return rows
    turns = (ranks.diff().drop_nulls() != 0).sum()
    if 2 * turns < len(ranks) or ranks.value_counts()["count"].min() * ranks.n_unique() < _ALIKE * len(ranks):  # type: ignore[operator]
        return rows
    rest = pl.when(pl.col("told").is_not_null()).then(pl.col("plain").str.replace(_RANK, "")).otherwise("plain")
    rows = rows.hstack(told).with_columns(plain=rest, rank=pl.coalesce("rank", "told"))
    rows = rows.with_columns(rank_by=pl.when(pl.col("told").is_not_null()).then(pl.lit("text")).otherwise("rank_by"))
    form = pl.col("plain").str.replace_all(_FORM, "#").str.replace_all(r"\s+", " ")
    return rows.with_columns(form=form).drop("told")


_RANK: Final = r"^\W{0,2}(?i:rank|proc(?:ess)?|worker|gpu|device|[rpw])[ _#:=-]?(\d{1,4})\b[\]):|,]?\s+"
_ALIKE: Final = 0.8
"""Ranks report about as often as each other."""


def _read(group: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Lines of one form as reports; none where they tell no loss, or do not count."""
    told = [_told(text) for text in group["plain"]]
    names = {tuple(name for name, _ in values) for _, values in told}
    if len(names) != 1 or not (named := names.pop()):
        return []
    heads = [_WHOLE.findall(head) for head, _ in told]
    steps = _steps([tuple(int(number) for _, number in whole) for whole in heads], [w.lower() for w, _ in heads[0]])
    if steps is None and len({len(whole) for whole in heads}) == 1:
        steps = _counted_down([tuple(int(number) for _, number in whole) for whole in heads], told[0][0])
    if steps is None:
        return []
    if len(heads[0]) == 1 and all(_PER_CENT.search(head) for head, _ in told):
        steps = [(step, 100) for step, _ in steps]
    columns = dict(zip(named, zip(*([value for _, value in values] for _, values in told), strict=True), strict=True))
    none = (None,) * len(told)
    loss, validated, score = _judged(columns) or (none, none, none)
    if loss is validated is score is none and not (
        _DISCRIMINATES & (low := {name.lower() for name in named}) and _GENERATES & low
    ):
        return []
    where = group.select("node", "capture", "seq").rows()
    return [(*at, *step, *values) for at, step, *values in zip(where, steps, loss, validated, score, strict=True)]


def _told(text: str) -> tuple[str, list[tuple[str, float]]]:
    """What stands before the first value that a line names, and those values, each with the words before it."""
    values: list[tuple[str, float]] = []
    end, begin = 0, len(text)
    for number in _NUMBER.finditer(text):
        between = text[end : number.start()]
        name = _NAME.search(between[-_PHRASE:])
        end = number.end()
        if name is None or BESIDE.match(name[1].split(" ")[-1]):
            continue
        if not values:
            begin = number.start()
        values.append((" ".join(name[1].split()), float(number[1])))
    return text[:begin], values


def _judged(columns: dict[str, tuple[float, ...]]) -> tuple[tuple[Any, ...], ...] | None:
    """Loss, validation loss and score of each line, by what its values are called and how they go."""
    none = (None,) * len(next(iter(columns.values())))
    criteria = [name for name in columns if _A_LOSS.match(name) or CRITERION.match(name)]
    lost = next((name for name in columns if _A_LOSS.match(name)), None)
    if len(columns) > 1 and lost and not any(math.isfinite(v) for values in columns.values() for v in values):
        return columns[lost], none, none  # a loss never was a number; another criterion may not have been asked for
    trained = [name for name in columns if not _HELD_OUT.search(name)]
    for name in trained:
        values = list(columns[name])
        if _is_loss(name, values) and (len(columns) == 1 or _fell_clearly(values)):
            return columns[name], none, none
        if name in criteria:
            return None
    score = next((values for name, values in columns.items() if _LIKELIHOOD.search(name)), none)
    held = next((name for name in columns if name not in trained and _is_loss(name, list(columns[name]))), None)
    return None if score is none and held is None else (none, none if held is None else columns[held], score)


def _is_loss(name: str, values: list[float]) -> bool:
    """Whether a value is one that learning brings down, and did, or is none any more."""
    lost = sum(1 for _ in itertools.takewhile(lambda value: not math.isfinite(value), reversed(values)))
    finite = [value for value in values if math.isfinite(value)]
    third = len(finite) // 3
    if not (_A_LOSS.match(name) or CRITERION.match(name)):
        return False
    if lost or third < 1:
        seen = len(finite) >= _GONE or max(finite, default=0.0) > _BEYOND
        return lost >= _GONE and seen
    begin, end = statistics.median(finite[:third]), statistics.median(finite[-third:])
    return begin > 0 and end <= _FELL * begin


def _fell_clearly(values: list[float]) -> bool:
    """Whether one of several values fell by more than the chance that one of them does, or came to be none."""
    finite = [value for value in values if math.isfinite(value)]
    third = len(finite) // 3
    begin, end = finite[:third], finite[-third:]
    return len(finite) < len(values) or max(end) < min(begin) or 2 * statistics.median(end) < statistics.median(begin)


def _counted_down(counts: list[tuple[int, ...]], head: str) -> list[tuple[int, int | None]] | None:
    """Step and plan by the one number that tells what is left: it falls by the same each time."""
    columns = list(zip(*counts, strict=True))
    moves = [column for column in columns if len(set(column)) > 1]
    if len(moves) != 1 or not _LEFT.search(head):
        return None
    strides = {before - after for before, after in itertools.pairwise(moves[0])}
    if len(strides) != 1 or (stride := strides.pop()) <= 0:
        return None
    whole = moves[0][0] + stride
    return [(whole - left, whole) for left in moves[0]]


def _steps(counts: list[tuple[int, ...]], words: list[str]) -> list[tuple[int, int | None]] | None:
    """Step and plan by the whole numbers of each line, behind ``words``; None where they do not rise or count else."""
    if len({len(count) for count in counts}) != 1 or not counts[0]:
        return None
    columns = list(zip(*counts, strict=True))
    moves = [at for at, column in enumerate(columns) if len(set(column)) > 1]
    if not 1 <= len(moves) <= 2 or any(re.match(NO_COUNT, words[at]) for at in moves):
        return None
    keys = list(zip(*(columns[at] for at in moves), strict=True))
    if any(after == before for before, after in itertools.pairwise(keys)):
        return None
    # What was started again counts anew from near where it once began.
    again = [after for before, after in itertools.pairwise(keys) if after < before]
    if len(again) * _STARTS > len(keys) or any(after > keys[min(1, len(keys) - 1)] for after in again):
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
