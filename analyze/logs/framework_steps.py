"""Training progress in shapes that only one framework prints: trainers, their bars and boxes, boosted trees."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from typing import Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.step_rows import (
    EVAL_LOSS,
    LOSS,
    NUM,
    accuracies,
    as_steps,
    first_number,
    integer_of,
    no_steps,
    number_of,
)

ROUND: Final = r"^(?:\[?(?:20)?\d\d[-:/][^\]\t]{2,30}\]? )?(?:\[(\d{1,9})\]|(\d{1,9}):)\t"
"""A round of a library of boosted trees, as it begins a line; XGBoost's command puts a clock before it."""
_TREES: Final = r"^\[(\d{1,9})/(\d{1,9})\] \d{1,9} trees?, \d{1,9} leaves"
_FALLS: Final = r"(?:-|'s )(?:[a-z_]{0,24}(?:rmse|rmsle|mae|mape|mphe|error|loss|nloglik|deviance|entropy)|l1|l2|huber|fair|quantile|poisson|gamma|tweedie|kullback_leibler|hinge)(?:@[\d.]{1,8})?: ?"
_FALLS_OF: Final = rf"{_FALLS}|: "
"""Between a set's name and its metric's value: XGBoost's, LightGBM's and CatBoost's way."""
_RISES: Final = (
    r"(?:-|'s )(?:auc|aucpr|auc_mu|average_precision|map|mean_average_precision|ndcg|pre)(?:@[\d.]{1,8})?: ?"
)
_OF_COMMAND: Final = r"^(?:\[LightGBM\] \[Info\] )?Iteration:(\d{1,9}), (\w{1,60}) ([\w@.]{1,60}) : "
"""What LightGBM's command says of a round, a line for each set and metric (src/boosting/gbdt.cpp, ``OutputMetric``)."""
_PRINTS_ITS_LAST: Final = r"\t[\w-]{1,60}-[\w@.]{1,60}:-?[\d.]|^\d{1,9}:\tlearn: "
MEGATRON: Final = (
    r"iteration +\d+/ *\d+ \|.*(?:consumed samples: |elapsed time per iteration|number of skipped iterations)"
)
_BOX: Final = r"^\| +(?:total_timesteps|ep_rew_mean|value_loss) +\| -?\d"
_METRICS_BELOW: Final = 12
"""Lines beside a bar or a number of a step that may hold its metrics."""


def huggingface(lines: pl.DataFrame, bars: pl.DataFrame) -> pl.DataFrame:
    """HF Trainer and its family: dict lines without a step; the bar beside the line gives it."""
    rows = lines.filter(
        pl.col("text").str.contains(r"\{'[^}]*'epoch': ") & ~pl.col("text").str.contains("'train_runtime'")
    )

    def value(key: str) -> pl.Expr:
        return number_of(rf"'{key}': '?{NUM}")

    rows = rows.with_columns(loss=value("loss"), eval_loss=value("eval_loss"), grad=value("grad_norm"))
    rows = rows.filter(
        pl.any_horizontal(pl.col("loss", "eval_loss").is_not_null()) | pl.col("text").str.contains("'reward'")
    )
    # With the NaN filter on, the Trainer prints loss 0 beside a NaN gradient: the loss was NaN.
    hidden = (pl.col("loss") == 0) & pl.col("grad").is_nan().fill_null(value=False)
    found = as_steps(
        rows,
        Kind.STEP,
        "huggingface",
        epoch=value("epoch"),
        loss=pl.when(hidden).then(float("nan")).otherwise(pl.col("loss")),
        eval_loss=pl.col("eval_loss"),
        score=value("reward"),
        grad_norm=pl.col("grad"),
        lr=value("learning_rate"),
        tokens_per_s=value("train_tokens_per_second"),
        step_time_s=value("step_time"),
        step=integer_of(r"(\d{1,12})/\d{1,12} \[[^\]]*\]\s*\{'"),
        total_steps=integer_of(r"\d{1,12}/(\d{1,12}) \[[^\]]*\]\s*\{'"),
    ).with_columns(
        kind=pl.when(pl.col("loss").is_null() & pl.col("eval_loss").is_not_null())
        .then(pl.lit(str(Kind.VALIDATION)))
        .otherwise("kind")
    )
    if bars.is_empty():
        return _with_summary(lines, found)
    if found.is_empty():
        return found
    states = bars.select(
        "node", "capture", "source", "line_seq", bar_seq="line_seq", bar_step="step", bar_total="total_steps"
    )
    near = found.sort("line_seq").join_asof(
        states.sort("line_seq"),
        on="line_seq",
        by=["node", "capture", "source"],
        strategy="backward",
        check_sortedness=False,
    )
    close = pl.col("line_seq") - pl.col("bar_seq") <= 2
    near = near.with_columns(
        step=pl.coalesce("step", pl.when(close).then("bar_step")),
        total_steps=pl.coalesce("total_steps", pl.when(close).then("bar_total")),
    ).drop("bar_seq", "bar_step", "bar_total")
    # Buffered output comes in lumps: lines of different epochs beside one bar state do not belong to it.
    lump = pl.col("epoch").n_unique().over("node", "capture", "source", "step") > 1
    return near.with_columns(step=pl.when(~lump).then("step"))


