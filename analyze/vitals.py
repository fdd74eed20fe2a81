"""Vitals of a run: how fast it went, what it saved, how busy, full and hot its GPUs were; told of every verdict.

No vital decides anything; a few raise a warning. Each is a claim. The claims on one set of recorded rows are columns of
one SELECT, so that however many there are, those rows are read once and each value is what its own SQL gives.
What was not measured gives no claim: null, never 0.

Sums are of integers and all else are order statistics, so that neither threads nor the order of rows can show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.each_gpu import Question, together
from inquest.analyze.evidence import ROWS_CITED, literal, rounded, shown
from inquest.analyze.families._rows import gpu_called
from inquest.analyze.families._telling import tell
from inquest.analyze.families._window import run_span
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Claim, RowRef, Vitals
from inquest.analyze.sql import run as run_sql

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story

_LEAST: Final = 3
"""Readings of which a median is worth telling."""

_MOST: Final = 1 << 20
"""GPUs or nodes that are looked at."""

_HOUR_NS: Final = 3_600_000_000_000
_GIB: Final = 2**30
_KWH_IN_UJ: Final = 3_600_000_000_000
_STREAM: Final = ("node", "source", "rank", "attempt")
TRAINING: Final = pl.col("kind").is_in(["step", "bar"])
"""Progress whose number counts steps of training: no validation, no epoch, no number of a tracker's own."""

TRAINING_SQL: Final = "kind IN ('step', 'bar')"

_PARTS: Final = (
    ("share_data", "Share of profiled steps spent waiting for data", "name LIKE 'enumerate(DataLoader)%'"),
    (
        "share_forward",
        "Share of profiled steps spent in the forward pass",
        "LOWER(name) IN ('forward', 'forward_pass')",
    ),
    (
        "share_backward",
        "Share of profiled steps spent in the backward pass",
        "name LIKE 'autograd::engine::evaluate_function%'",
    ),
    ("share_optimizer", "Share of profiled steps spent in the optimizer", "name LIKE 'Optimizer.step#%'"),
    (
        "share_communication",
        "Communication kernels on the GPU against the length of profiled steps",
        "category IN ('kernel', 'Kernel') AND (name LIKE 'ncclDevKernel%' OR name LIKE 'ncclKernel%')",
    ),
)
"""Parts of a step by the names that PyTorch's profiler gives its spans (torch/autograd/profiler.py,
torch/optim/optimizer.py, torch/utils/data/dataloader.py, torch/csrc/autograd/engine.cpp; NCCL's kernel names). Spans of
one condition do not nest. The forward pass has no name of its own: only a range that the program marked tells it."""


@dataclass(frozen=True, slots=True)
class _Asked:
    name: str
    text: str
    expression: str
    unit: str


class _Rows:
    """Questions about one set of rows: ``source`` is the SELECT's text from FROM on, ``cited`` the first of them.

    ``held`` are the rows of ``source``, where they are at hand.
    """

    def __init__(
        self, ev: Evidence, table: str, source: str, cited: tuple[RowRef, ...], held: pl.DataFrame | None = None
    ) -> None:
        self._ev = ev
        self._held = held
        self._cited = cited
        self._table = table
        self._source = source
        self._asked: list[_Asked] = []

    def ask(self, name: str, text: str, expression: str, unit: str = "") -> None:
        """One aggregate over the rows."""
        self._asked.append(_Asked(name, text, expression, unit))

    def answers(self) -> dict[str, Claim]:
        """A claim for each question that the rows answer, from one pass over them."""
        if not self._asked:
            return {}
        columns = ", ".join(f"{each.expression} AS {each.name}" for each in self._asked)
        if self._held is None:
            found = self._ev.sql(f"SELECT {columns} FROM {self._source}", row_limit=1)
        else:
            found = run_sql(f"SELECT {columns} FROM held", {"held": self._held.lazy()}, row_limit=1)
        told = found.row(0, named=True) if found.height else {}
        return {
            each.name: _claim(
                each.name,
                each.text,
                f"SELECT {each.expression} AS {each.name} FROM {self._source}",
                told[each.name],
                each.unit,
                self._table,
                self._cited,
            )
            for each in self._asked
            if told.get(each.name) is not None
        }


