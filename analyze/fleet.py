"""Answers of many nodes to one question: below each other, and who is unlike the others.

A value is an outlier when its modified z-score, 0.6745 |x - median| / MAD, is above 3.5 (Iglewicz and Hoaglin, "How to
Detect and Handle Outliers", 1993). Median and MAD hold although nearly half of the nodes may be odd. Where more than
half of the values are equal the MAD is zero; the mean distance from the median then takes its place, as the same
authors have it (1.2533 of it for 1.4826 of the MAD).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OUTLIER: Final = "outlier"
"""Column that names, comma-separated, the columns in which a row is an outlier."""

LEAST_ROWS: Final = 5
"""With fewer values a median says nothing about who is odd."""

CUT: Final = 3.5
_NUMBERS_THAT_NAME: Final = frozenset(
    (
        *("seq", "line_seq", "pid", "ppid", "tid", "rank", "local_rank", "procid", "task", "attempt"),
        *("stack_id", "link", "gpu_index", "master_port"),
    )
)
"""Numbers that name a thing: being far from the others says nothing about it."""


def union(answers: Mapping[str, Sequence[Mapping[str, Any]]]) -> pl.DataFrame:
    """All rows in the order of the nodes, with a first column ``node`` (``host`` where the answer has a ``node``)."""
    columns: dict[str, None] = {}
    for rows in answers.values():
        for row in rows:
            columns.update(dict.fromkeys(row))
    who = "node" if "node" not in columns else "host"
    data: dict[str, list[Any]] = {who: [host for host, rows in answers.items() for _ in rows]}
    for name in columns:
        if name != who:
            data[name] = [row.get(name) for rows in answers.values() for row in rows]
    return pl.DataFrame([_series(name, values) for name, values in data.items()])


def _series(name: str, values: list[Any]) -> pl.Series:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and float in kinds:
        return pl.Series(name, [None if v is None else float(v) for v in values], pl.Float64)
    if kinds == {int} and all(v is None or -(1 << 63) <= v < 1 << 63 for v in values):
        return pl.Series(name, values, pl.Int64)
    if kinds == {bool}:
        return pl.Series(name, values, pl.Boolean)
    return pl.Series(name, [v if v is None or isinstance(v, str) else str(v) for v in values], pl.String)


def mark_outliers(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with the column ``outlier``; null where a row is like the others, or where too few are there to tell."""
    marks = [
        pl.when(_far(pl.col(name))).then(pl.lit(name))
        for name, dtype in rows.schema.items()
        if dtype.is_numeric() and name not in _NUMBERS_THAT_NAME and rows[name].drop_nulls().len() >= LEAST_ROWS
    ]
    if not marks:
        return rows.with_columns(pl.lit(None, pl.String).alias(OUTLIER))
    named = pl.concat_str(marks, separator=",", ignore_nulls=True)
    return rows.with_columns(pl.when(named != "").then(named).alias(OUTLIER))


def _far(values: pl.Expr) -> pl.Expr:
    values = pl.when(values.is_finite()).then(values.cast(pl.Float64))
    distance = (values - values.median()).abs()
    mad = distance.median() / 0.6745
    scale = pl.when(mad > 0).then(mad).otherwise(1.253314 * distance.mean())
    return (scale > 0) & (distance > CUT * scale)
