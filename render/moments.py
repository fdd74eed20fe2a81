"""What happened when: the points and stretches in time that every view with a time axis draws.

Rows without an aligned time cannot be placed and are counted, not guessed. Where a table holds more rows than a view
can carry, the rows that matter most are kept and the rest is counted too.
"""

from __future__ import annotations

from dataclasses import dataclass
from signal import Signals
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.render.tables import lazy
from inquest.render.wording import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.analyze.evidence import Evidence

Kind = Literal["error", "follows", "marker", "exit", "signal", "scheduler", "kernel"]

MOST_A_KIND: Final = 20_000
"""Moments kept of one kind: a rank that prints an error a million times adds nothing after this."""

TEXT_LIMIT: Final = 500


@dataclass(frozen=True, slots=True)
class Moment:
    """One event: when, where, of which kind, in words, and the row it was read from."""

    ts_ns: int
    node: str
    rank: int | None
    kind: Kind
    text: str
    table: str
    seq: int


@dataclass(frozen=True, slots=True)
class Life:
    """One process of the job. ``end_ns`` is None where it was never seen to end."""

    node: str
    pid: int
    rank: int | None
    role: str
    command: str
    begin_ns: int
    end_ns: int | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Story:
    """All moments in order of time, and what could not be told."""

    moments: tuple[Moment, ...]
    lives: tuple[Life, ...]
    untimed: int
    left_out: int


def signal_name(number: int) -> str:
    """``SIGKILL`` for 9; real-time signals by number."""
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"


def ending(exit_code: int | None, term_signal: int | None) -> str:
    """How a process ended, in words; empty when the row does not say."""
    if term_signal is not None:
        return f"killed by {signal_name(term_signal)}"
    return "" if exit_code is None else f"exit code {exit_code}"


def tell(evidence: Evidence) -> Story:
    """Read every table that holds events of the run."""
    kept: list[Moment] = []
    untimed = left_out = 0
    told = pl.col("ts_ns").is_not_null() & ((pl.col("kind") != "kernel") | _near(evidence))
    for frame in (
        _log_events(evidence),
        _exceptions(evidence),
        _exits(evidence),
        _signals(evidence),
        _scheduler(evidence),
        _kernel(evidence),
    ):
        counts = frame.select(all=pl.len(), timed=pl.col("ts_ns").count())
        timed = frame.filter(told).sort("weight", "ts_ns", "node", "seq").head(MOST_A_KIND)
        total, with_time = counts.collect().row(0)
        untimed += total - with_time
        moments = [_moment(row) for row in timed.collect().iter_rows(named=True)]
        left_out += with_time - len(moments)
        kept += moments
    kept.sort(key=lambda m: (m.ts_ns, m.node, -1 if m.rank is None else m.rank, m.table, m.seq))
    return Story(tuple(kept), tuple(_lives(evidence)), untimed, left_out)


def _moment(row: dict[str, Any]) -> Moment:
    return Moment(
        row["ts_ns"],
        row["node"],
        row["rank"],
        row["kind"],
        one_line(row["text"] or "", TEXT_LIMIT),
        row["table"],
        row["seq"],
    )


def _frame(
    frame: pl.LazyFrame, table: str, kind: str | pl.Expr, text: pl.Expr, weight: pl.Expr | None = None
) -> pl.LazyFrame:
    names = frame.collect_schema().names()
    return frame.select(
        "ts_ns",
        "node",
        "seq",
        rank=pl.col("rank") if "rank" in names else pl.lit(None, pl.Int64),
        kind=pl.lit(kind) if isinstance(kind, str) else kind,
        text=text,
        table=pl.lit(table),
        weight=pl.lit(0) if weight is None else weight,
    )


def _near(evidence: Evidence) -> pl.Expr:
    """Of what the kernel said: days before the run it would squeeze the run itself to a line."""
    begin, end = evidence.info.start_ns, evidence.info.end_ns
    margin = int(evidence.threshold("run.margin") * 1e9)
    if begin is None or end is None:
        return pl.lit(value=True)
    return pl.col("ts_ns").is_between(begin - margin, end + margin)


def _of_the_run(evidence: Evidence) -> pl.Expr:
    """Rows of facts that are not the kernel's, have no time, or lie near the run."""
    return pl.col("source").ne_missing("kernel_log") | pl.col("ts_ns").is_null() | _near(evidence)


def _log_events(evidence: Evidence) -> pl.LazyFrame:
    frame = lazy(evidence, "fact_events", "ts_ns", "node", "seq", "rank", "role", "kind", "text", "source").filter(
        pl.col("role").ne_missing("progress"),
        _of_the_run(evidence),
    )
    role = pl.col("role")
    kind = pl.when(role == "root").then(pl.lit("error")).when(role == "marker").then(pl.lit("marker"))
    weight = pl.when(role == "root").then(0).when(role == "marker").then(1).otherwise(2)
    text = pl.format("{}: {}", pl.col("kind").fill_null("event"), pl.col("text").fill_null(""))
    return _frame(frame, "fact_events", kind.otherwise(pl.lit("follows")), text, weight)