def vitals(ev: Evidence) -> tuple[Vitals, tuple[str, ...]]:
    """The vitals of a run, and warnings about those that are beyond what they should be."""
    story = tell(ev)
    found: dict[str, Claim] = {}
    for told in (_pace, _rates, _validation):
        found |= told(story)
    found |= _checkpoints(ev, story)
    if ev.has("trace_spans"):
        found |= _parts(ev)
    if ev.has("gpu_samples"):
        found |= _gpus(ev)
    if ev.has("host_samples"):
        found |= _host(ev, story)
    return Vitals(**found), _warnings(ev, story, found)


def _claim(
    name: str, text: str, sql: str, value: object, unit: str, table: str, rows: tuple[RowRef, ...] = ()
) -> Claim:
    return Claim(f"V.{name}", text, sql, rounded(value, unit), unit, table, rows)


# --- progress -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Stream:
    """The rows of one stream, rank and attempt by their seq, and the SQL condition that gives them."""

    rows: pl.DataFrame
    where: str

    def cited(self, table: str, rows: pl.DataFrame | None = None) -> tuple[RowRef, ...]:
        """Its first rows in ``table`` (of ``rows``, where a claim counts only some)."""
        told = (self.rows if rows is None else rows).head(ROWS_CITED)
        return tuple(RowRef(table, node, seq) for node, seq in told.select("node", "seq").iter_rows())


def _stream(rows: pl.DataFrame, *also: str) -> Stream | None:
    """The stream that told most of ``rows``, apart by the columns of ``also`` too; None where there are no rows.

    Of a log and a tracker that told as much, the log. Ranks that print the same would else count many times.
    """
    if rows.is_empty():
        return None
    keys = [*_STREAM, *also]
    streams = (
        rows.group_by(keys)
        .agg(n=pl.len(), tracked=pl.col("line_seq").is_null().all())
        .sort("n", "tracked", *keys, descending=[True, *[False] * (1 + len(keys))], nulls_last=True)
    )
    chosen = {key: streams[key][0] for key in keys}
    mine = pl.all_horizontal(pl.col(key).eq_missing(pl.lit(value)) for key, value in chosen.items())
    conditions = [f"{key} IS NULL" if value is None else f"{key} = {literal(value)}" for key, value in chosen.items()]
    return Stream(rows.filter(mine).sort("seq"), " AND ".join(conditions))


def reported(story: Story, condition: pl.Expr, *columns: str) -> Stream | None:
    """The stream of the last attempt that most often reported progress under ``condition``."""
    narrow = story.steps.select(*_STREAM, "seq", "line_seq", "kind", *columns)
    return _stream(narrow.filter(condition))


def _pace(story: Story) -> dict[str, Claim]:
    """Seconds a step: as the job said, else from the times at which steps were reported."""
    said = reported(story, TRAINING & (pl.col("step_time_s") > 0), "step_time_s")
    if said is not None and said.rows.height >= _LEAST:
        source = f"fact_steps WHERE {said.where} AND {TRAINING_SQL} AND step_time_s > 0"
        rows = said.cited("fact_steps")
        return _median_and_spread(source, "step_time_s", said.rows["step_time_s"], "as printed", rows)
    timed = reported(story, TRAINING & pl.col("ts_ns").is_not_null() & pl.col("step").is_not_null(), "ts_ns", "step")
    in_steps = story.counted_in != "sample"
    if in_steps and timed is not None and timed.rows["ts_ns"].n_unique() > _LEAST:
        # A clock of whole seconds gives many steps one time: of these the last counts.
        source = (
            "(SELECT (ts_ns - LAG(ts_ns) OVER (ORDER BY ts_ns)) / 1e9 / (step - LAG(step) OVER (ORDER BY ts_ns))"
            " AS seconds FROM (SELECT ts_ns, MAX(step) AS step FROM fact_steps"
            f" WHERE {timed.where} AND {TRAINING_SQL} AND ts_ns IS NOT NULL AND step IS NOT NULL"
            " GROUP BY ts_ns) AS told) AS paced WHERE seconds > 0 AND seconds < 'Infinity'::double"
        )
        last = timed.rows.group_by("ts_ns").agg(pl.col("step").max()).sort("ts_ns")
        seconds = last.select(seconds=pl.col("ts_ns").diff() / 1e9 / pl.col("step").diff())["seconds"]
        paced = seconds.filter((seconds > 0) & (seconds < float("inf")))
        return _median_and_spread(source, "seconds", paced, "by the times of its reports", timed.cited("fact_steps"))
    return _reports(story)


