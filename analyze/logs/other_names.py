"""Losses and scores by rarer names and in other languages, of logs of which nothing else told of progress.

``sweep 12 energy -3.21``, ``cost after iteration 40: 0.31``, ``エポック 3/30 損失 0.41``. Such a name may be anything's, so
what it tells is read only where a line counts, and the value goes the way that learning takes it. Nobody who prints
losses by a usual name pays for the look.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.reader import ANSI, COLUMNS

if TYPE_CHECKING:
    from inquest.bundle.store import Store

_VALUE: Final = r"(-?(?:\d{1,9}[.,]\d{1,12}(?:[eE][+-]?\d{1,3})?|\d{1,9}[eE][+-]\d{1,3}))"
"""What has neither a point nor an exponent counts something, or is a code."""
_FALLS: Final = (
    r"(?:cost|err(?:or)?(?: ?rate)?|bits(?:/| per )dim|bp[dcb]|nats"
    r"|residual|resid|distortion|deviance|energy|fehler|erreur|errore|p[ée]rdida|perda(?: de treino)?|perdita|kosten|kost"
    r"|損失|誤差|损失|误差|손실|потер[яи]|ошибка|стоимость)"
)
_RISES: Final = r"(?:fitness|score|psnr|ssim|bleu|r2|r\^2|f1(?:[ _-]score)?|m?ap(?:50)?|auc|auroc|m?iou|m?dice|spearman|pearson|ndcg(?:@\d{1,3})?)"
_AT: Final = r"((?: (?:at|after|in|on) (?:iter(?:ation)?|step|epoch) \d{1,9})?)"
_SEP: Final = r"""["']?\s?[:=：]{0,2}\s{0,3}"""
_LINE: Final = rf"(?i)(?:^|[^\w.])(?:{_FALLS}|{_RISES}){_AT}{_SEP}{_VALUE}"
_COUNTERS: Final = (
    (r"第\s?(\d{1,9})\s?(?:轮|輪|次|代|回|エポック)", "epoch $1"),
    (r"第\s?(\d{1,9})\s?步", "step $1"),
    (r"(?:エポック|에포크|эпоха|époque|[ée]poca|epoche)", "epoch"),
    (r"(?:ステップ|步骤|步数|단계|шаг|Durchgang|Iteration|итерация|迭代|generation|Generation)", "step"),
)
"""What counts in other words, and how the reader of plain loops has it."""
_LINES: Final = 200_000
_REPORTS: Final = 5


def renamed(store: Store) -> pl.DataFrame:
    """Lines that tell such a value, with usual names in the place of theirs: ``loss`` for what is to fall, or ``reward``."""
    lines = store.scan("log_lines").select(COLUMNS)
    if lines.select(pl.len()).collect().item() > _LINES:
        return lines.head(0).collect()
    text = pl.col("text")
    found = lines.filter(text.str.contains(_LINE)).collect().sort("node", "capture", "seq")
    if found.height < _REPORTS:
        return found.head(0)
    told = text.str.replace_all(ANSI, "").str.replace_all(r"(\d),(\d)", "$1.$2")
    told = told.str.replace(rf"(?i)(^|[^\w.]){_FALLS}{_AT}{_SEP}{_VALUE}", "$1$2 loss $3")
    told = (
        pl.when(told.str.contains(" loss -?\\d"))
        .then(told)
        .otherwise(told.str.replace(rf"(?i)(^|[^\w.]){_RISES}{_SEP}{_VALUE}", "$1 reward $2"))
    )
    for other, usual in _COUNTERS:
        told = told.str.replace(other, usual)
    return found.with_columns(text=told)


def learned(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` of sources whose count only rises and whose value went the way of learning, from first third to last."""
    place = ["node", "capture", "source", "rank"]
    third = pl.len() // 3
    counts = (pl.col("step").diff() > 0).sum() == pl.len() - 1

    def went(column: str, *, down: bool) -> pl.Expr:
        begin, end = pl.col(column).head(third).median(), pl.col(column).tail(third).median()
        return ((begin > end) if down else (begin < end)).fill_null(value=False)

    good = counts & (pl.len() >= _REPORTS) & (went("loss", down=True) | went("score", down=False))
    return rows.sort("line_seq").filter(good.over(place))
