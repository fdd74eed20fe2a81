"""What is asked of every GPU's samples: all questions that are known beforehand are answered in one pass, node by node.

A day of 512 GPUs is 44 million rows. What a verdict asks of them are order statistics of each GPU by itself, so that a
node is read once, its rows are put in order, and every question is asked of them while they are at hand; memory follows
a node, not the job. Where nodes lie apart (`inquest.bundle.by_node`) the questions travel and only answers come back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, overload

import polars as pl

from inquest.bundle.by_node import by_node

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from inquest.analyze.evidence import Evidence

KEY: Final = ("node", "gpu_uuid")
"""What tells GPUs apart, and the first columns of every answer."""

_BITS: Final = 40
"""Room for the number of a window beside that of its GPU: windows of a second and more count less than 2^34."""

_TOGETHER: Final[list[Callable[[Evidence], Asked | None]]] = []


class Asked(Protocol):
    """What can be asked of the samples of every GPU."""

    def columns(self) -> set[str]:
        """Columns of the samples that it is about."""

    def order(self) -> list[str]:
        """Columns the answer is ordered by."""

    def answer(self, rows: pl.DataFrame, gpus: pl.DataFrame) -> pl.LazyFrame:
        """The answer for ``rows``, which have the number ``gpu`` of one of ``gpus`` and lie by it, then by time."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to tell of each GPU.

    Attributes:
        aggregates: Expressions over the rows of one GPU, in order of time, each with one value; by name.
        where: Rows that count, by what was read; a GPU without any has no answer.
        every_ns: Tell it of each window of this length, at least a second: the answer names the ``window``.
    """

    aggregates: Mapping[str, pl.Expr]
    where: pl.Expr | None = None
    every_ns: int | None = None

    def columns(self) -> set[str]:
        """Columns of the samples that it is about."""
        asked = [*self.aggregates.values(), *(() if self.where is None else (self.where,))]
        return {name for each in asked for name in each.meta.root_names()}

    def order(self) -> list[str]:
        """Columns the answer is ordered by."""
        return [*KEY] if self.every_ns is None else [*KEY, "window"]

    def answer(self, rows: pl.DataFrame, gpus: pl.DataFrame) -> pl.LazyFrame:
        """The answer for ``rows``, which have the number ``gpu`` of one of ``gpus`` and lie by it, then by time."""
        told = rows.lazy() if self.where is None else rows.lazy().filter(self.where)
        window = None
        named = {f"a.{name}": each for name, each in self.aggregates.items()}
        if self.every_ns is not None:
            window = pl.col("ts_ns") // self.every_ns
            named["window"] = window.first()
            told = told.filter(pl.col("ts_ns").is_not_null())
        grouped = told.group_by(numbered(window).alias("group"), maintain_order=True).agg(
            pl.col("gpu").first(), **named
        )
        return grouped.join(gpus.lazy(), on="gpu", maintain_order="left").select(
            *self.order(), **{name: pl.col(f"a.{name}") for name in self.aggregates}
        )


@dataclass(frozen=True, slots=True)
class _Plan:
    """All questions to one set of rows; the answers are one row, a list of structs each."""

    questions: tuple[Asked, ...]

    def __call__(self, scan: pl.LazyFrame) -> pl.LazyFrame:
        columns = {*KEY, "ts_ns", "seq"}.union(*(each.columns() for each in self.questions))
        rows, gpus = in_order(scan.select(sorted(columns)).collect())
        answers = [each.answer(rows, gpus) for each in self.questions]
        found = pl.collect_all([answer.select(pl.struct(pl.all()).implode()) for answer in answers])
        return pl.DataFrame([each.to_series().alias(str(at)) for at, each in enumerate(found)]).lazy()


def numbered(window: pl.Expr | None, by: str = "gpu") -> pl.Expr:
    """A number for each GPU, and window of it, that ascends: groups of it are slices, and nothing is gathered."""
    number = pl.col(by).cast(pl.Int64)
    return (number if window is None else number * 2**_BITS + window).set_sorted()


def ask(ev: Evidence, *questions: Asked) -> tuple[pl.DataFrame, ...]:
    """The answers to ``questions``, in one pass: a row a GPU (and window), by node, UUID (and window)."""
    rows = by_node(ev.store, "gpu_samples", _Plan(questions))
    return tuple(_ordered(rows.get_column(str(at)), each) for at, each in enumerate(questions))


@overload
def together(question: Callable[[Evidence], Question]) -> Callable[[Evidence], pl.DataFrame]: ...
@overload
def together(question: Callable[[Evidence], Asked | None]) -> Callable[[Evidence], pl.DataFrame | None]: ...
def together(question: Callable[[Evidence], Asked | None]) -> Callable[[Evidence], pl.DataFrame | None]:
    """Make a question, known before any sample is read, one of those that are answered in the same pass.

    It is asked of every run with samples, whoever needs it first; of one for which it is None there is no answer.
    """
    _TOGETHER.append(question)
    return lambda ev: ev.once(("of each GPU",), lambda: _all_together(ev))[question]


def _all_together(ev: Evidence) -> dict[Callable[[Evidence], Asked | None], pl.DataFrame | None]:
    asked = [(each, made) for each in _TOGETHER if (made := each(ev)) is not None]
    answers = ask(ev, *(made for _, made in asked))
    return dict.fromkeys(_TOGETHER) | dict(zip((each for each, _ in asked), answers, strict=True))


def in_order(
    rows: pl.DataFrame, key: Sequence[str] = KEY, number: str = "gpu", then: Sequence[str] = ("ts_ns", "seq")
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """``rows`` by what ``key`` tells apart, then by time, then as they were recorded; and whose numbers these are.

    Args:
        rows: The rows; those of one thing lie in order as a rule, and those of several among each other.
        key: Columns that are left out, as a ``number`` takes their place.
        number: The column that is added, to the rows and to the second frame, which has ``key`` for each; numbers
            ascend by ``key``.
        then: Columns, time first, by which rows of one thing are put in order.
    """
    runs = rows.select(pl.struct(key).rle_id()).to_series()
    firsts = rows.select(key).with_columns(run=runs).group_by("run").first()
    things = firsts.group_by(key).agg("run").sort(key, nulls_last=True).with_row_index(number)
    numbers = things.explode("run").sort("run")[number]
    told = numbers.gather(runs)
    ordered = rows.drop(key).with_columns(told)
    if not told.is_sorted():
        # What is alike in all rows is so in any order.
        alike = [each.name for each in rows.drop(key) if _alike(each)]
        ordered = ordered.drop(alike).sort(number, maintain_order=True).with_columns(rows.select(alike))
    late = (pl.col(then[0]).diff() <= 0) & (pl.col(number).diff() == 0) | pl.col(then[0]).is_null()
    in_time = ordered.sort(number, *then) if ordered.select(late.any()).item() else ordered
    return in_time, things.drop("run")


def _alike(values: pl.Series) -> bool:
    if values.null_count():
        return values.null_count() == len(values)
    return values.dtype.is_integer() and values.min() == values.max()


def _ordered(answers: pl.Series, question: Asked) -> pl.DataFrame:
    told = answers.filter(answers.list.len() > 0).explode().struct.unnest()
    return told.sort(question.order(), nulls_last=True)