def _median_and_spread(
    source: str, column: str, values: pl.Series, how: str, rows: tuple[RowRef, ...]
) -> dict[str, Claim]:
    quartiles = values.quantile(0.25, "linear"), values.quantile(0.75, "linear")
    if quartiles[0] is None or quartiles[1] is None:
        return {}
    # Times of whole nanoseconds: rounded below a quarter of one, the noise of a difference of floats is gone.
    spread = f"ROUND(QUANTILE_CONT({column}, 0.75) - QUANTILE_CONT({column}, 0.25), 12)"
    apart = round(quartiles[1] - quartiles[0], 12)
    told = (
        ("step_time", f"Median time of a step, {how}", f"MEDIAN({column})", values.median(), "s"),
        ("step_time_spread", "Distance of the quartiles of the time of a step", spread, apart, "s"),
    )
    return _of_steps(source, told, rows)


def _of_steps(
    source: str, told: Iterable[tuple[str, str, str, object, str]], rows: tuple[RowRef, ...]
) -> dict[str, Claim]:
    """Claims over ``fact_steps``, which lie in memory: their values are taken from there.

    A plain log would else pay for an SQL parser that nothing else in it needs. Tests hold the values to the SQL.
    """
    return {
        name: _claim(name, text, f"SELECT {sql} AS {name} FROM {source}", value, unit, "fact_steps", rows)
        for name, text, sql, value, unit in told
        if value is not None
    }


def _reports(story: Story) -> dict[str, Claim]:
    """Seconds between two reports, where nothing tells how many steps lie between them."""
    told = reported(story, TRAINING & pl.col("ts_ns").is_not_null() & pl.col("loss").is_not_null(), "ts_ns", "loss")
    if told is None or told.rows["ts_ns"].n_unique() <= _LEAST:
        return {}
    source = (
        "(SELECT (ts_ns - LAG(ts_ns) OVER (ORDER BY ts_ns)) / 1e9 AS seconds FROM fact_steps"
        f" WHERE {told.where} AND {TRAINING_SQL} AND ts_ns IS NOT NULL AND loss IS NOT NULL) AS reports"
    )
    seconds = told.rows["ts_ns"].sort().diff() / 1e9
    text = "Median time between two reports of progress, which do not number their steps"
    sql = "MEDIAN(CASE WHEN seconds > 0 THEN seconds END)"
    median = seconds.filter(seconds > 0).median()
    return _of_steps(source, [("report_time", text, sql, median, "s")], told.cited("fact_steps"))


def _rates(story: Story) -> dict[str, Claim]:
    """Rates and MFU as the job printed them."""
    found: dict[str, Claim] = {}
    for column, noun in (("samples_per_s", "samples a second"), ("tokens_per_s", "tokens a second"), ("mfu", "MFU")):
        told = reported(story, TRAINING & (pl.col(column) > 0) & (pl.col(column) < float("inf")), column)
        if told is None:
            continue
        values, seqs = told.rows[column], told.rows["seq"]
        source = f"fact_steps WHERE {told.where} AND {TRAINING_SQL} AND {column} > 0"
        source += f" AND {column} < 'Infinity'::double"
        median = f"MEDIAN({column})"
        if column == "mfu":
            rows = told.cited("fact_steps")
            found |= _of_steps(source, [("mfu", "Median MFU, as printed", median, values.median(), "1")], rows)
        elif third := len(values) // 3:
            words = f"Median of {noun}, {{}} third of the reports"
            first = (f"{column}_first", words.format("first"), median, values[:third].median(), "1/s")
            last = (f"{column}_last", words.format("last"), median, values[-third:].median(), "1/s")
            rows = told.cited("fact_steps")
            found |= _of_steps(f"{source} AND seq <= {seqs[third - 1]}", [first], rows)
            rows = told.cited("fact_steps", told.rows.tail(third))
            found |= _of_steps(f"{source} AND seq >= {seqs[-third]}", [last], rows)
    return found


