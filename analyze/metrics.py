"""Training progress as trackers noted it: rows of ``metrics`` become facts of the same kinds as lines of a log.

Trackers agree on nothing but (step, name, value). ``metric_names.NAMES`` knows what their names mean; of
several names for one thing the one noted most often counts, so that a run's mean or one epoch's value never stands
between the values of its steps.

What belongs together is told in ``metric_chains``.

Facts of trackers stand beside those of the log and never replace them: every question about the curve is put to one
source, the one that told most losses (``families/_curve.py``), so nothing is counted twice. A tracker's facts have no
``line_seq``, and the kind ``tracked`` where the tracker does not say that its counter counts optimizer steps.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.loop_clocks import agreed
from inquest.analyze.metric_chains import MANY_ROWS, OFTEN, in_chains, located
from inquest.analyze.metric_ends import ends, events, out_of_patience, reached_its_stop, said_done, set_beside
from inquest.analyze.metric_names import LOSS_OF, NAMES, RAW, column_of, plain
from inquest.bundle.imports.run_state import FRAMEWORK as ACCOUNT
from inquest.bundle.imports.settings import FRAMEWORK as SETTINGS
from inquest.bundle.scan import stored_schema
from inquest.bundle.timers import CLOCKS, COMPUTE, DATA, STEP, Timer, chosen, epoch_timer_of, timer_of, unit_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inquest.bundle.store import Store

_CERTAIN: Final = frozenset({"huggingface", "lightning"})
"""Writers whose step is the optimizer's."""
_NAMES_STEPS: Final = frozenset({"csv", "jsonl"})
"""Writers whose step is what a column or key of the file calls so."""
_EVALUATES: Final = frozenset({"val", "valid", "validation", "eval", "evaluation", "test"})
"""Last part of a run's name that makes its loss one of an evaluation (Keras)."""


AWAY_NS: Final = 24 * 3600 * 10**9
"""How far from the job a tracker's file may lie in time: more than any error in a guessed time zone."""

_LIMIT: Final = 400_000
"""Values read of a store; of more, an even sample of steps, and the end."""
_STEPS_AT_END: Final = 1000
_PRIMES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 997)
_SHOWN: Final = (
    *("loss", "plays", "eval_loss", "score", "accuracy", "grad_norm"),
    *(*CLOCKS, "samples_per_s", "tokens_per_s", "mfu"),
)
"""Without one of these a row tells of no training."""
_TO_TELL_A_SUM: Final = 5
"""Readings from which on it is no chance that all of them grow: one in 120 of five."""
_SECONDS_AT_MOST: Final = 100
"""A step of so many seconds is rare, one of so many milliseconds is not: beyond it a clock has to tell its unit."""
_REWARD: Final = re.compile(
    r"(?i)(?:^|[\W_])(?:reward|rew|ep_\w+_mean|(?:episode|episodic|mean|avg|average|eval|total)_?returns?|policy_\w*loss)(?:$|[\W_])"
)
"""Where a policy learns by reward, a loss that rises is no failure; one that breaks still is."""
_UNIT: Final = ("node", "framework", "run", "source")
_COLUMNS: Final = (*(column for column, _ in NAMES), *CLOCKS)


def tracked(store: Store, note: Callable[[str], None] | None = None) -> dict[str, pl.DataFrame]:
    """Facts from ``metrics``, without ``seq``: ``fact_steps``, ``fact_attempts``, ``fact_exits``, ``fact_events``."""
    strangers = _strangers(store)
    if note is not None and strangers:
        note(
            f"{len(strangers)} file(s) of trackers tell of runs a day or more away from this job and were left aside,"
            f" {strangers[0]} among them."
        )
    ours = ~pl.col("source").is_in(strangers).fill_null(value=False)
    was_set = pl.col("framework").eq_missing(SETTINGS)
    placed = in_chains(_read(store, ours & ~was_set))
    was_told = set_beside(store, ours & was_set)
    planned = {
        kind: was_told.filter(pl.col("kind") == str(kind))["num"].drop_nulls().cast(pl.Int64).to_list()
        for kind in (Kind.PLANNED_STEPS, Kind.PLANNED_EPOCHS)
    }
    steps = _steps(placed, planned)
    notes = located(_notes(store, ours), placed)
    patient = out_of_patience(was_told, steps)
    done = (said_done(store, steps), reached_its_stop(store, steps))
    told = pl.concat([events(notes, steps), was_told, patient, *done], how="diagonal")
    return {
        "fact_steps": _conform("fact_steps", steps.filter(pl.any_horizontal(pl.col(_SHOWN).is_not_null()))),
        "fact_attempts": _conform("fact_attempts", _attempts(steps)),
        "fact_exits": _conform("fact_exits", ends(notes)),
        "fact_events": _conform("fact_events", told),
    }


