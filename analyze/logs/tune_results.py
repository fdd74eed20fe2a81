"""What Ray Tune prints of a trial's results: a block of YAML (RLlib's, Tune's old output), or a table (its new one).

The block is headed by the trial's name, and tells its iteration and its return on lines of their own; so does the
table, whose head counts the iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.step_rows import number_of

if TYPE_CHECKING:
    from inquest.bundle.store import Store

_BEFORE: Final = r"^(?:\([^()]{1,120}\) )?"
_HEAD: Final = (
    rf"{_BEFORE}(?:Result for (?P<block>[A-Za-z0-9_.-]{{1,160}}):"
    r"|Trial (?P<table>[A-Za-z0-9_.-]{1,160}) finished iteration (?P<at>\d{1,9}) at )"
)
_VALUE: Final = (
    rf"{_BEFORE}(?:  |[│|] )(?:env_runners/|sampler_results/)?"
    r"(?P<name>training_iteration|episode_(?:reward|return)_mean|mean_loss|loss|train_loss)(?:: | {2,60})"
    r"(?P<value>-?(?:nan|inf|\d[\d.]{0,24}(?:e[+-]?\d{1,3})?))(?: {0,40}[│|])?\s*$"
)
_LINES: Final = 200_000
_WITHIN: Final = 600
"""Lines of a block, at the most."""
_REPORTS: Final = 3


def tune_results(store: Store) -> pl.DataFrame:
    """A row of each result of the best trial: the line of its head, with ``step``, ``loss`` and ``score``."""
    text = pl.col("text")
    names = ["node", "capture", "source"]
    lines = store.scan("log_lines").filter(text.str.contains(rf"{_HEAD}|{_VALUE}")).head(_LINES).collect()
    lines = lines.with_columns(text=text.str.replace_all(ANSI, "")).sort("seq")
    heads = text.str.extract_groups(_HEAD).struct
    lines = lines.with_columns(
        trial=pl.coalesce(heads.field("block"), heads.field("table")), at=heads.field("at").cast(pl.Int64)
    )
    if lines["trial"].drop_nulls().is_empty():
        return lines.clear()
    headed = lines.with_columns(head=pl.when(pl.col("trial").is_not_null()).then(pl.col("seq")))
    headed = headed.with_columns(pl.col("head").forward_fill().over(names))
    values = headed.filter(pl.col("trial").is_null() & (pl.col("seq") - pl.col("head") <= _WITHIN))
    named = values.with_columns(name=text.str.extract(_VALUE, 1), text=text.str.extract(_VALUE, 2))
    value = number_of(r"^(.+)$")

    def first(*which: str) -> pl.Expr:
        return pl.col("value").filter(pl.col("name").is_in(which)).first()

    told = (
        named.with_columns(value=value)
        .group_by(*names, "head")
        .agg(
            count=first("training_iteration"),
            score=first("episode_reward_mean", "episode_return_mean"),
            loss=first("mean_loss", "loss", "train_loss"),
        )
    )
    rows = lines.filter(pl.col("trial").is_not_null()).join(
        told, left_on=[*names, "seq"], right_on=[*names, "head"], how="left", maintain_order="left"
    )
    rows = rows.with_columns(step=pl.coalesce("at", pl.col("count").cast(pl.Int64, strict=False)))
    rows = rows.filter(pl.col("step").is_not_null())
    # What a search wants is one that learns: results of several trials one after the other are no curve.
    last = rows.with_columns(worth=pl.coalesce("score", -pl.col("loss"))).drop_nulls("worth").group_by("trial")
    best = last.agg(pl.col("worth").last()).sort("worth", "trial", descending=[True, False])["trial"]
    if rows["trial"].n_unique() > 1 and len(best):
        rows = rows.filter(pl.col("trial") == best[0])
    return rows.with_columns(speaker=pl.lit(None, pl.String)) if rows.height >= _REPORTS else rows.clear()
