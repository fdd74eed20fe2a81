"""How trainings ended by what trackers noted, and what files beside the curve had set: failures, plans, patience."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.bundle.imports import settings
from inquest.bundle.imports.metric_lines import DONE

if TYPE_CHECKING:
    from inquest.bundle.store import Store

TRACKER: Final = "tracker"
"""``said_by`` of an end that a tracker noted."""
_STATUS: Final = {4: "FAILED", 5: "KILLED"}
"""MLflow's numbers for runs that did not end well."""
_FINISHED: Final = 3
"""MLflow's number for runs whose process left them without an exception (mlflow/protos/service.proto)."""
_OF: Final = ("node", "framework", "run", "source")

_Row = dict[str, Any]


def ends(notes: pl.DataFrame) -> pl.DataFrame:
    """How processes ended, as W&B's hooks, MLflow or an account of the run saw it: who logged, not the whole command.

    Weak in one way: a SystemExit raised by hand passes the hooks, and 0 is noted (wandb 0.15).
    """
    told = notes.filter((pl.col("name") == "exit_code") & pl.col("value").is_between(0, 255))
    finished = notes.filter((pl.col("name") == "run_status") & (pl.col("value") == _FINISHED))
    ended = finished.with_columns(
        role=pl.lit("task"),
        said_by=pl.lit(TRACKER),
        exit_code=pl.lit(0, pl.Int64),
        text=pl.format("{}: run {} ended as FINISHED", _noted_by(), _name("run")),
    )
    exited = told.with_columns(
        role=pl.lit("task"),
        said_by=pl.lit(TRACKER),
        exit_code=pl.col("value").cast(pl.Int64, strict=False),
        text=pl.format(
            "W&B: run {} ended with exit code {}", _name("run"), pl.col("value").cast(pl.Int64, strict=False)
        ),
    )
    return pl.concat([exited, ended])


def events(notes: pl.DataFrame, steps: pl.DataFrame) -> pl.DataFrame:
    """Runs that MLflow calls failed; of the Trainer its last entry, made at the planned end only, and an early stop."""
    status = pl.col("value").cast(pl.Int64, strict=False)
    failed = notes.filter((pl.col("name") == "run_status") & status.is_in(list(_STATUS)))
    ended = steps.filter(pl.col("runtime").is_not_null())
    stopped = steps.filter(pl.col("impatience") >= pl.col("patience"))
    return pl.concat(
        [
            failed.with_columns(
                pattern=pl.lit("metrics.run_status"),
                kind=pl.lit(str(Kind.LAUNCHER_FAILURE)),
                role=pl.lit("confirmation"),
                subject="run",
                text=pl.format(
                    "{}: run {} ended as {}", _noted_by(), _name("run"), status.replace_strict(_STATUS, default="")
                ),
            ),
            ended.with_columns(
                pattern=pl.lit("metrics.train_runtime"),
                kind=pl.lit(str(Kind.TRAIN_SUMMARY)),
                role=pl.lit("progress"),
                num="runtime",
                num_unit=pl.lit("s"),
                text=pl.format("the trainer noted its runtime at the end: {} s", "runtime"),
            ),
            stopped.with_columns(
                pattern=pl.lit("metrics.early_stop"),
                kind=pl.lit(str(Kind.EARLY_STOP)),
                role=pl.lit("marker"),
                num="impatience",
                text=pl.format("the trainer stopped early: {} evaluations without a gain", "impatience"),
            ),
        ],
        how="diagonal",
    )


def set_beside(store: Store, ours: pl.Expr) -> pl.DataFrame:
    """What files beside the curve set: how long training was to be, and rules that may end it sooner.

    Folders that set different lengths are those of several trainings: none of them is taken.
    """
    told = store.scan("metrics").filter(ours).select(*_OF, "rank", "rank_by", "name", "value", "seq").collect()
    lengths: dict[str, dict[str | None, set[float]]] = {}
    found: dict[tuple[str, str, float], _Row] = {}
    for row in told.sort("source", "node", "seq").iter_rows(named=True):
        name, value = row["name"], row["value"]
        meant = settings.DONE if name == settings.DONE else settings.meaning(name)
        if meant in _PLANS:
            lengths.setdefault(meant, {}).setdefault(row["run"], set()).add(value)
        if meant is not None and (meant != settings.PARTS or value > 1):
            found.setdefault((meant, name, value), row)
    several = {meant for meant, runs in lengths.items() if len(set(map(frozenset, runs.values()))) > 1}
    if any(meant == settings.PARTS for meant, *_ in found):
        several.add(settings.STEPS)  # whether one is a step of the optimizer or a part of it is not told
    if any(meant == settings.STEPS and _PLAYED.search(name) for meant, name, _ in found):
        # Beside them other steps are those of a round.
        found = {key: row for key, row in found.items() if key[0] != settings.STEPS or _PLAYED.search(key[1])}
    rows = [
        {
            **row,
            **_EVENTS_OF_SETTINGS[meant],
            "pattern": f"settings.{meant}",
            "subject": name,
            "num": None if meant in (settings.RULE, settings.RESUME) else value,
            "text": f"{name} is set" if meant == settings.RESUME else f"{name} is set to {value:g}",
        }
        for (meant, name, value), row in found.items()
        if meant in _EVENTS_OF_SETTINGS and meant not in several
    ]
    texts = dict.fromkeys(("pattern", "subject", "text", *_EVENTS_OF_SETTINGS[settings.STEPS]), pl.String())
    return pl.DataFrame(rows, schema={**told.schema, **texts, "num": pl.Float64()})