def _exceptions(evidence: Evidence) -> pl.LazyFrame:
    frame = lazy(evidence, "fact_exceptions", "ts_ns", "node", "seq", "rank", "exc_type", "message", "fatal").filter(
        "fatal"
    )
    text = pl.format("{}: {}", pl.col("exc_type").fill_null("exception"), pl.col("message").fill_null(""))
    return _frame(frame.filter("fatal"), "fact_exceptions", "error", text)


def _exits(evidence: Evidence) -> pl.LazyFrame:
    frame = lazy(
        evidence,
        "fact_exits",
        *("ts_ns", "node", "seq", "rank", "role", "said_by", "pid", "exit_code", "term_signal", "source"),
    ).filter(_of_the_run(evidence))
    signal = pl.col("term_signal")
    how = (
        pl.when(signal.is_not_null())
        .then(pl.format("killed by {}", signal.map_elements(signal_name, return_dtype=pl.String)))
        .otherwise(pl.format("exit code {}", pl.col("exit_code").cast(pl.String).fill_null("unknown")))
    )
    text = pl.format("{} (said by {})", how, pl.col("said_by").fill_null("unknown"))
    return _frame(frame, "fact_exits", "exit", text)


def _signals(evidence: Evidence) -> pl.LazyFrame:
    frame = lazy(
        evidence,
        "processes",
        *("ts_ns", "node", "seq", "rank", "event", "signal", "role", "sender_pid", "sender_command"),
    ).filter(pl.col("event") == "signal", pl.col("signal").is_not_null())
    sender = (
        pl.when(pl.col("sender_pid") == 0)
        .then(pl.lit(", sent by the kernel"))
        .when(pl.col("sender_pid").is_not_null())
        .then(pl.format(", sent by {} (pid {})", pl.col("sender_command").fill_null("?"), "sender_pid"))
        .otherwise(pl.lit(""))
    )
    name = pl.col("signal").map_elements(signal_name, return_dtype=pl.String)
    text = pl.format("{} received by {}{}", name, pl.col("role").fill_null("process"), sender)
    return _frame(frame, "processes", "signal", text)


def _scheduler(evidence: Evidence) -> pl.LazyFrame:
    events = lazy(evidence, "slurm_events", "ts_ns", "node", "seq", "event", "state", "reason", "detail")
    words = pl.concat_str(
        [pl.col(name) for name in ("event", "state", "reason", "detail")], separator=", ", ignore_nulls=True
    )
    nodes = lazy(evidence, "slurm_nodes", "ts_ns", "node", "seq", "slurm_node_name", "state", "reason").filter(
        (pl.col("state") != pl.col("state").shift(1).over("slurm_node_name")).fill_null(value=True)
    )
    state = pl.concat_str([pl.lit("node"), "slurm_node_name", "state", "reason"], separator=" ", ignore_nulls=True)
    return pl.concat(
        [_frame(events, "slurm_events", "scheduler", words), _frame(nodes, "slurm_nodes", "scheduler", state)]
    )


def _kernel(evidence: Evidence) -> pl.LazyFrame:
    frame = lazy(evidence, "kernel_log", "ts_ns", "node", "seq", "level", "text")
    return _frame(frame, "kernel_log", "kernel", pl.col("text"), pl.col("level").fill_null(7).cast(pl.Int32))


def _lives(evidence: Evidence) -> Iterator[Life]:
    """Processes by (node, capture, pid, start): a pid that was used again is another life."""
    seen = lazy(
        evidence,
        "processes",
        *("ts_ns", "node", "capture", "seq", "event", "role", "pid", "start_mono_ns"),
        *("command", "rank", "exit_code", "term_signal"),
    ).filter(pl.col("ts_ns").is_not_null(), pl.col("pid").is_not_null(), pl.col("event") != "signal")
    ended = pl.col("event").is_in(["exit", "gone"])
    process = ("node", "capture", "pid")
    lives = (
        seen.sort("node", "capture", "seq")
        .with_columns(pl.col("start_mono_ns").forward_fill().backward_fill().over(process))
        .group_by(*process, "start_mono_ns", maintain_order=True)
        .agg(
            pl.col("rank", "role", "command", "exit_code", "term_signal").drop_nulls().last(),
            begin=pl.col("ts_ns").min(),
            end=pl.col("ts_ns").filter(ended).max(),
            event=pl.col("event").filter(ended).last(),
        )
        .sort("node", "begin", "pid")
        .head(MOST_A_KIND)
        .collect()
    )
    for row in lives.iter_rows(named=True):
        gone = "gone, status not seen" if row["event"] == "gone" else ""
        yield Life(
            row["node"],
            row["pid"],
            row["rank"],
            row["role"] or "other",
            one_line(row["command"] or "process", 60),
            row["begin"],
            row["end"],
            ending(row["exit_code"], row["term_signal"]) or gone,
        )
