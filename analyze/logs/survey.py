"""The one pass over all lines of a store: which of them a parser has to look at.

One regular expression holds every literal that any fact needs, and every mark of progress, so that a line without any
of them costs a single look. What is kept is bounded in rows and in bytes, whatever a log holds: facts from both ends,
progress as an even sample beside its end.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs import json_lines, shown
from inquest.analyze.logs.reader import COLUMNS, SUMMARY_ANCHORS, TRACEBACK
from inquest.analyze.logs.registry import anchor_regex
from inquest.bundle.by_node import by_node
from inquest.bundle.rawlog import LINE_BYTES
from inquest.bundle.scan import stored_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.store import Store

PROGRESS: Final = r"[lL]oss|LOSS|[xX]ent:? |NCE:? |nll|NLL|ppl|PPL|erplexity|bjective|obj[=:]|[cC]ost[=: ]{1,2}[\dni-]|\d of \d+ (?:time)?steps|rossEntropy=|bp[bc][ =:]|rmse|erlust| ce[=:]|\[ce=|\x22ce\x22:| bce[=:]| CE[=:]| mse[ =:]|(?:mse|mae)[\t,|]| MSE[ =:]|\x22mse\x22:|ross_entropy|ross entropy|\]\t|\d:\t| leaves, max depth|it/s|s/it|s/(?:step|update|batch)|(?:steps?|updates?)/s|\d/\d+ \[\d|iteration +\d+/ *\d+|global_step=|step=\d+, skipped=|(?:^|[m:|] ?)Epoch \d+/\d+|Epoch:? \d+ ?$|^Epoch \d+ of |tps: |'reward'|episode/(?:score|return|reward) |(?:[aA]cc(?:uracy)?(?:@1)?|[tT]op-?1)[\x22']?[:= ]{1,2}\d|\[(?:batch|step)=\d+/|time \(ms\) \| fwd: |[tT]ra?i?n[ :=]{1,2}\d|valid \d{3} (?:\d|nan)|[ =]nan\b|[ =]NaN\b|(?:^|[m:] ?)\| +(?:total_timesteps|ep_rew_mean) |\.\.: \(\d+\.\d+, |[ \t_+](?:b?ce|BCE|CE|xent|mse|mae|ctc|CTC|focal|huber|hinge)(?:[_+][A-Za-z]\w{1,9})?[=: ]{1,2}\d|erte[_ :=]|(?:[dD]ice|IoU|iou|F1|f1)(?:[ _]score)?[ :=]{1,3}\[?(?:np\.float\d\d\()?\d|(?:eward|eturn|elbo|ELBO|ikelihood|_rew|_rew_mean)s?(?:_(?:mean|avg|ma)_?\d{0,4})?[\x22']?[:= ]{1,9}[-+]?\d|(?:[^A-Za-z]|[eE]p_?)[rR]et[:= ]{1,3}-?\d{1,9}\.\d|[ ,|][lL][:=] ?\d{1,9}\.|(?:^|\] )Iteration:\d|^\|\s{1,12}\d{1,9} \|\s{1,16}\d{1,9} \|\s{1,16}\d{1,4}:|At iterate  |^! (?:Train|Validation) +\d|^ {1,9}\d+/\d+ +\d[\d.]*G  |^\d+ \(\d{1,3}\.\d\d%\)  |Iter: \d+/\d+ +Jobs: |EEPMD INFO +batch|(?:poque|poca|poche|поха|tapa|étape|chritt|шаг) {0,8}[;|\t]|(?:[sS]tep|[iI]ter|\bit\b|[pP]asso?|[sS]chritt|[éÉ]tape|[шШ]аг|步|ステップ).{0,80}\d ?m?s[ ,;|].{0,80}\d ?m?s(?:[ ,;|)]|$)"
"""Lines that can hold progress at all."""

_FACTS_AT_MOST: Final = 200_000
_PROGRESS_AT_MOST: Final = 80_000
"""Lines of progress that are read of a log that holds more, beside the last ones."""
_PROGRESS_AT_END: Final = 20_000
"""The last lines of progress, none of which is left out."""
_KEPT_BYTES: Final = 64 << 20
"""Bytes of text that are kept of facts, and of progress."""
_PART_BYTES: Final = 128 << 20
"""Bytes of text that are looked at together where a log is larger than memory should hold."""
_LINE_AT_LEAST: Final = 64
_EDGES_FROM: Final = 100_000
"""Numbers of lines from which the edges of parts are chosen."""
_SPREAD: Final = 0x9E3779B1
"""A multiplier that spreads numbers of lines evenly (Knuth, TAOCP 6.4), so that a sample takes all ranks alike."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What one pass over the lines of a store found.

    Attributes:
        facts: Lines of ``log_lines`` and ``kernel_log`` that a pattern, a traceback or a summary may be in.
        progress: Lines that may hold progress.
        extents: First and last line (``low``, ``high``) and last time of each node, capture and source.
    """

    facts: pl.DataFrame
    progress: pl.DataFrame
    extents: pl.DataFrame


@cache
def facts_regex() -> str:
    """One regular expression that matches every line a fact can be read from: an alternation of literals."""
    return "|".join(
        (anchor_regex(), *map(re.escape, (TRACEBACK, json_lines.STRUCTURED, *SUMMARY_ANCHORS, *shown.ANCHORS)))
    )


def survey(store: Store) -> Survey:
    """Look at every line of ``store`` once."""
    text = pl.col("text")
    facts, progress = _Ends(), _Sample()
    for part in _parts(store):
        found = part.filter(text.str.contains(f"{facts_regex()}|{PROGRESS}")).collect(engine="streaming")
        if found.is_empty():
            continue
        marked = json_lines.unwrapped(found)
        telling = marked["text"].str.contains(facts_regex())
        facts.add(marked.filter(telling))
        if marked is found:
            # What was found and tells no fact holds progress: it need not be looked at a third time.
            both = marked.filter(telling).filter(text.str.contains(PROGRESS))
            progress.add(pl.concat([marked.filter(~telling), both]) if telling.any() else marked)
        else:
            progress.add(marked.filter(text.str.contains(PROGRESS)))
    kernel = _Ends()
    kernel.add(_kernel_log(store).filter(text.str.contains(facts_regex())).collect(engine="streaming"))
    return Survey(pl.concat([facts.lines(), kernel.lines()]), progress.lines(), _extents(store))


def _parts(store: Store) -> Iterator[pl.LazyFrame]:
    """All lines, in parts of bounded size, those with smaller numbers first."""
    lines = store.scan("log_lines").select(COLUMNS)
    size = pl.col("line_bytes").clip(upper_bound=LINE_BYTES).sum()
    sizes = by_node(store, "log_lines", lambda rows: rows.select(pl.len().cast(pl.Int64), size.alias("size")))
    rows, told = sizes.sum().row(0)
    count = min(rows, -(-max(told, rows * _LINE_AT_LEAST) // _PART_BYTES))
    if count <= 1:
        yield lines
        return
    # Streams and tasks count in ranges of their own, so that equal ranges of numbers would be no equal parts.
    numbers = lines.select(pl.col("seq").gather_every(-(-rows // _EDGES_FROM))).collect(engine="streaming")["seq"]
    numbers = numbers.sort()
    edges = sorted({int(numbers[len(numbers) * k // count]) for k in range(1, count)})
    for low, high in zip([None, *edges], [*edges, None], strict=True):
        mine = pl.lit(value=True) if low is None else pl.col("seq") >= low
        yield lines.filter(mine if high is None else mine & (pl.col("seq") < high))


def _kernel_log(store: Store) -> pl.LazyFrame:
    none = {"stream": pl.String, "task": pl.Int64, "rank": pl.Int64, "rank_by": pl.String, "offset": pl.Int64}
    return (
        store.scan("kernel_log")
        .with_columns(*(pl.lit(None, dtype).alias(name) for name, dtype in none.items()), source=pl.lit("kernel_log"))
        .select(COLUMNS)
    )


def _extents(store: Store) -> pl.DataFrame:
    return by_node(
        store,
        "log_lines",
        lambda rows: rows.group_by("node", "capture", "source").agg(
            low=pl.col("seq").min(), high=pl.col("seq").max(), last=pl.col("ts_ns").max()
        ),
    ).sort("node", "capture", "low")


_NONE: Final = pl.DataFrame(schema={name: stored_schema("log_lines")[name] for name in COLUMNS})


class _Ends:
    """Lines from the beginning and the end, bounded in rows and bytes."""

    def __init__(self) -> None:
        self._head = self._tail = _NONE

    def add(self, frame: pl.DataFrame) -> None:
        """Take lines whose numbers are greater than those before."""
        frame = frame.sort("seq")
        if self._tail.is_empty():
            frame = pl.concat([self._head, frame])
            kept = _within(frame)
            self._head, frame = frame.head(kept), frame.slice(kept)
        tail = pl.concat([self._tail, frame]).reverse()
        self._tail = tail.head(_within(tail)).reverse()

    def lines(self) -> pl.DataFrame:
        """What was kept, in order."""
        return pl.concat([self._head, self._tail]).sort("node", "capture", "seq")


def _within(frame: pl.DataFrame) -> int:
    """How many rows from the beginning of ``frame`` fit into one end."""
    return min(_FACTS_AT_MOST // 2, int((frame["text"].str.len_bytes().cum_sum() <= _KEPT_BYTES // 2).sum()))


class _Sample:
    """An even sample of lines, of bounded size, and the last ones whole.

    Which lines stay depends on their numbers only, and a coarser sample is a part of a finer one.
    """

    def __init__(self) -> None:
        self._older = self._recent = _NONE
        self._one_of = 1

    def add(self, frame: pl.DataFrame) -> None:
        """Take lines whose numbers are greater than those before."""
        frame = pl.concat([self._recent, frame])
        if frame.height <= _PROGRESS_AT_END:
            self._recent = frame
            return
        late = frame["seq"] >= frame["seq"].top_k(_PROGRESS_AT_END).min()
        self._recent = frame.filter(late)
        self._older = pl.concat([self._older, self._thinned(frame.filter(~late))])
        while self._older.height > _PROGRESS_AT_MOST or self._older["text"].str.len_bytes().sum() > _KEPT_BYTES:
            self._one_of *= 2
            self._older = self._thinned(self._older)

    def _thinned(self, frame: pl.DataFrame) -> pl.DataFrame:
        # Mixed bits of the number decide: ranks that take turns must not be told apart by it.
        return frame.filter((pl.col("seq") * _SPREAD // (1 << 16)) % self._one_of == 0)

    def lines(self) -> pl.DataFrame:
        """What was kept, in order."""
        return pl.concat([self._older, self._recent]).sort("node", "capture", "seq")