def _validation(story: Story) -> dict[str, Claim]:
    """Validation loss: first, best and last report."""
    told = reported(story, pl.col("eval_loss").is_not_null(), "eval_loss")
    if told is None:
        return {}
    losses = told.rows["eval_loss"]
    least = losses.filter(losses < float("inf")).min()
    best = ("eval_loss_best", "Least validation loss", "MIN(eval_loss)", least, "")
    rows = told.cited("fact_steps", told.rows.filter(pl.col("eval_loss") == pl.lit(least, pl.Float64)))
    source = f"fact_steps WHERE {told.where} AND eval_loss < 'Infinity'::double"
    ends = {"eval_loss_first": told.rows.row(0, named=True), "eval_loss_last": told.rows.row(-1, named=True)}
    words = {"eval_loss_first": "First validation loss", "eval_loss_last": "Last validation loss"}
    return _of_steps(source, [best], rows) | {
        name: _reading(name, words[name], "fact_steps", row, "eval_loss") for name, row in ends.items()
    }


def _reading(name: str, text: str, table: str, row: dict[str, Any], column: str) -> Claim:
    """A claim that is one reading: ``column`` of one row of facts."""
    sql = f"SELECT {column} FROM {table} WHERE node = {literal(row['node'])} AND seq = {row['seq']}"
    return _claim(name, text, sql, row[column], "", table, (RowRef(table, row["node"], row["seq"]),))


# --- checkpoints ----------------------------------------------------------------------------------------------------
def _checkpoints(ev: Evidence, story: Story) -> dict[str, Claim]:
    """How many, how often, how long; by step where the reports name it, and by what one pattern of one stream told."""
    saved = story.of(Kind.CHECKPOINT_SAVED)
    if not saved:
        return {}
    frame = pl.DataFrame(saved, schema=ev.facts("fact_events").schema, orient="row")
    numbered = frame.filter((pl.col("num_unit") == "step") & pl.col("num").is_not_null())
    told = _stream(numbered if numbered.height else frame, "pattern")
    if told is None:
        return {}
    where = f"fact_events WHERE {told.where} AND kind = 'checkpoint_saved'"
    if numbered.height:
        counted = f"(SELECT num, MIN(ts_ns) AS ts_ns FROM {where} AND num IS NOT NULL GROUP BY num) AS saves"
        source = (
            "(SELECT num, num - LAG(num) OVER (ORDER BY num) AS steps,"
            f" (ts_ns - LAG(ts_ns) OVER (ORDER BY num)) / 1e9 AS seconds FROM {counted}) AS saved"
        )
    else:
        source = f"(SELECT seq AS num, (ts_ns - LAG(ts_ns) OVER (ORDER BY seq)) / 1e9 AS seconds FROM {where}) AS saved"
    rows = _Rows(ev, "fact_events", source, told.cited("fact_events"))
    rows.ask("checkpoints", "Checkpoints reported saved", "COUNT(num)", "checkpoints")
    if numbered.height:
        rows.ask("checkpoint_every_steps", "Median distance of two saves", "MEDIAN(steps)", "steps")
    rows.ask("checkpoint_every", "Median time between two saves", "MEDIAN(CASE WHEN seconds > 0 THEN seconds END)", "s")
    found = rows.answers() | _durations(ev, story, frame, numbered)
    named = [row for row in saved if row["subject"]]
    if named:
        found["checkpoint_last"] = _reading(
            "checkpoint_last", "Last checkpoint reported saved", "fact_events", named[-1], "subject"
        )
    return found


def _durations(ev: Evidence, story: Story, saved: pl.DataFrame, numbered: pl.DataFrame) -> dict[str, Claim]:
    """How long a save took: as the job said, else from its announcement to its report."""
    name = "checkpoint_duration"
    said = _stream(saved.filter((pl.col("num_unit") == "s") & pl.col("num").is_not_null()), "pattern")
    if said is not None:
        source = f"fact_events WHERE {said.where} AND kind = 'checkpoint_saved'"
        rows = _Rows(ev, "fact_events", source, said.cited("fact_events"))
        rows.ask(name, "Median time a save took, as printed", "MEDIAN(num)", "s")
        return rows.answers()
    begun = [row for row in story.of(Kind.CHECKPOINT_SAVE_BEGIN) if row["num_unit"] == "step"]
    timed = _stream(numbered.drop_nulls("ts_ns"))
    if not begun or timed is None:
        return {}
    half = "(SELECT num, {which}(ts_ns) AS ts_ns FROM fact_events WHERE {where} AND kind = '{kind}'"
    half += " AND num_unit = 'step' AND ts_ns IS NOT NULL GROUP BY num)"
    begin = half.format(which="MIN", where=timed.where, kind=Kind.CHECKPOINT_SAVE_BEGIN)
    end = half.format(which="MAX", where=timed.where, kind=Kind.CHECKPOINT_SAVED)
    source = (
        "(SELECT (saves.ts_ns - begins.ts_ns) / 1e9 AS seconds"
        f" FROM {begin} AS begins JOIN {end} AS saves ON begins.num = saves.num) AS took WHERE seconds >= 0"
    )
    rows = _Rows(ev, "fact_events", source, timed.cited("fact_events"))
    rows.ask(name, "Median time from the announcement of a save to its report", "MEDIAN(seconds)", "s")
    return rows.answers()


