"""Losses on lines of their own, whose step or epoch stands on a line above: Coqui's blocks, Julia's boxes, luz, Orbit.

What a line like ``Train metrics: Loss: 2.31`` belongs to, only the line above it tells. Such lines above are looked for
where a source tells losses and nothing else says which step they are of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.step_rows import parsed

if TYPE_CHECKING:
    from inquest.bundle.store import Store

_NUM: Final = r"(-?(?:nan|NaN|inf|\d[\d.]*(?:[eEf][+-]?\d+)?))"
_LOSS: Final = rf"(?i)(?:^|[\s,;|>│_])[a-z]{{0,24}}loss(?:_avg|_mean)?(?:\W{{1,4}}| {{5,24}}){_NUM}(?:[\s,;|)}}%-]|$)"
_VALIDATES: Final = r"(?i)(?:^|[^a-z])(?:val|valid|validate|validation|eval|evaluation|test|dev)(?:[^a-z]|$)"
_COUNTED: Final = r"(?i)(?:^|[^a-z])(?:step|iter|iteration|epoch|batch|update|round)\W{0,3}\d|\d ?/ ?\d|\d%"
"""What counts by itself, here or elsewhere."""
_HEAD: Final = (
    r"(?i)^(?:I\d{4} [\d:.]{8,20} +\d{1,10} [\w.-]{1,60}:\d{1,6}\] )?"
    r"(?:\W|\d|time|info|debug|train(?:ing)?|learning|begin(?:ning)?|start(?:ing)?){0,48}?"
    r"(?:global[_ ]?step|step|iteration|iter|epoch)\W{1,12}(\d{1,12})(?: ?(?:/|of) ?(\d{1,12}))?"
    r"(?: (?:finished|done|complete|completed|took \d[\d.]{0,9} ?s?))?(?:\W{1,6}global_step\W{1,3}(\d{1,12}))?"
    r"(?: \| steps/sec: +[\d.]{1,12} \| output:)?\W{0,48}$"
)
"""Such a line; absl's stamp may stand before it, and Orbit's rate (orbit/controller.py) behind it."""
_PLAYS: Final = r"(?i)(?:value(?:[_ ]function)?|surrogate|policy|actor|critic|entropy|gen\w{0,6}|disc\w{0,9})[_ ]loss"
"""Losses of one who plays for rewards, or against another: they are no curve to judge (rsl_rl, legged_gym)."""
_REWARD: Final = r"(?i)^\W{0,60}mean (?:total |episode |extrinsic )?(?:reward|return) ?[:=] {0,4}(-?\d[\d.]{0,15})\s*$"
_SCORE: Final = r"(?i)(?:^|[\s/|])episode/(?:score|return|reward) {1,4}(-?\d[\d.]{0,15})(?:\s|$)"
"""The same of an agent that names several values in a line: ``episode/length 500 / episode/score 3.13`` (DreamerV3)."""
_BELOW: Final = 12
"""How far below such a line its losses may stand."""
_REPORTS: Final = 3
_STARTS: Final = 10
_LINES: Final = 50_000


def under_heads(store: Store, lines: pl.DataFrame) -> pl.DataFrame:
    """Those of ``lines`` under a line that counts, with its ``step``, ``total_steps`` and ``epochs``.

    What they tell is in ``loss``, ``eval_loss`` and ``score``.

    Args:
        store: The recorded tables.
        lines: Lines of sources of which nothing else told a step.
    """
    text, place = pl.col("text"), ["node", "capture", "source"]
    told = lines.filter(
        (text.str.contains(_LOSS) & ~text.str.contains(_COUNTED) & ~text.str.contains(_PLAYS))
        | text.str.contains(_REWARD)
        | text.str.contains(_SCORE)
    ).tail(_LINES)
    told = told.filter(pl.len().over(place) >= _REPORTS)
    if told.is_empty():
        return told
    span = told.select(low=pl.col("seq").min() - _BELOW, high=pl.col("seq").max()).row(0)
    heads = (
        store.scan("log_lines")
        .filter(pl.col("seq").is_between(*span))
        .select(*place, at="seq", head=text.str.replace_all(ANSI, ""))
        .filter(pl.col("head").str.contains(_HEAD))
        .head(_LINES)
        .collect()
    )
    if heads.is_empty():
        return told.clear()
    counted = pl.col("head").str.extract_groups(_HEAD).struct
    rows = told.sort("seq").join_asof(
        heads.sort("at"), left_on="seq", right_on="at", by=place, strategy="backward", check_sortedness=False
    )
    loss = parsed(text.str.extract(_LOSS))
    validates = text.str.contains(_VALIDATES)
    rows = rows.filter(pl.col("seq") - pl.col("at") <= _BELOW).with_columns(
        # The count of the run, where that of its epoch stands before it.
        step=pl.coalesce(counted.field("3"), counted.field("1")).cast(pl.Int64, strict=False),
        total_steps=pl.when(counted.field("3").eq_missing(counted.field("1")) | counted.field("3").is_null())
        .then(counted.field("2"))
        .cast(pl.Int64, strict=False),
        epochs=pl.col("head").str.contains(r"(?i)epoch") & ~pl.col("head").str.contains(r"(?i)step|iter"),
        validates=validates,
        loss=pl.when(~validates).then(loss),
        eval_loss=pl.when(validates).then(loss),
        score=pl.coalesce(text.str.extract(_REWARD), text.str.extract(_SCORE)).cast(pl.Float64, strict=False),
    )
    # The first of a block is the whole; its parts stand below it.
    rows = rows.with_columns(rewarded=pl.col("score").is_not_null() & pl.col("loss").is_null())
    rows = rows.unique([*place, "at", "validates", "rewarded"], keep="first", maintain_order=True)
    falls = (pl.col("step").diff() < 0).sum()  # where it was started again
    rises = (falls * _STARTS <= pl.len()) & (pl.col("step").n_unique() >= _REPORTS)
    return rows.filter(rises.over(place)).drop("at", "head", "validates", "rewarded")
