"""Training progress as bars show it: which bars are of a training, and which of two around each other counts."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from typing import Final

import polars as pl

from inquest.analyze.logs.framework_steps import YOLO
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.loop_clocks import agreed, loop_clocks
from inquest.analyze.logs.step_rows import CRITERIA, LOSS_WORD, as_steps, integer_of, no_steps, number_of, parsed, where
from inquest.analyze.logs.step_times import step_times
from inquest.bundle.timers import CLOCKS, COMPUTE, DATA, STEP

_UNIT: Final = r"(?:it|b|bt|mb|(?:mini)?batch(?:es)?|steps?|iters?|iterations?|upd(?:ate)?s?|epochs?|rounds?|schritte?|pas|pasos?|passos?|lots?|шаг|пакет)"
"""What a bar of training counts; samples and bytes are counted by bars of data."""
_BAR: Final = rf"(\d{{1,12}})/(\d{{1,12}}) \[(\d+:\d\d(?::\d\d)?)<([\d:?]+), +(?:([\d.]+|\?) ?({_UNIT}/s|s/{_UNIT})|[A-Za-z_][\w ]{{0,40}}=)"
_BAR_LOSS: Final = rf"(?i)(?:(?:^|[ ,]\s?)(?:(?:{LOSS_WORD}|t)[_ /]?){{0,2}}loss(?:_(?:mean|avg|ema|smooth(?:ed)?|step|epoch))?=|^Loss: )(-?(?:nan|inf|\d[\d.]*(?:e[+-]?\d+)?))"
"""Rasa calls the total of its losses ``t_loss``; Lightning puts ``_step`` or ``_epoch`` behind the name of a metric.
 After the bar, or before it as torchtune puts it: ``1|25|Loss: 2.3: ``."""
_BAR_CRITERION: Final = (
    r"(?i)[ ,\[](?:(?:train|noise|recon(?:struction)?|pixel|policy|value|batch|mean|avg|ema)_)?"
    rf"(?:{CRITERIA}|rmse|nll|elbo|perplexity|ppl|bpd|bpc)=(-?(?:nan|inf|\d[\d.]*(?:e[+-]?\d+)?))"
)
"""What a loop calls its loss by the criterion that it is."""
_OF_OTHERS: Final = r"(?i)\b(?:val(?:id(?:ation)?)?|eval(?:uation)?|test|dev)[ /]loss(?:_(?:step|epoch))?="
"""The loss of an evaluation, by a name of two words: the second alone is that of training."""
_BAR_STATE: Final = r"(?:(?i:[\w /.-]{0,40}loss) ?[=:][^\r\]]{1,160}\| ?:? {0,4})?(?:[^\r|]{0,60}\|[^|\r]{0,300}\| ?)?\d{1,12}/\d{1,12} \[\d+:\d\d(?::\d\d)?<[^\]\r]{0,400}\]"
"""What stands before it may have strokes of its own: ``loss=0.07| lr=3e-4| :  4%|#   | 25/600 [...]``."""
NOT_TRAINING: Final = (
    r"(?i)Writing|Loading|Generating|\bMap\b|Map \(|Sanity|Valid|\bEval|\bTest|Download|Fetching|Tokeniz|Filter|Predict"
    r"|Resolving|Creating|Saving|Materializ|Converting|Packing|Truncating|Extract|Casting|Inference|Upload|Grouping|Adding"
    r"|Applying|Building|Preprocess|Processing|Reading|Caching|Computing|Collect"
)
_TRAINING: Final = r"(?i)train|epoch|\bsteps?\b|\biter|loss ?[:=]"