# --- reading ---------------------------------------------------------------------------------------------------------


def _strangers(store: Store) -> list[str]:
    """Files of trackers from another time than the job: a folder of runs keeps those of past experiments."""
    from inquest.bundle.imports.wandb import CAPTURED  # loads protobuf, which a run without trackers need not pay for

    edges = [
        store.scan("processes").select(begin=pl.col("ts_ns").min(), end=pl.col("ts_ns").max()),
        store.scan("slurm_jobs").select(begin=pl.col("start_ns").min(), end=pl.col("end_ns").max()),
        store.scan("log_lines")
        .filter(~pl.col("source").str.ends_with(CAPTURED).fill_null(value=False))
        .select(begin=pl.col("ts_ns").min(), end=pl.col("ts_ns").max()),
    ]
    span = pl.concat(pl.collect_all(edges)).select(pl.col("begin").min(), pl.col("end").max())
    begin, end = span.row(0)
    if begin is None or end is None:
        return []
    files = (
        store.scan("metrics")
        .group_by("source")
        .agg(begin=pl.col("ts_ns").min(), end=pl.col("ts_ns").max())
        .filter((pl.col("end") < begin - AWAY_NS) | (pl.col("begin") > end + AWAY_NS))
        .collect()
    )
    return sorted(files["source"].drop_nulls().to_list())


def _read(store: Store, ours: pl.Expr) -> pl.DataFrame:
    """Values whose names are known, in the order they were written: ``column`` and ``name`` say which."""
    names = store.scan("metrics").filter(ours).select(pl.col("name").unique()).collect()["name"].drop_nulls().to_list()
    known = {name: column for name in sorted(names) if (column := column_of(name)) is not None}
    parts = [name for name in names if name not in known and LOSS_OF.fullmatch(plain(name))]
    if len(parts) == 1 and "loss" not in known.values():  # the only one there is
        known[parts[0]] = "loss"
    plays = [name for name, column in known.items() if column == "plays"]
    known |= _wholes(names, known)
    known |= {name: "loss" for name in plays if _broke(store, ours, name) or _lost(store, ours, name, plays)}
    raw = {name for name, column in known.items() if column == "score" and RAW.fullmatch(plain(name))}
    if raw:
        known = {name: column for name, column in known.items() if column != "score" or name in raw}
    if any(_REWARD.search(name) for name in names):
        known = {name: column for name, column in known.items() if column != "loss" or _breaks(store, ours, name)}
    scan = store.scan("metrics").filter(ours & pl.col("name").is_in(list(known)) & pl.col("value").is_not_null())
    count = scan.select(pl.len()).collect().item()
    if count > _LIMIT:
        every = next((prime for prime in _PRIMES if prime * _LIMIT >= count), _PRIMES[-1])
        last = scan.group_by("source").agg(last=pl.col("step").max())
        at_end = pl.col("step") > pl.col("last") - _STEPS_AT_END
        scan = scan.join(last, on="source", nulls_equal=True).filter(
            (pl.col("step") % every == 0) | at_end | pl.col("step").is_null()
        )
    columns = ("capture", "seq", "rank", "rank_by", "step", "epoch", "ts_ns", "name", "value")
    values = _apart(scan.select(*_UNIT, *columns).collect(engine="streaming").sort("capture", "node", "seq"))
    values = values.with_columns(
        column=pl.col("name").replace_strict(known, default=None, return_dtype=pl.String),
        value=pl.col("value") * pl.col("name").replace_strict(_seconds(known), default=1.0),
        unit=_unit_name(),
    )
    panes = _panes(values)
    return values.with_columns(unit=pl.col("unit").replace(panes)).sort("unit", "capture", "node", "seq")