# --- profiled steps -------------------------------------------------------------------------------------------------
def _parts(ev: Evidence) -> dict[str, Claim]:
    """What a step is made of, where PyTorch's profiler saw steps."""
    steps = "SUM(CASE WHEN name LIKE 'ProfilerStep#%' AND category <> 'gpu_user_annotation' THEN duration_ns END)"
    rows = _Rows(ev, "trace_spans", "trace_spans", ev.rows("trace_spans", "name LIKE 'ProfilerStep#%'"))
    for name, text, condition in _PARTS:
        part = f"SUM(CASE WHEN {condition} THEN duration_ns END)"
        rows.ask(name, text, f"CASE WHEN {steps} > 0 THEN CAST({part} AS DOUBLE) / {steps} END", "1")
    return rows.answers()


# --- GPUs and hosts -------------------------------------------------------------------------------------------------
def _between(span: tuple[int | None, int | None]) -> str:
    """SQL condition for ``span``; what is not known bounds nothing."""
    began, ended = span
    bounds = [f"ts_ns >= {began}"] if began is not None else []
    bounds += [f"ts_ns <= {ended}"] if ended is not None else []
    return " AND ".join(bounds) or "TRUE"


def _run(ev: Evidence, trained: tuple[int, int] | None) -> tuple[int | None, int | None]:
    """Begin and end of the run, training included; one instant (a log with one time in it) bounds nothing."""
    began, ended = run_span(ev)
    if began is not None and began == ended:
        return None, None
    first, last = trained or (None, None)
    return (
        began if began is None or first is None else min(began, first),
        ended if ended is None or last is None else max(ended, last),
    )


def _training(story: Story) -> tuple[int, int] | None:
    """First and last report of progress; None where training was not seen to last."""
    first, last = story.steps["ts_ns"].min(), story.steps["ts_ns"].max()
    return (first, last) if isinstance(first, int) and isinstance(last, int) and last > first else None


_OF_GPU: Final = "node", "gpu_uuid"
_PEAKS: Final = {"full": "fb_used_bytes", "hot": "temp_core_c"}
"""Readings whose highest a vital tells, and the column that holds it."""


@dataclass(frozen=True, slots=True)
class _Sampled:
    """How GPUs are told of: SQL conditions for the run and for when they were busy, and of each GPU its readings."""

    run: str
    began: int | None
    when: str
    busy: str
    busy_from: int | None
    readings: dict[str, str]


def _sampled(ev: Evidence) -> _Sampled:
    return ev.once(("vitals of GPUs",), lambda: _conditions(ev))


def _conditions(ev: Evidence) -> _Sampled:
    trained = _training(tell(ev))
    span = _run(ev, trained)
    run = _between(span)
    when, busy = ("while training", _between(trained)) if trained else ("over the run", run)
    readings = {
        "engine": f"MEDIAN(CASE WHEN {busy} THEN engine_active END)",
        "sm": f"MEDIAN(CASE WHEN {busy} THEN sm_active END)",
        "full": "MAX(CASE WHEN fb_total_bytes > 0 THEN CAST(fb_used_bytes AS DOUBLE) / fb_total_bytes END)",
        "hot": "MAX(temp_core_c)",
        "capacity": "MAX(fb_total_bytes)",
        **_levels("fb_used_bytes", _long(ev, trained)),
    }
    return _Sampled(run, span[0], when, busy, trained[0] if trained else span[0], readings)


