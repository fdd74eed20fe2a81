"""Reports of programs in words of their own, by the form of their lines and by the way that their numbers go.

Asked where nothing else told of training: whoever prints losses by a usual name does not pay for the look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.form_values import MORE, told_by
from inquest.analyze.logs.forms import REPORTS, count, count_by_lines_above, forms_of, name_by_head
from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.unnamed_losses import READ

if TYPE_CHECKING:
    from inquest.bundle.store import Store

_LINES: Final = 20_000
_WIDTH: Final = 600
_PROBED: Final = 1500


def by_forms(store: Store) -> pl.DataFrame:
    """Lines with ``step``, ``total_steps`` where they tell it, ``loss``, ``eval_loss`` and ``score``."""
    rows = _told_ranks(_last_said(store).with_columns(plain="text"))
    found: list[tuple[Any, ...]] = []
    for _, group in rows.sort("seq").group_by("node", "capture", "source", "rank", maintain_order=True):
        # A long log that tells of no training at either end is not read whole for it.
        probe = group if group.height <= 2 * _PROBED else pl.concat([group.head(_PROBED), group.tail(_PROBED)])
        if group.height >= REPORTS and (rows_told := _read(probe)):
            found += rows_told if probe is group else _read(group)
    told = pl.DataFrame(found, schema=READ | dict.fromkeys(MORE, pl.Float64), orient="row")
    return rows.drop("plain").join(told, on=["node", "capture", "seq"], how="inner", maintain_order="left")


def _last_said(store: Store) -> pl.DataFrame:
    """The last lines that are not blank, without what colours them."""
    text = pl.col("text")
    lines = store.scan("log_lines")
    clear = text.str.slice(0, _WIDTH).str.replace_all(ANSI, "")

    def said(rows: pl.LazyFrame) -> pl.DataFrame:
        return rows.filter(text.str.contains(r"\S")).tail(_LINES).with_columns(text=clear).collect()

    # Most logs have few blank lines: the whole of one is looked through only where the end of it is not enough.
    late = said(lines.tail(2 * _LINES))
    enough = late.height == _LINES or lines.select(pl.len()).collect().item() <= 2 * _LINES
    return late if enough else said(lines)


def _read(group: pl.DataFrame) -> list[tuple[Any, ...]]:
    texts = group["plain"].to_list()
    forms = forms_of(texts)
    for form in forms:
        name_by_head(form, texts)
        count(form)
    count_by_lines_above(forms, group["seq"].to_list())
    told = told_by([form for form in forms if form.steps is not None])
    where = group.select("node", "capture", "seq").rows()
    return [(*where[row], *values) for row, values in sorted(told.items())]


def _told_ranks(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with the rank by which their lines begin, where these count from 0 without a gap and take turns."""
    told = rows.select(told=pl.when(pl.col("rank").is_null()).then(pl.col("plain").str.extract(_RANK).cast(pl.Int64)))
    ranks = told["told"].drop_nulls()
    if len(ranks) < REPORTS or not 2 <= ranks.n_unique() == int(ranks.max() or 0) + 1:  # type: ignore[arg-type]
        return rows
    turns = (ranks.diff().drop_nulls() != 0).sum()
    if 2 * turns < len(ranks) or ranks.value_counts()["count"].min() * ranks.n_unique() < _ALIKE * len(ranks):  # type: ignore[operator]
        return rows
    begins = pl.col("told").is_not_null()
    return (
        rows.hstack(told)
        .with_columns(
            plain=pl.when(begins).then(pl.col("plain").str.replace(_RANK, "")).otherwise("plain"),
            rank=pl.coalesce("rank", "told"),
            rank_by=pl.when(begins).then(pl.lit("text")).otherwise("rank_by"),
        )
        .drop("told")
    )


_CLOCK: Final = r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?\s+"
"""When a line was written, which may stand before whose it is."""
_RANK: Final = (
    rf"^(?:{_CLOCK})?\W{{0,2}}(?i:rank|proc(?:ess)?|worker|gpu|device|[rpw])[ _#:=-]?(\d{{1,4}})\b[\]):|,]?\s+"
)
_ALIKE: Final = 0.8
"""Ranks report about as often as each other."""