def _wholes(names: Iterable[str], known: dict[str, str]) -> dict[str, str]:
    """Times that say no more, beside the part of a step that was waited for data: they may be of the step."""
    waits = {name.rpartition("/")[0] for name, column in known.items() if column == DATA}
    if STEP in known.values():
        return {}
    return {name: STEP for name in names if _A_TIME.fullmatch(name) and name.rpartition("/")[0] in waits}


_A_TIME: Final = re.compile(r"(?i)(?:[^/]{1,40}/)?(?:time|elapsed|wall)(?:_(?:m?s|secs?|seconds))?")


def _panes(values: pl.DataFrame) -> dict[str, str]:
    """Files of one folder that hold one metric each, no two of them the same: what of one run was saved pane by pane.

    They are one unit: what a learning rate tells in its own file is of the loss beside it.
    """
    files = values.filter(pl.col("framework").is_in(list(_NAMES_STEPS))).group_by("unit")
    told = files.agg(pl.col("source", "name", "column", "step").first(), names=pl.col("name").n_unique())
    alone = told.filter((pl.col("names") == 1) & pl.col("source").is_not_null() & pl.col("step").is_not_null())
    one: dict[str, str] = {}
    for (folder,), group in alone.group_by(pl.col("source").str.replace(r"[^/]*$", "").alias("folder")):
        if group.height == group["name"].n_unique() > 1 and group["column"].to_list().count("loss") == 1:
            one |= dict.fromkeys(group["unit"].to_list(), f"panes\n{folder}")
    return one


def _apart(values: pl.DataFrame) -> pl.DataFrame:
    """Values whose ``source`` tells runs apart that stand side by side in one table, as seeds in a panel do."""
    turns = (
        values.filter(pl.col("step").is_not_null() & (pl.col("framework") == "csv"))
        .group_by("source", "name")
        .agg(
            pl.len(),
            runs=pl.col("run").drop_nulls().n_unique(),
            turns=pl.col("run").ne_missing(pl.col("run").shift()).mean(),
        )
    )
    beside = turns.filter((pl.col("runs") > 1) & (pl.col("turns") > OFTEN) & (pl.col("len") >= MANY_ROWS))
    within = pl.col("source").is_in(beside["source"].unique().to_list()) & pl.col("run").is_not_null()
    return values.with_columns(source=pl.when(within).then(pl.format("{} ({})", "source", "run")).otherwise("source"))


def _seconds(names: Iterable[str]) -> dict[str, float]:
    """What one of the unit of each clock is, in seconds."""
    timers = {name: timer_of(name) or epoch_timer_of(name) for name in names}
    told = {name: timer.seconds or 1.0 for name, timer in timers.items() if timer is not None}
    return {name: unit_in(name) or 1.0 for name in names if _A_TIME.fullmatch(name)} | told


def _breaks(store: Store, ours: pl.Expr, name: str) -> bool:
    """Whether any value is NaN or infinite."""
    bad = ours & (pl.col("name") == name) & ~pl.col("value").is_finite()
    return bool(store.scan("metrics").filter(bad).select(pl.len()).collect().item())


def _broke(store: Store, ours: pl.Expr, name: str) -> bool:
    """Whether the last values, of whoever told them, are all NaN or infinite."""
    told = store.scan("metrics").filter(ours & (pl.col("name") == name) & pl.col("value").is_not_null())
    last = told.sort("capture", "node", "seq").group_by("source", "run").agg(pl.col("value").tail(_LAST)).collect()
    return not last.is_empty() and not last["value"].explode().is_finite().any()


_LAST: Final = 3