@together
def _each(ev: Evidence) -> Question:
    """What is told of each GPU: the expressions are those of the claims."""
    told = _sampled(ev)
    return Question({name: pl.sql_expr(sql) for name, sql in told.readings.items()}, pl.sql_expr(told.run))


@together
def _stretches(ev: Evidence) -> Question:
    known = pl.col("sm_active").is_not_null() & pl.sql_expr(_sampled(ev).busy)
    stretch_ns = int(ev.threshold("vitals.sm_stretch")) * 10**9
    return Question({"reading": pl.col("sm_active").median()}, known, stretch_ns)


@together
def _drawn(ev: Evidence) -> Question:
    """Energy of each GPU as its SQL in `_energy` tells it."""
    gap = int(ev.threshold("vitals.power_gap")) * 10**9
    more, apart = pl.col("energy_mj").diff(), pl.col("ts_ns").diff()
    drawn = (pl.col("power_w") * apart / 1000).round().cast(pl.Int64)
    told = {
        "counted": pl.col("energy_mj").count(),
        "powered": pl.col("power_w").count(),
        "mj": _sum(pl.when(more > 0).then(more)),
        "uj": _sum(pl.when(apart <= gap).then(drawn)),
    }
    return Question(told, pl.sql_expr(_sampled(ev).run))


def _sum(values: pl.Expr) -> pl.Expr:
    """As SQL adds up: of nothing it is null."""
    return pl.when(values.count() > 0).then(values.sum())


def _gpus(ev: Evidence) -> dict[str, Claim]:
    """How busy, full and hot GPUs were, and what they drew."""
    told = _sampled(ev)
    run, when, busy, readings = told.run, told.when, told.busy, told.readings
    each = _each(ev)
    first = ev.rows("gpu_samples", busy, since_ns=told.busy_from)
    found: dict[str, Claim] = {}
    for name, words in (("engine", "Engine activity"), ("sm", "SM activity")):
        known = each.drop_nulls(name)
        if known.is_empty():
            continue
        sql = (
            f"SELECT MEDIAN(reading) FROM (SELECT {readings[name]} AS reading FROM gpu_samples WHERE {run}"
            " GROUP BY node, gpu_uuid) AS gpus"
        )
        text = f"{words} {when}: median over {known.height} GPUs of the median of each"
        found[name] = _claim(name, text, sql, known[name].median(), "1", "gpu_samples", first)
        ranked = known.sort(name, *_OF_GPU, nulls_last=True)
        if known.height > 1:
            for which, row in (("lowest", ranked.row(0, named=True)), ("highest", ranked.row(-1, named=True))):
                text = f"{words} {when}, {which} median: {_named(row)}"
                found[f"{name}_{which}"] = _of_one(ev, f"{name}_{which}", text, readings[name], row, name, run, "1")
    for name, column, words, unit in (
        ("gpu_memory_peak", "full", "Highest share of a GPU's memory in use", "1"),
        ("temperature", "hot", "Highest core temperature", "C"),
    ):
        known = each.drop_nulls(column).sort(column, *_OF_GPU, descending=[True, False, False], nulls_last=True)
        if known.height:
            row = known.row(0, named=True)
            text = f"{words}: {_named(row)}"
            found[name] = _of_one(ev, name, text, readings[column], row, column, run, unit, peak=_PEAKS[column])
    if (growth := memory_growth(ev)) is not None:
        found["gpu_memory_growth"] = growth.claim
    return found | _minutes(ev, busy, when, first) | _energy(ev, run, first)


@dataclass(frozen=True, slots=True)
class Growth:
    """The GPU whose memory in use clearly grew all through training, fastest of all."""

    claim: Claim
    node: str
    gpu_uuid: str | None


def memory_growth(ev: Evidence) -> Growth | None:
    """Where a GPU's memory in use grew; None where none did, or training was too short to tell it from a warm-up."""
    told = _sampled(ev)
    grown = _grown(ev, _each(ev)) if "slope" in told.readings else None
    if grown is None:
        return None
    text = f"Growth of used GPU memory an hour, first to last third of training, where it is most: {_named(grown)}"
    claim = _of_one(ev, "gpu_memory_growth", text, told.readings["slope"], grown, "slope", told.run, "GiB/h")
    return Growth(claim, grown["node"], grown["gpu_uuid"])