def _with_summary(lines: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """``found``, and how many steps the final summary tells of, where no line tells a step.

    It gives the time, and the planned steps a second (transformers/trainer_utils.py, speed_metrics), both rounded: their
    product is the number of steps where the rounding leaves no other.
    """
    summary = r"'train_runtime': '?([\d.]+)'?,.*'train_steps_per_second': '?([\d.]+)"
    told = lines.filter(pl.col("text").str.contains(summary))
    if told.is_empty() or found["step"].is_not_null().any():
        return found
    seconds, rate = number_of(summary), number_of(summary, 2)
    slack = (_rounding(summary, 1) * rate + _rounding(summary, 2) * seconds) * _BOTH
    steps = (seconds * rate).round()
    exact = (slack < 1 / 2) & ((seconds * rate - steps).abs() <= slack) & (steps >= 1)
    told = told.filter(exact)
    count = steps.cast(pl.Int64)
    ends = as_steps(told, Kind.STEP, "huggingface", step=count, total_steps=count)
    return pl.concat([found, ends], how="diagonal") if told.height else found


_BOTH: Final = 1.01
"""A little more than the roundings of two factors make the product differ by."""


def _rounding(regex: str, group: int) -> pl.Expr:
    """Half of the last digit that is printed of a number."""
    digits = pl.col("text").str.extract(regex, group).str.extract(r"\.(\d*)$").str.len_chars().fill_null(0)
    return 0.5 / pl.lit(10.0).pow(digits.cast(pl.Float64))


def megatron(lines: pl.DataFrame) -> pl.DataFrame:
    """Megatron-LM: the field ``lm loss`` is left out when it is NaN, unless the iterations were skipped."""
    shape = r"iteration +(\d+)/ *(\d+) \|"
    rows = lines.filter(pl.col("text").str.contains(MEGATRON))
    skipped = integer_of(r"number of skipped iterations: +(\d+)").fill_null(0)
    # Forks of it have other names: where any loss is told, none was left out.
    loss = number_of(rf"lm[ _]loss: {NUM}").fill_null(number_of(rf"\| (?:\w{{1,40}}[ _])?loss: {NUM}"))
    lost = loss.is_null() & (skipped == 0) & pl.col("text").str.contains("number of nan iterations")
    return as_steps(
        rows,
        Kind.STEP,
        "megatron",
        step=integer_of(shape),
        total_steps=integer_of(shape, 2),
        loss=pl.when(lost).then(float("nan")).otherwise(loss),
        grad_norm=number_of(rf"grad norm: {NUM}"),
        lr=number_of(rf"learning rate: {NUM}"),
        loss_scale=number_of(rf"loss scale: {NUM}"),
        step_time_s=number_of(r"elapsed time per iteration \(ms\): ([\d.]+)") / 1000,
    )


def deepspeed(lines: pl.DataFrame) -> pl.DataFrame:
    """DeepSpeed at INFO: steps and rates; it prints no loss itself, and the loop's own may stand right below."""
    shape = r"\bstep=(\d+), skipped=|/global_step=(\d+), "
    rows = _with_a_bare_loss(lines, lines.filter(pl.col("text").str.contains(shape)))
    told = {"loss": pl.col("bare_loss")} if "bare_loss" in rows.columns else {}
    return as_steps(
        rows,
        Kind.STEP,
        "deepspeed",
        step=pl.coalesce(integer_of(shape, 1), integer_of(shape, 2)),
        lr=number_of(rf"lr=\[{NUM}"),
        samples_per_s=number_of(r"CurrSamplesPerSec=([\d.]+)"),
        **told,
    )


def _with_a_bare_loss(lines: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Counts with the loss of the line that follows each of them, where all of these lines begin with it alone."""
    bare = lines.filter(pl.col("text").str.contains(_BARE_LOSS))
    if rows.is_empty() or bare.is_empty():
        return rows
    place = ["node", "capture", "source"]
    bare = bare.select(*place, pl.col("seq").alias("at"), number_of(_BARE_LOSS).alias("bare_loss")).sort("at")
    found = rows.sort("seq").join_asof(
        bare, left_on="seq", right_on="at", by=place, strategy="forward", check_sortedness=False
    )
    near = (pl.col("at") - pl.col("seq") <= _RIGHT_BELOW) & (
        pl.col("at") < pl.col("seq").shift(-1).over(place)
    ).fill_null(value=True)
    return found.with_columns(bare_loss=pl.when(near).then("bare_loss")).drop("at")


_BARE_LOSS: Final = rf"(?i)^\W{{0,3}}(?:train(?:ing)?[_ ]?)?(?:lm[_ ]?)?loss[ :=]{{1,3}}{NUM}(?:[\s,;|]|$)"
"""A line that begins with a loss, and counts nothing itself."""
_RIGHT_BELOW: Final = 3


def keras(lines: pl.DataFrame) -> pl.DataFrame:
    """Keras: ``Epoch k/n`` on a line of its own, then batches and metrics of that epoch."""
    head = r"^Epoch (\d+)/(\d+)\s*$"
    shape = r"(\d+)/(\d+) .*?- loss: "
    rows = lines.filter(pl.col("text").str.contains(f"{head}|{shape}")).with_columns(
        epoch_now=integer_of(head).forward_fill().over("node", "capture", "source"),
        epochs=integer_of(head, 2).forward_fill().over("node", "capture", "source"),
    )
    rows = rows.filter(pl.col("text").str.contains(shape) & pl.col("epoch_now").is_not_null())
    # What is evaluated below the last epoch draws a bar of its own: of another length, or begun anew.
    epoch = ["node", "capture", "source", "epoch_now"]
    done, total = integer_of(shape), integer_of(shape, 2)
    anew = (done.cum_max().over(epoch) >= total) & (2 * done < total)
    rows = rows.filter((total == total.first().over(epoch)) & ~anew.cum_max().over(epoch))
    # A bar's states of one epoch overwrite each other: the last one holds the epoch's values.
    rows = rows.filter(
        (pl.col("epoch_now") != pl.col("epoch_now").shift(-1).over("node", "capture", "source")).fill_null(value=True)
    )
    return as_steps(
        rows,
        Kind.EPOCH,
        "keras",
        epoch=pl.col("epoch_now").cast(pl.Float64),
        step=pl.col("epoch_now") * integer_of(shape, 2),
        total_steps=pl.col("epochs") * integer_of(shape, 2),
        loss=number_of(rf"- loss: {NUM}(?:[^\x08]*)$"),
        **accuracies(rows),
        eval_loss=number_of(rf"- val_loss: {NUM}"),
        lr=number_of(rf"- learning_rate: {NUM}"),
        step_time_s=pl.coalesce(
            number_of(r" ([\d.]+)ms/step") / 1000, number_of(r" ([\d.]+)us/step") / 1e6, number_of(r" ([\d.]+)s/step")
        ),
    )


def lightning(lines: pl.DataFrame) -> pl.DataFrame:
    """Lightning's rich bar: epochs count from 0, and metrics that find no room stand on the lines below it."""
    shape = r"^Epoch (\d{1,9})/(-?\d{1,9}) +[━╸╺ ]+ (\d{1,12})/(\d{1,12}) \d+:\d\d:\d\d • \S+ ([\d.]+)(it/s|s/it)?"
    below = r"^ {20,}\S+: \S+ *$"
    rows = lines.filter(pl.col("text").str.contains(f"{shape}|{below}")).with_columns(
        bar=pl.when(pl.col("text").str.contains(shape)).then("seq").forward_fill().over("node", "capture", "source"),
    )
    rows = rows.filter(pl.col("seq") - pl.col("bar") <= _METRICS_BELOW)
    said = rows.group_by("node", "capture", "source", "bar").agg(
        loss=number_of(LOSS).drop_nulls().first(), eval_loss=number_of(EVAL_LOSS).drop_nulls().first()
    )
    bars = rows.filter(pl.col("seq") == pl.col("bar")).join(
        said, on=["node", "capture", "source", "bar"], how="left", nulls_equal=True
    )
    epochs = integer_of(shape, 2) + 1
    rate = number_of(shape, 5)
    return as_steps(
        bars,
        Kind.STEP,
        "lightning",
        epoch=integer_of(shape).cast(pl.Float64),
        step=integer_of(shape) * integer_of(shape, 4) + integer_of(shape, 3),
        total_steps=pl.when(epochs > 0).then(epochs * integer_of(shape, 4)),
        loss=pl.col("loss"),
        eval_loss=pl.col("eval_loss"),
        step_time_s=pl.when(rate > 0).then(
            pl.when(pl.col("text").str.contains(r"\ds/it")).then(rate).otherwise(1 / rate)
        ),
    )


def composer(lines: pl.DataFrame) -> pl.DataFrame:
    """Composer's and OLMo's consoles: the step on a line of its own, and each metric on one below it."""
    head = r"(?:^(?:\[epoch=(\d{1,9})(?:/(\d{1,9}))?\])?\[batch=|\[step=)(\d{1,12})/(\d{1,12})(?:,[^\]]{0,80})?\]:?\s*$"
    loss = rf"^\s+(?:Train loss/train/total: |train/(?:CrossEntropyLoss|CE loss)=){NUM}"
    # An epoch counts from one, and its batches within it; without it they are those of the whole run.
    epochs, whole = integer_of(head), integer_of(head, 4)
    before = (epochs.fill_null(1) - 1) * whole
    total = pl.when(epochs.is_null()).then(whole).otherwise(integer_of(head, 2) * whole)
    is_head = pl.col("text").str.contains(head)
    rows = lines.filter(pl.col("text").str.contains(f"{head}|{loss}")).with_columns(
        step=(before + integer_of(head, 3)).forward_fill().over("node", "capture", "source"),
        # Where an epoch does not say of how many it is, no plan is told.
        total=pl.when(is_head).then(total.fill_null(-1)).forward_fill().over("node", "capture", "source"),
    )
    rows = rows.filter(pl.col("text").str.contains(loss) & pl.col("step").is_not_null())
    planned = pl.when(pl.col("total") > 0).then("total")
    return as_steps(rows, Kind.STEP, "composer", step=pl.col("step"), total_steps=planned, loss=number_of(loss))


def under_epochs(lines: pl.DataFrame) -> pl.DataFrame:
    """The epoch on a line of its own, and each of its losses on one below it: nnU-Net, Lasagne, PyTorch's tutorials."""
    if not lines["text"].str.contains(_UNDER).any():
        return no_steps()
    rows = lines.filter(pl.col("text").str.contains(f"{_HEAD}|{_UNDER}|{_SHARES}"))
    place = ["node", "capture", "source"]
    rows = rows.with_columns(epoch=integer_of(_HEAD), epochs=integer_of(_HEAD, 2)).with_columns(
        pl.col("epoch").forward_fill().over(place),
        epochs=pl.when(pl.col("epoch").is_not_null()).then("epochs").forward_fill().over(place),
    )
    rows = rows.filter(pl.col("text").str.contains(f"{_UNDER}|{_SHARES}") & pl.col("epoch").is_not_null())
    shares = pl.col("text").str.extract(_SHARES).str.extract_all(r"[01]\.\d+").cast(pl.List(pl.Float64)).list.mean()
    validates = pl.col("text").str.contains(r"(?i)val")
    loss = number_of(_UNDER)
    found = as_steps(
        rows,
        Kind.EPOCH,
        "loop",
        step=pl.col("epoch"),
        total_steps=pl.col("epochs"),
        epoch=pl.col("epoch").cast(pl.Float64),
        total_epochs=pl.col("epochs"),
        loss=pl.when(~validates).then(loss),
        eval_loss=pl.when(validates).then(loss),
        **(accuracies(rows) or {"accuracy": shares}),
    )
    kind = pl.when(pl.col("loss").is_null()).then(pl.lit(str(Kind.VALIDATION))).otherwise("kind")
    return found.with_columns(kind=kind)


def darts(lines: pl.DataFrame) -> pl.DataFrame:
    """Batches of DARTS and what was made of it: ``train 050 2.257127e+00 12.482009 52.308269`` (loss, top 1, top 5).

    Each number is the mean of its epoch until then. Batches begin anew with each epoch, and tell of none.
    """
    rows = lines.filter(pl.col("text").str.contains(_OF_DARTS))
    if rows.is_empty():
        return no_steps()
    place = ["node", "capture", "source"]
    batch, trains = integer_of(_OF_DARTS, 2), pl.col("text").str.extract(_OF_DARTS).str.starts_with("train")
    rows = rows.sort("seq").with_columns(batch=batch, trains=trains)
    moved = pl.col("batch").diff().over([*place, "trains"])
    of_an_epoch = (pl.col("batch").max() + pl.col("batch").filter(moved > 0).min().fill_null(1)).over(place)
    before = (pl.col("trains") & (moved < 0)).fill_null(value=False).cum_sum().over(place)
    loss, right = number_of(_OF_DARTS, 3), number_of(_OF_DARTS, 4) / 100
    return as_steps(
        rows,
        Kind.STEP,
        "darts",
        step=before * of_an_epoch + pl.when("trains").then("batch").otherwise(of_an_epoch - 1),
        loss=pl.when("trains").then(loss),
        eval_loss=pl.when(~pl.col("trains")).then(loss),
        accuracy=right,
    ).with_columns(kind=pl.when(pl.col("loss").is_null()).then(pl.lit(str(Kind.VALIDATION))).otherwise("kind"))


_OF_DARTS: Final = (
    r"(?:^|[AP]M )(train|valid|test) (\d{3,5}) (nan|inf|\d\.\d{6}e[+-]\d\d) (\d{1,3}\.\d{6})(?: \d{1,3}\.\d{6})?$"
)
_ALONE: Final = r"(?:^|^[\d: .,T-]{8,40}: )"
"""What a line begins with that tells one thing: nothing, or a clock."""
_HEAD: Final = rf"{_ALONE}Epoch:? (\d{{1,6}})(?: ?(?:/|of) ?(\d{{1,6}}))?(?: took \d[\d.]{{0,12}} ?s)?:?\s*$"
_UNDER: Final = (
    rf"{_ALONE}\s{{0,8}}(?:(?i:train(?:ing)?|tr|val(?:idation)?)[_ ](?i:loss))[:=]?\s+{NUM}"
    r"(?:[\s,;|]+(?i:acc(?:uracy)?)[:=]?\s+(?:nan|\d[\d.]{0,12}) ?%?)?\s*$"
)
_SHARES: Final = (
    rf"{_ALONE}\s{{0,8}}(?:[A-Za-z]{{1,16}} )?(?i:dice|iou)(?i:[ _]score)?[:=]?\s+"
    r"(\[?(?:(?:np\.float\d\d\()?[01]\.\d{1,18}[\s,)]{0,3}){1,64}\]?)\s*$"
)
"""Shares of what there is to find, one or a list of them."""


def boosting(lines: pl.DataFrame) -> pl.DataFrame:
    """Rounds of XGBoost, LightGBM, CatBoost and scikit-learn: a number, then metrics of each set by its name.

    Where no set is that of training, as LightGBM prints them by default, the metric of the first one is the loss that
    is told. A metric that grows when things go well (auc, map) is a score.
    """
    rows = lines.filter(pl.col("text").str.contains(f"{ROUND}|{_TREES}|{_OF_COMMAND}"))
    rows = rows.with_columns(pl.col("text").str.replace(_OF_COMMAND, "[$1]\t$2's $3: "))
    trained = number_of(rf"\t(?i:train(?:ing)?|learn)(?:{_FALLS_OF}){NUM}")
    tested = number_of(rf"\t(?i:(?:e?val|valid|validation|test)\w*|cv_agg)(?:{_FALLS_OF}){NUM}")
    rows = rows.with_columns(
        # Of sets by other names the first is the one that is learned from, as a rule.
        loss=pl.coalesce(
            trained, number_of(rf"train loss: {NUM}"), tested, number_of(rf"\t[\w .]{{1,40}}?{_FALLS}{NUM}")
        ),
        tested=pl.coalesce(tested, number_of(rf"val loss: {NUM}")),
        trees=integer_of(_TREES),
        score=pl.coalesce(
            number_of(rf"\t(?i:(?:e?val|valid|validation|test)\w*|cv_agg){_RISES}{NUM}"),
            number_of(rf"\t[\w .]{{1,40}}?{_RISES}{NUM}"),
        ),
    ).filter(pl.any_horizontal(pl.col("loss", "tested", "trees", "score").is_not_null()))
    # XGBoost and CatBoost print their last round whatever the interval of their reports.
    place = ["node", "capture", "source"]
    number = pl.coalesce(first_number(ROUND, 2).cast(pl.Int64, strict=False), "trees")
    rows = rows.with_columns(number=number).with_columns(apart=pl.col("number").diff().over(place))
    last = (pl.col("seq") == pl.col("seq").max().over(place)) & pl.col("text").str.contains(_PRINTS_ITS_LAST)
    last &= (pl.col("apart") > 0) & (pl.col("apart") < pl.col("apart").median().over(place))
    # CatBoost does not say which metric it prints: one that rises and never leaves 1 behind is a share of right ones.
    share = (pl.col("loss").max().over(place) <= 1) & (pl.col("loss").last() > pl.col("loss").first()).over(place)
    nameless = pl.col("text").str.contains("\tlearn: ", literal=True)
    # The best of its held-out values so far, which it prints beside them, tells which way is better.
    best = number_of(rf"\tbest: {NUM}")
    rises = ((best.last() > best.first()).over(place) & best.is_not_null()).fill_null(value=False)
    return as_steps(
        rows,
        Kind.STEP,
        "boosting",
        step=pl.col("number"),
        total_steps=pl.coalesce(integer_of(_TREES, 2), pl.when(last).then("number")),
        loss=pl.when(~((nameless & share) | rises)).then("loss"),
        eval_loss=pl.when(~rises).then("tested"),
        score=pl.coalesce("score", pl.when(rises).then("tested")),
    )


def ultralytics(lines: pl.DataFrame) -> pl.DataFrame:
    """YOLO's rows: the epoch and all of them, GPU memory, the parts of the loss, instances and size, then a bar."""
    rows = lines.filter(pl.col("text").str.contains(YOLO) & pl.col("text").str.contains(r": +100%"))
    if rows.is_empty():
        return no_steps()
    parts = number_of(YOLO, 3)
    lost = pl.col("text").str.extract(YOLO, 0).str.contains("(?i)nan")
    return as_steps(
        rows,
        Kind.EPOCH,
        "ultralytics",
        step=integer_of(YOLO),
        total_steps=integer_of(YOLO, 2),
        epoch=number_of(YOLO),
        total_epochs=integer_of(YOLO, 2),
        loss=pl.when(lost).then(float("nan")).otherwise(parts),
    )


YOLO: Final = (
    r"^\s*(\d{1,6})/(\d{1,6}) +[\d.]+[GM]?B? +(nan|inf|\d{1,6}\.\d{1,8})"
    r"(?: +(?:nan|inf|\d{1,6}\.\d{1,8})){0,7} +\d{1,6} +\d{2,5}: "
)
"""An epoch of YOLO's."""


def boxes(lines: pl.DataFrame) -> pl.DataFrame:
    """Stable-Baselines3's boxes: a name and a number a line; the mean reward stands above the count of time steps.

    What the critic's loss comes to is no measure, unless it grew a million times and more.
    """
    rows = lines.filter(pl.col("text").str.contains(_BOX)).with_columns(
        step=integer_of(r"\| +total_timesteps +\| (\d{1,12}) "),
        score=number_of(rf"\| +ep_rew_mean +\| {NUM} "),
        loss=number_of(rf"\| +value_loss +\| {NUM} "),
    )
    place = ["node", "capture", "source"]
    rows = rows.with_columns(pl.col("step").forward_fill().over(place).alias("of"))
    above = pl.col("score").shift().over(place)
    near = (pl.col("seq") - pl.col("seq").shift().over(place)) <= _METRICS_BELOW
    losses = rows.drop_nulls("loss").unique([*place, "of"], keep="last").select(*place, "of", "loss")
    begin, end = pl.col("loss").head(_OF_A_BEGIN).max(), pl.col("loss").tail(_OF_A_BEGIN).min()
    grew = (pl.len() >= 2 * _OF_A_BEGIN) & (end > _BEYOND * begin) & (begin > 0)
    losses = losses.sort("of").filter(grew.over(place))
    rows = rows.with_columns(score=pl.when(near).then(above)).filter(pl.col("step").is_not_null()).drop("loss")
    rows = rows.join(losses, on=[*place, "of"], how="left", nulls_equal=True, maintain_order="left")
    return as_steps(rows, Kind.STEP, "sb3", step=pl.col("step"), score=pl.col("score"), loss=pl.col("loss"))


_OF_A_BEGIN: Final = 5
_BEYOND: Final = 1e6