def _lost(store: Store, ours: pl.Expr, name: str, plays: list[str]) -> bool:
    """Whether a generator lost its game for good: in the last third its judge is never wrong, and its own loss far up.

    The two stand in one file.
    """
    judge = next((other for other in plays if _JUDGE.search(other)), None)
    if judge is None or not _MAKER.search(name):
        return False
    told = store.scan("metrics").filter(ours & pl.col("name").is_in((name, judge)) & pl.col("value").is_finite())
    values = told.sort("capture", "node", "seq").select("source", "run", "name", "value").collect()
    mine, theirs = (values.filter(pl.col("name") == each)["value"] for each in (name, judge))
    third = min(len(mine), len(theirs)) // 3
    if third < _TO_TELL_A_GAME or values.select("source", "run").n_unique() > 1:
        return False
    early = [float(each[: third // 2].median()) for each in (mine, theirs)]  # type: ignore[arg-type]
    late, never_wrong = mine[-third:], theirs[-third:]
    far = float(late.median()) >= _FAR_UP * early[0] > 0  # type: ignore[arg-type]
    return far and early[1] > 0 and bool(never_wrong.is_between(0, _NEVER_WRONG * early[1]).all())


_JUDGE: Final = re.compile(r"(?i)(?:^|[\W_])(?:d|disc|dis|discriminator|netd)(?=$|[\W_])")
_MAKER: Final = re.compile(r"(?i)(?:^|[\W_])(?:g|gen|generator|netg)(?=$|[\W_])")
_TO_TELL_A_GAME: Final = 20
_FAR_UP: Final = 3
_NEVER_WRONG: Final = 0.01


def _unit_name() -> pl.Expr:
    """What one rank wrote in a file; where a tracker keeps one file a metric, in a run."""
    whole = pl.when(pl.col("framework") == "mlflow").then("run").otherwise("source")
    rank = pl.col("rank").cast(pl.String)
    return pl.concat_str(*(part.fill_null("") for part in (pl.col("framework"), whole, rank)), separator="\n")


def _notes(store: Store, ours: pl.Expr) -> pl.DataFrame:
    """What trackers noted of the end of a run."""
    return (
        store.scan("metrics")
        .filter(ours)
        .filter(
            ((pl.col("framework") == "wandb") & (pl.col("name") == "exit_code"))
            | (pl.col("framework").is_in(["mlflow", ACCOUNT]) & (pl.col("name") == "run_status"))
        )
        .select(*_UNIT, "rank", "rank_by", "ts_ns", "name", "value", "seq")
        .collect()
        .with_columns(unit=_unit_name())
        .sort("unit", "node", "seq")
    )


# --- facts -----------------------------------------------------------------------------------------------------------


def _steps(placed: pl.DataFrame, planned: dict[Kind, list[int]]) -> pl.DataFrame:
    """One row a step of an attempt; what has no step stands alone. All columns of ``NAMES``, and what rows are of.

    Args:
        placed: Values in their chains.
        planned: How many steps and epochs there were to be, by settings beside the curve.
    """
    moment = ("chain", "attempt", "lap", "step", "alone")
    placed = _since_the_report_before(placed)
    rows = placed.join(_chosen(placed), on=["chain", "column", "name"])
    rows = rows.with_columns(alone=pl.when(pl.col("step").is_null()).then("at"))
    # Only clocks have several names in one column: its pieces. Of what was told twice the last counts.
    pieces = rows.filter(pl.col("pieces") > 1).unique([*moment, "name"], keep="last", maintain_order=True)
    summed = pieces.group_by(*moment, "column", maintain_order=True).agg(
        pl.col("value").sum(), pl.exclude("value").last()
    )
    rows = pl.concat([rows.filter(pl.col("pieces") == 1), summed.select(rows.columns)]) if pieces.height else rows
    wide = (
        rows.group_by(moment)
        .agg(
            *(pl.col("value").filter(pl.col("column") == column).last().alias(column) for column in _COLUMNS),
            *(pl.col(name).first() for name in ("node", "source", "run", "rank", "rank_by", "framework", "began_by")),
            # DeepSpeed's monitor counts samples where others count steps.
            samples=pl.col("name").str.contains("(?i)/samples/").any(),
            epoch=pl.col("epoch").last(),
            ts_ns=pl.col("ts_ns").max(),
            # A file may tell one metric after another: the loss is what the others stand beside.
            at=pl.coalesce(pl.col("at").filter(pl.col("column") == "loss").max(), pl.col("at").max()),
        )
        .sort("chain", "attempt", "at", "step")
    )
    return _meant(wide, planned)


def _since_the_report_before(placed: pl.DataFrame) -> pl.DataFrame:
    """``placed`` with clocks of several parts that add up from the start told for a step since the report before."""
    clock = pl.col("column").is_in([name for name in CLOCKS if name != STEP])
    told = placed.filter(clock).group_by("chain", "column", "name", maintain_order=True).agg(runs_on=_runs_on())
    several = pl.col("runs_on").all() & (pl.col("column").n_unique() > 1) & (pl.col("column") == COMPUTE).any()
    sums = told.filter(several.over("chain")).select("chain", "name", sums=pl.lit(value=True))
    if sums.is_empty():
        return placed
    wholes = placed.filter(pl.col("column") == STEP).group_by("chain", "name").agg(sums=_runs_on()).filter("sums")
    sums = pl.concat([sums, wholes.filter(pl.col("chain").is_in(sums["chain"].implode()))])
    before = ("chain", "attempt", "name")
    each = pl.col("value").diff().over(before) / pl.col("step").diff().over(before)
    rows = placed.join(sums, on=["chain", "name"], how="left", maintain_order="left")
    rows = rows.with_columns(value=pl.when("sums").then(each).otherwise("value"))
    return rows.filter(pl.col("sums").is_null() | (pl.col("value").is_finite() & (pl.col("value") >= 0))).drop("sums")


def _chosen(placed: pl.DataFrame) -> pl.DataFrame:
    """The names that count for each column of a chain: the one noted most often, or the ``pieces`` of a clock.

    The Trainer's last entry, which tells its runtime, holds means over the whole run: they are no values of a step.
    """
    told = placed.group_by("chain", "column", "name").agg(pl.len(), value=pl.col("value").median(), runs_on=_runs_on())
    ends = pl.col("len").filter(pl.col("column") == "runtime").max().over("chain").fill_null(0)
    mean = pl.col("name").str.contains(r"^(?:train/)?train_(?:loss|samples|tokens)") & (pl.col("len") <= ends)
    clock = pl.col("column").is_in(CLOCKS)
    told = told.filter(~mean).sort("len", "name", descending=[True, False])
    plain = told.filter(~clock).unique(["chain", "column"], keep="first", maintain_order=True)
    names = [
        {"chain": chain, "column": column, "name": name, "pieces": len(pieces)}
        for (chain,), part in told.filter(clock & ~pl.col("runs_on")).group_by("chain", maintain_order=True)
        for timers in [_timers(part)]
        for column in CLOCKS
        for pieces in [chosen(column, timers)]
        for name in pieces
    ]
    schema = {"chain": pl.Int64, "column": pl.String, "name": pl.String, "pieces": pl.Int64}
    one = plain.select("chain", "column", "name", pieces=pl.lit(1, pl.Int64))
    return pl.concat([one, pl.DataFrame(names, schema=schema)])


def _timers(told: pl.DataFrame) -> list[tuple[str, Timer]]:
    """Clocks among names; one that may as well count milliseconds as seconds is none.

    That of an epoch is that of a step where a part of it is told as often, and fits into no step.
    """
    rows = told.select("name", "value", "len").rows()
    timers = [(name, timer_of(name), value, count) for name, value, count in rows]
    known = [each for each in timers if each[1] and (each[1].seconds or each[2] <= _SECONDS_AT_MOST)]
    step = max((value for _, timer, value, _ in known if timer and timer.column == STEP), default=0.0)
    parts = [each for each in known if each[1] and each[1].column != STEP]
    longest = max(parts, key=lambda each: each[2], default=None)
    if longest is not None and step == 0:  # a time of which it is not said that it is of the step
        whole = [(name, Timer(STEP, 1.0), value, count) for name, value, count in rows if _A_TIME.fullmatch(name)]
        known += [each for each in whole if each[2] >= longest[2]]
    of_epoch = [(name, timer, value, count) for name, value, count in rows if (timer := epoch_timer_of(name))]
    if longest is not None and longest[2] > step:
        for each in of_epoch:
            if each[3] == longest[3] and longest[2] <= each[2] * _ROUNDED:
                known = [each, *parts]
                break
    return [(name, timer) for name, timer, *_ in known if timer]


_ROUNDED: Final = 1.01
"""An epoch that is all waiting may round to less than its wait."""


def _runs_on() -> pl.Expr:
    """Whether the values only grow, to twice the first and more: a clock that is never set back times no step."""
    value = pl.col("value")
    grows = (value.diff() > 0).sum() == value.count() - 1
    return grows & (value.count() >= _TO_TELL_A_SUM) & (value.last() >= 2 * value.first())


def _meant(wide: pl.DataFrame, planned: dict[Kind, list[int]]) -> pl.DataFrame:
    """``wide`` with columns as ``fact_steps`` means them; ``planned`` is how many there were to be of what."""
    of_attempt = ["chain", "attempt"]
    # A column of parts of one counts nothing: seconds of a step may be called ``step``.
    whole = (pl.col("counter") % 1 == 0).all().over("chain")
    counter = pl.when(whole).then(pl.col("counter").cast(pl.Int64, strict=False))
    named = pl.col("counter").is_not_null().any().over("chain")
    # W&B numbers the calls of log() where the loop gives no step: that counts calls, not steps.
    in_a_row = ((pl.col("step").min() == 0) & (pl.col("step").max() + 1 == pl.col("step").n_unique())).over(of_attempt)
    all_epochs = _all_epochs(planned[Kind.PLANNED_EPOCHS]).over(of_attempt) & ~named
    calls = (pl.col("framework") == "wandb") & ~named & in_a_row & ~all_epochs
    total = pl.col("total_steps").cast(pl.Int64, strict=False)
    evaluates = (
        pl.col("run").str.split("/").list.last().str.to_lowercase().is_in(list(_EVALUATES)).fill_null(value=False)
    )
    # With its NaN filter on, the Trainer notes a loss of 0 beside a gradient that is none.
    hidden = (pl.col("loss") == 0) & pl.col("grad_norm").is_nan().fill_null(value=False)
    loss = pl.when(hidden).then(float("nan")).otherwise("loss")
    wide = wide.with_columns(
        step=pl.when(~calls & ~pl.col("samples")).then(pl.coalesce(counter, "step")),
        total_steps=pl.when(total > 0).then(total).max().over(of_attempt),
        epoch=pl.coalesce("epoch", "epoch_told", pl.when(all_epochs).then(pl.col("step").cast(pl.Float64))),
        loss=pl.when(~evaluates).then(loss),
        eval_loss=pl.coalesce("eval_loss", pl.when(evaluates).then(loss)),
        mfu=pl.when(pl.col("mfu") > 1).then(pl.col("mfu") / 100).when(pl.col("mfu") >= 0).then("mfu"),
        accuracy=_or("accuracy", "quality"),
    )
    wide = wide.with_columns(
        eval_loss=_or("eval_loss", "judged"),
        total_steps=pl.coalesce("total_steps", _by_share().over(of_attempt)),
        # Per cent, where any is above 1.
        accuracy=pl.col("accuracy") / pl.when(pl.col("accuracy").max().over("chain") > 1).then(100.0).otherwise(1.0),
    )
    wide = wide.with_columns(**agreed({name: pl.col(name) for name in CLOCKS}))
    # A step that goes with the epoch counts epochs, from 0 or from 1; one that does not counts what is finer.
    ahead = pl.col("step") - pl.col("epoch")
    whole = ((ahead.n_unique() == 1) & (ahead.abs().max() <= 1) & (ahead.count() > 1)).over(of_attempt)
    finer = (ahead.abs().max() > 1).over(of_attempt).fill_null(value=False)
    validated = pl.any_horizontal(pl.col("eval_loss", "accuracy").is_not_null())
    # What ends just where so many steps were set counts them.
    last = pl.col("step").max().over(of_attempt)
    to_the_last = last.is_in(planned[Kind.PLANNED_STEPS]).fill_null(value=False) & ~whole.fill_null(value=False)
    # Epochs that are counted from 0 end one before their number.
    of_epochs = pl.col("total_epochs").max().over(of_attempt) - (pl.col("epoch").min().over(of_attempt) == 0) + ahead
    return wide.with_columns(
        total_steps=pl.coalesce("total_steps", pl.when(whole).then(of_epochs.cast(pl.Int64, strict=False))),
        kind=pl.when(pl.col("loss").is_null() & pl.col("grad_norm").is_null() & validated)
        .then(pl.lit(str(Kind.VALIDATION)))
        .when(named | finer | pl.col("framework").is_in(list(_CERTAIN)) | to_the_last)
        .then(pl.lit(str(Kind.STEP)))
        .when(whole)
        .then(pl.lit(str(Kind.EPOCH)))
        .when(pl.col("framework").is_in(list(_NAMES_STEPS)))
        .then(pl.lit(str(Kind.STEP)))
        .otherwise(pl.lit(str(Kind.TRACKED))),
    )


def _all_epochs(epochs: list[int]) -> pl.Expr:
    """Whether reports are numbered one by one, and are just as many as there were to be epochs: these they count.

    One before the first of them may tell of what had learned nothing yet.
    """
    low, high = pl.col("step").min(), pl.col("step").max()
    count = pl.col("step").n_unique().cast(pl.Int64)
    told = pl.col("epoch").is_not_null().any() | pl.col("epoch_told").is_not_null().any()
    one_by_one = (high - low + 1 == count) & (count >= _TO_TELL_EPOCHS) & ~told
    return one_by_one & ((low.is_in([0, 1]) & count.is_in(epochs)) | ((low == 0) & high.is_in(epochs)))


_TO_TELL_EPOCHS: Final = 4


def _or(column: str, other: str) -> pl.Expr:
    """A column, or another where a chain tells none of it."""
    return pl.when(pl.col(column).is_not_null().any().over("chain")).then(column).otherwise(other)


def _by_share() -> pl.Expr:
    """How many steps there are to be, where a column tells which part of them is done, in step with the counter."""
    share = pl.col("progress") / pl.when(pl.col("progress").max() > 1).then(100.0).otherwise(1.0)
    whole = pl.when(share >= _TO_TELL_A_WHOLE).then(pl.col("step") / share)
    even = (whole.count() >= _TO_TELL_A_SUM) & (whole.max() <= _EVEN * whole.min()) & (share.max() <= 1)
    done = pl.when(share.max() > _ALL_BUT).then(pl.col("step").max())
    return pl.when(even).then(pl.coalesce(done, whole.median().round().cast(pl.Int64)))


_TO_TELL_A_WHOLE: Final = 0.05
"""A part that is printed to a hundredth tells the whole from here on."""
_EVEN: Final = 1.05
_ALL_BUT: Final = 0.9995


def _attempts(steps: pl.DataFrame) -> pl.DataFrame:
    ranks = pl.col("rank").drop_nulls()
    return steps.group_by("chain", "attempt", maintain_order=True).agg(
        pl.col("node", "source", "began_by").first(),
        rank=pl.when(ranks.n_unique() == 1).then(ranks.first()),
        ts_ns=pl.col("ts_ns").min(),
        first_step=pl.col("step").min(),
        last_step=pl.col("step").max(),
        end_ns=pl.col("ts_ns").max(),
    )


def _conform(table: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns of a fact table; what ``frame`` does not tell is null."""
    schema = stored_schema(table)
    return frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(dtype, strict=False).alias(name)
        for name, dtype in schema.items()
        if name != "seq"
    )