def out_of_patience(was_told: pl.DataFrame, steps: pl.DataFrame) -> pl.DataFrame:
    """Trainings that end just as many validations after the best one as the patience was that was set.

    Who stops so leaves no word of it in a table. What is counted before it stops is as many, or one more.
    """
    named = was_told.filter((pl.col("kind") == str(Kind.STOP_RULE)) & pl.col("subject").str.contains(_PATIENCE))
    patience = {int(number) for number in named["text"].str.extract(r" to (\d{1,6})$", 1).drop_nulls()} - {0, 1}
    ends = steps.sort("chain", "attempt", "at").group_by("chain", maintain_order=True)
    last = [
        {**part.row(-1, named=True), "num": float(waited)}
        for _, part in ends
        if part["attempt"].n_unique() == 1 and (waited := _waited(part)) is not None and patience & {waited, waited - 1}
    ]
    words = pl.format("validation gained nothing in its last {} reports, as long as patience was set to last", "num")
    return pl.DataFrame(last, schema={**steps.schema, "num": pl.Float64}).with_columns(
        pattern=pl.lit("metrics.patience"),
        kind=pl.lit(str(Kind.EARLY_STOP)),
        role=pl.lit("marker"),
        subject=pl.lit("patience"),
        text=words,
    )


def _waited(part: pl.DataFrame) -> int | None:
    """How many validations came after the best of them, by the loss, or by the answers where no loss is told."""
    for column, sign in (("eval_loss", 1), ("accuracy", -1)):
        values = (part[column].drop_nulls() * sign).to_list()
        if values:
            return len(values) - 1 - values.index(min(values)) if all(map(math.isfinite, values)) else None
    return None


_PATIENCE: Final = r"(?i)patience$|early_?stop(?:ping)?(?:_rounds)?$"


def said_done(store: Store, steps: pl.DataFrame) -> pl.DataFrame:
    """Records among those of the metrics that say in a word that all is done, with the count of the last of them."""
    last = steps.filter(pl.col("framework") == "jsonl").group_by("node", "source").agg(pl.col("step").max())
    lines = (
        store.scan("log_lines")
        .filter(pl.col("source").is_in(last["source"].to_list()) & pl.col("text").str.contains(_ALL_DONE))
        .filter(~pl.col("text").str.contains(_NOT_WELL))
        .select("source", "text", "ts_ns", "seq")
        .collect()
    )
    rows = [
        {**about, "ts_ns": ts_ns, "text": text}
        for about in last.iter_rows(named=True)
        for ts_ns, text in lines.filter(pl.col("source") == about["source"]).sort("seq").select("ts_ns", "text").rows()
        if (told := _COUNT_OF_ALL.search(text)) is not None and int(told[1]) == about["step"]
    ]
    schema = {**last.schema, "ts_ns": pl.Int64(), "text": pl.String()}
    return pl.DataFrame(rows[-1:], schema=schema).with_columns(
        pattern=pl.lit("metrics.done"),
        kind=pl.lit(str(Kind.FAREWELL)),
        role=pl.lit("marker"),
        framework=pl.lit("jsonl"),
    )


def reached_its_stop(store: Store, steps: pl.DataFrame) -> pl.DataFrame:
    """Files of which each record says whether all is done, and none but the last one that it is (Ray's Tune)."""
    named = store.scan("metrics").filter(pl.col("name") == DONE).select("node", "source", "step", "value", "seq")
    told = named.collect().sort("seq").group_by("node", "source", maintain_order=True)
    by_source = told.agg(pl.col("step").last(), pl.col("value"))
    done = (pl.col("value").list.last() == 1) & (pl.col("value").list.sum() == 1) & (pl.col("value").list.len() > 1)
    last = steps.group_by("node", "source").agg(pl.all().sort_by("step").last())
    ended = last.join(by_source.filter(done), on=["node", "source", "step"], how="semi", nulls_equal=True)
    return ended.with_columns(
        pattern=pl.lit("metrics.done"),
        kind=pl.lit(str(Kind.FAREWELL)),
        role=pl.lit("marker"),
        text=pl.lit("its last record says that it is done, and none before it"),
    )


_ALL_DONE: Final = (
    r'(?i)"(?:event|msg|message|status|state)"\s{0,3}:\s{0,3}"(?:all )?(?:done|finished|completed?|ended|end)[.!]?"'
)
_NOT_WELL: Final = r"(?i)fail|error|abort|kill|interrupt|cancel|crash|nan\b"
_COUNT_OF_ALL: Final = re.compile(
    r'(?i)"(?:(?:global|total|num|last|final)_?)?(?:steps?|epochs?|iter(?:ation)?s?|updates?)"'
    r"\s{0,3}:\s{0,3}(\d{1,12})\b"
)


_PLAYED: Final = re.compile(r"(?i)(?:time|env)_?steps$")
_PLANS: Final = (settings.STEPS, settings.EPOCHS)
_EVENTS_OF_SETTINGS: Final = {
    meant: {"kind": str(kind), "role": role, "num_unit": unit}
    for meant, kind, role, unit in (
        (settings.STEPS, Kind.PLANNED_STEPS, "marker", "step"),
        (settings.EPOCHS, Kind.PLANNED_EPOCHS, "marker", "epoch"),
        (settings.RULE, Kind.STOP_RULE, "marker", None),
        (settings.RESUME, Kind.RESUME_SET, "marker", None),
        (settings.DONE, Kind.TRAIN_SUMMARY, "progress", "s"),
    )
}


def _noted_by() -> pl.Expr:
    return pl.when(pl.col("framework") == "mlflow").then(pl.lit("MLflow")).otherwise(pl.lit("its tracker's account"))


def _name(column: str) -> pl.Expr:
    return pl.col(column).fill_null("(unnamed)")