def bar_steps(lines: pl.DataFrame) -> pl.DataFrame:
    """States of training bars; several states may be glued into one line."""
    # A bar that says what it does is taken by its word; a bare one is training if it is the longest of its source.
    named = pl.col("head").str.contains(_TRAINING) | pl.col("text").str.contains(r"(?i)loss ?=")
    bare = ~pl.col("head").str.contains(r"[A-Za-z]{2}")
    other = pl.col("head").str.contains(NOT_TRAINING) & ~pl.col("head").str.contains(r"(?i)\btrain|\bepoch")
    bar = pl.col("bar").struct
    rows = (
        lines.lazy()
        .filter(pl.col("text").str.contains(_BAR) & ~pl.col("text").str.contains(YOLO))
        .with_columns(text=pl.col("text").str.extract_all(_BAR_STATE))
        .filter(pl.col("text").list.len() > 0)
        .with_columns(sub=pl.int_ranges(pl.col("text").list.len()))
        .explode("text", "sub")
        .with_columns(bar=pl.col("text").str.extract_groups(_BAR), head=pl.col("text").str.replace(r"\d+/\d+ \[.*", ""))
        .with_columns(
            step=bar.field("1").cast(pl.Int64, strict=False), total=bar.field("2").cast(pl.Int64, strict=False)
        )
        .with_columns(named=named, bare=bare, other=other)
        .filter(~pl.col("other") & pl.any_horizontal("named", "bare"))
        .collect(engine="streaming")  # row by row on all cores; in memory, one expression runs on one
    )
    if rows.is_empty():
        return no_steps()
    if not rows["named"].all():
        longest = pl.col("total").filter(~pl.col("named")).max().over("node", "capture", "source")
        any_named = pl.col("named").any().over("node", "capture", "source")
        # Where no metric stands beside it, a bare bar that ran to its end may be any loop: a data set being read, say.
        metrics = lines.filter(pl.col("text").str.contains(r"(?i)loss"))["source"].unique()
        unfinished = pl.col("step").max().over("node", "capture", "source", "total") < pl.col("total")
        trained = pl.col("source").is_in(metrics.implode()) | unfinished
        rows = rows.join(
            _evaluations(lines, rows), on=[*_PLACE, "total"], how="anti", nulls_equal=True, maintain_order="left"
        )
        rows = rows.filter(pl.col("named") | (~any_named & trained & (pl.col("total") == longest)))
    rows = _innermost(rows)
    rate = parsed(bar.field("5"))
    rate = pl.when(bar.field("6").str.starts_with("s/")).then(rate).when(rate > 0).then(1 / rate)
    rows = pl.concat([rows, loop_clocks(rows["text"]).rename(lambda name: f"clock.{name}")], how="horizontal")
    parts = {name: pl.col(f"clock.{name}") for name in CLOCKS}
    # Beside a bar, too, a loop tells what it waits for its data: data_time=11.4.
    rows, timed = step_times(rows)
    parts[DATA] = pl.coalesce(parts[DATA], timed[DATA])
    # The rate is a mean; of parts that are told as they were last, their sum is the whole.
    parts[STEP] = pl.when(parts[DATA].is_null() | parts[COMPUTE].is_null()).then(pl.coalesce(rate, parts[STEP]))
    found = as_steps(
        rows,
        Kind.BAR,
        "tqdm",
        sub=pl.col("sub"),
        step=pl.col("step"),
        total_steps=pl.col("total"),
        **where(
            rows,
            "(?i)epoch",
            epoch=number_of(r"(?i)epoch\D{0,3}(\d{1,6})"),
            total_epochs=integer_of(r"(?i)epochs?[ :=\[(]{0,3}\d{1,6} ?(?:/|of) ?(\d{1,6})\b"),
        ),
        **where(
            rows,
            rf"(?i)loss(?:_\w{{3,8}})?[=:]|{_BAR_CRITERION}",
            loss=parsed(
                pl.coalesce(
                    pl.col("text").str.replace_all(_OF_OTHERS, "").str.extract(_BAR_LOSS),
                    pl.col("text").str.extract(_BAR_CRITERION),
                )
            ),
        ),
        **where(
            rows,
            "(?i)val",
            eval_loss=number_of(r"(?i)val(?:id(?:ation)?)?[_/]loss(?:_epoch)?=(-?(?:nan|inf|\d[\d.]*(?:e[+-]?\d+)?))"),
        ),
        **where(rows, "(?i)lr=", lr=number_of(r"(?i)\blr=(\d[\d.]*(?:e[+-]?\d+)?)")),
        **agreed(parts),
    )
    found = pl.concat([no_steps(), found], how="diagonal")
    same = [
        pl.col(name).eq_missing(pl.col(name).shift())
        for name in ("step", "total_steps", "loss", "epoch", "source", "rank")
    ]
    return found.filter(~pl.all_horizontal(same).fill_null(value=False))


def _evaluations(lines: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Lengths of bare bars that an evaluation draws: its numbers stand right below, and no loss of training within.

    An evaluation may be longer than a training that is cut short. Only where another bar has such losses within: of two
    that are alike nothing says which is of training.
    """
    bare = rows.filter(~pl.col("named"))
    place, text = pl.struct(_PLACE), pl.col("text")
    if bare.select(_PLACE[-1], "total").n_unique() < 2:
        return bare.select(*_PLACE, "total").clear()
    told = lines.filter(pl.col("source").is_in(bare["source"].unique().implode()))
    evaluated = text.str.contains(_EVALUATED)
    told = told.filter(evaluated | text.str.contains(_A_LOSS)).select(*_PLACE, at="seq", evaluated=evaluated)
    parts = (
        bare.sort(*_PLACE, "seq", maintain_order=True)
        .with_columns(part=pl.struct(place, "total").rle_id())
        .group_by(*_PLACE, "total", "part")
        .agg(low=pl.col("seq").min(), high=pl.col("seq").max())
    )
    below = pl.col("evaluated") & pl.col("at").is_between(pl.col("high"), pl.col("high") + _BELOW)
    within = ~pl.col("evaluated") & pl.col("at").is_between(pl.col("low"), pl.col("high"))
    bars = (
        parts.join(told, on=_PLACE, how="left", nulls_equal=True)
        .group_by(*_PLACE, "total")
        .agg(below=below.any(), within=within.any())
        .with_columns(other=pl.col("within").any().over(_PLACE))
    )
    return bars.filter("below", "other", ~pl.col("within")).select(*_PLACE, "total")


_PLACE: Final = ["node", "capture", "source"]
_BELOW: Final = 4
"""Lines below a bar in which an evaluation tells what it found."""
_EVALUATED: Final = r"(?i)\b(?:eval|val|valid|validation|test|dev)(?:uation)?[_ ](?:loss|acc|f1|score|runtime|metric)"
_A_LOSS: Final = r"(?i)(?:^|[^\w])['\"]?(?:train_)?loss['\"]?\s?[:=]"


def _innermost(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` without the bars around others: of two that go on at the same time, the one that moves counts steps."""
    place = ["node", "capture", "source", "rank", "speaker"]
    rows = rows.with_columns(form=pl.col("head").str.replace_all(r"\d+.*", "").str.strip_chars())
    forms = rows.group_by(*place, "form").agg(low=pl.col("seq").min(), high=pl.col("seq").max(), moves=pl.len())
    beside = forms.join(forms, on=place, how="inner", nulls_equal=True, suffix="_in").filter(
        (pl.col("moves_in") > _MOVES * pl.col("moves"))
        & (pl.col("low_in") <= pl.col("high"))
        & (pl.col("high_in") >= pl.col("low"))
    )
    return rows.join(beside, on=[*place, "form"], how="anti", nulls_equal=True, maintain_order="left").drop("form")


_MOVES: Final = 3
"""How much oftener the inner of two bars moves, at the least."""