def _named(row: dict[str, Any]) -> str:
    return f"{row['node']} {gpu_called(row['gpu_uuid'])}" if row.get("gpu_uuid") else str(row["node"])


def _of_one(
    ev: Evidence,
    name: str,
    text: str,
    expression: str,
    row: dict[str, Any],
    column: str,
    run: str,
    unit: str,
    table: str = "gpu_samples",
    *,
    peak: str | None = None,
) -> Claim:
    """A claim about one GPU or node: the expression of the pass over all, for its rows alone.

    It cites the first of them, or those that hold the highest ``peak``.
    """
    keys = _OF_GPU if "gpu_uuid" in row else ("node",)
    mine = " AND ".join(f"{key} IS NULL" if row[key] is None else f"{key} = {literal(row[key])}" for key in keys)
    where = f"{mine} AND {run}"
    highest = None if peak is None else ev.sql(f"SELECT MAX({peak}) FROM {table} WHERE {where}").item()
    cited = ev.rows(table, where if highest is None else f"{where} AND {peak} = {literal(highest)}")
    return _claim(name, text, f"SELECT {expression} FROM {table} WHERE {where}", row[column], unit, table, cited)


def _minutes(ev: Evidence, busy: str, when: str, first: tuple[RowRef, ...]) -> dict[str, Claim]:
    """Shares of the GPUs' minutes in which SMs were hardly, or well, at work."""
    stretch = int(ev.threshold("vitals.sm_stretch"))
    low, high = ev.threshold("vitals.sm_low"), ev.threshold("vitals.sm_high")
    source = (
        f"(SELECT MEDIAN(sm_active) AS reading FROM (SELECT node, gpu_uuid, sm_active, ts_ns // {stretch * 10**9}"
        f" AS stretch FROM gpu_samples WHERE sm_active IS NOT NULL AND {busy}) AS samples"
        " GROUP BY node, gpu_uuid, stretch) AS stretches"
    )
    rows = _Rows(ev, "gpu_samples", source, first, _stretches(ev))
    share = "AVG(CASE WHEN reading {sign} {limit} THEN 1 WHEN reading IS NOT NULL THEN 0 END)"
    told = f"Share of the GPUs' stretches of {stretch} s {when} with median SM activity"
    rows.ask("sm_below", f"{told} below {low:.0%}", share.format(sign="<", limit=low), "1")
    rows.ask("sm_above", f"{told} above {high:.0%}", share.format(sign=">", limit=high), "1")
    return rows.answers()


def _energy(ev: Evidence, run: str, first: tuple[RowRef, ...]) -> dict[str, Claim]:
    """Energy of all GPUs: from their counters where all have one, else power times time where all tell power."""
    gap = int(ev.threshold("vitals.power_gap")) * 10**9
    before = "OVER (PARTITION BY node, gpu_uuid ORDER BY ts_ns)"
    # A counter that falls began anew; a gap in readings of power adds nothing.
    source = (
        f"(SELECT node, gpu_uuid, energy_mj, power_w, energy_mj - LAG(energy_mj) {before} AS more,"
        f" CAST(ROUND(power_w * (ts_ns - LAG(ts_ns) {before}) / 1000) AS BIGINT) AS drawn,"
        f" ts_ns - LAG(ts_ns) {before} AS apart FROM gpu_samples WHERE {run}) AS ticks"
    )
    gpus = "(SELECT COUNT(energy_mj) AS counted, COUNT(power_w) AS powered,"
    gpus += " SUM(CASE WHEN more > 0 THEN more END) AS mj,"
    gpus += f" SUM(CASE WHEN apart <= {gap} THEN drawn END) AS uj FROM {source} GROUP BY node, gpu_uuid) AS gpus"
    rows = _Rows(ev, "gpu_samples", gpus, first, _drawn(ev))
    rows.ask("counters", "Energy of all GPUs by their counters", _whole("counted", "mj", _KWH_IN_UJ // 1000), "kWh")
    rows.ask("power", "Energy of all GPUs, power times time", _whole("powered", "uj", _KWH_IN_UJ), "kWh")
    told = rows.answers()
    best = told.get("counters", told.get("power"))
    return {} if best is None else {"energy": replace(best, id="V.energy")}


def _whole(count: str, total: str, in_kwh: int) -> str:
    """SQL of a sum over GPUs in kWh; null unless every one of them has readings."""
    return f"CASE WHEN MIN({count}) > 0 THEN CAST(SUM({total}) AS DOUBLE) / {in_kwh} END"


def _host(ev: Evidence, story: Story) -> dict[str, Claim]:
    """Whether the memory in use on a node grew and grew."""
    trained = _long(ev, _training(story))
    if trained is None:
        return {}
    used = "memory_total_bytes - memory_available_bytes"
    readings = {"capacity": "MAX(memory_total_bytes)", **_levels(used, trained)}
    columns = ", ".join(f"{sql} AS {name}" for name, sql in readings.items())
    run = _between(trained)
    each = ev.sql(f"SELECT node, {columns} FROM host_samples WHERE {run} GROUP BY node", row_limit=_MOST)
    grown = _grown(ev, each.sort("node"))
    if grown is None:
        return {}
    text = f"Growth of used host memory an hour, first to last third of training, where it is most: {grown['node']}"
    name = "host_memory_growth"
    return {name: _of_one(ev, name, text, readings["slope"], grown, "slope", run, "GiB/h", "host_samples")}


# --- growth ---------------------------------------------------------------------------------------------------------
def _long(ev: Evidence, trained: tuple[int, int] | None) -> tuple[int, int] | None:
    """``trained`` where it is long enough to tell growth from warm-up."""
    if trained is None or trained[1] - trained[0] < ev.threshold("vitals.growth_span") * 1e9:
        return None
    return trained


def _levels(column: str, trained: tuple[int, int] | None) -> dict[str, str]:
    """SQL of the medians of ``column`` in each third of training, and of Tukey's resistant line through them."""
    if trained is None:
        return {}
    began, ended = trained
    third = (ended - began) // 3
    edges = ((began, began + third), (began + third + 1, ended - third - 1), (ended - third, ended))
    early, middle, late = (f"CASE WHEN ts_ns BETWEEN {a} AND {b} THEN {column} END" for a, b in edges)
    apart = _GIB * (2 * third / _HOUR_NS)
    return {
        "early": f"MEDIAN({early})",
        "middle": f"MEDIAN({middle})",
        "late": f"MEDIAN({late})",
        "noise": f"QUANTILE_CONT({middle}, 0.75) - QUANTILE_CONT({middle}, 0.25)",
        "slope": f"(MEDIAN({late}) - MEDIAN({early})) / {apart!r}",
    }


def _grown(ev: Evidence, each: pl.DataFrame) -> dict[str, Any] | None:
    """The row that grew fastest of those that clearly grew all the time; None where none did."""
    rise = pl.col("late") - pl.col("early")
    half = pl.min_horizontal(pl.col("middle") - pl.col("early"), pl.col("late") - pl.col("middle"))
    clear = each.filter(
        (rise > ev.threshold("vitals.growth_share") * pl.col("capacity"))
        & (half >= ev.threshold("vitals.growth_even") * rise)
        & (rise >= ev.threshold("vitals.growth_noise") * pl.col("noise"))
    ).sort("slope", descending=True, maintain_order=True)
    return None if clear.is_empty() else clear.row(0, named=True)


# --- warnings -------------------------------------------------------------------------------------------------------
def _warnings(ev: Evidence, story: Story, found: dict[str, Claim]) -> tuple[str, ...]:
    """What is beyond what it should be, each a sentence."""
    told = []
    mfu = found.get("mfu")
    if mfu is not None and story.steps["mfu"].count() >= ev.threshold("d.least_steps"):
        low = ev.threshold("vitals.mfu_low")
        if float(mfu.value or 0) < low:
            told.append(
                f"The median MFU was {float(mfu.value or 0):.0%}: below {low:.0%} is low, 35 to 45% is typical."
            )
    hot = found.get("temperature")
    if hot is not None:
        limit = ev.threshold("vitals.temperature")
        if float(hot.value or 0) >= limit:
            where = hot.text.partition(": ")[2]
            told.append(f"{where} reached {hot.value} C; an alert is due from {limit:g} C.")
    for name, what in (("gpu_memory_growth", "GPU"), ("host_memory_growth", "host")):
        if name in found:
            where = found[name].text.partition(": ")[2]
            told.append(
                f"Used {what} memory grew by {shown(found[name].value)} GiB an hour all through training: {where}."
            )
    return tuple(told)
