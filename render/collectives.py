"""Collectives as each rank saw them, from every source that tells of them, in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.render.tables import lazy

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

GROUP: Final = ("table", "comm", "comm_desc", "coll_seq")
"""What the ranks of one collective have in common."""


def seen(evidence: Evidence) -> pl.LazyFrame:
    """One row a rank and collective, on the aligned clock.

    Returns:
        Columns ``table``, ``node``, ``seq``, ``rank``, ``comm``, ``comm_desc``, ``comm_size``, ``op``, ``coll_seq``,
        ``bytes``, ``sizes``; ``begin`` (ns), where it was enqueued; ``end`` (ns), where it was seen to be complete, or
        the call returned, null where it was left open; ``ends_with`` says which, in words.
    """
    return pl.concat([_calls(evidence), _flight_recorder(evidence)])


def _calls(evidence: Evidence) -> pl.LazyFrame:
    aligned = pl.col("ts_ns") - pl.col("ts_mono_ns")
    begin = pl.coalesce(pl.col("enqueue_mono_ns") + aligned, "ts_ns")
    complete = pl.col("complete_mono_ns") + aligned
    columns = ("ts_ns", "ts_mono_ns", "node", "seq", "rank", "comm", "op", "coll_seq", "bytes", "comm_size")
    times = ("enqueue_mono_ns", "complete_mono_ns", "duration_ns")
    return (
        lazy(evidence, "nccl_collectives", *columns, *times)
        .filter(pl.col("ts_ns").is_not_null())
        .select(
            *("node", "seq", "rank", "comm", "op", "coll_seq", "bytes", "comm_size"),
            comm_desc=pl.lit(None, pl.String),
            sizes=pl.lit(None, pl.String),
            table=pl.lit("nccl_collectives"),
            begin=begin,
            end=pl.coalesce(complete, begin + pl.col("duration_ns").fill_null(0)),
            ends_with=pl.when(complete.is_null())
            .then(pl.lit("return of the call; completion was not captured"))
            .otherwise(pl.lit("completion")),
        )
    )


def _flight_recorder(evidence: Evidence) -> pl.LazyFrame:
    done = pl.col("complete_ns") + pl.col("ts_ns") - pl.col("enqueue_ns")
    over = pl.col("retired").fill_null(value=False) | (pl.col("state") == "completed").fill_null(value=False)
    columns = ("ts_ns", "node", "seq", "rank", "comm", "op", "coll_seq", "comm_size", "comm_desc", "sizes", "state")
    return (
        lazy(evidence, "flight_recorder", *columns, "enqueue_ns", "complete_ns", "retired")
        .filter(pl.col("ts_ns").is_not_null())
        .select(
            *("node", "seq", "rank", "comm", "op", "coll_seq"),
            bytes=pl.lit(None, pl.Int64),
            comm_size="comm_size",
            comm_desc="comm_desc",
            sizes="sizes",
            table=pl.lit("flight_recorder"),
            begin="ts_ns",
            end=pl.when(done.is_not_null()).then(done).when(over).then(pl.col("ts_ns")),
            ends_with=pl.when(done.is_not_null())
            .then(pl.lit("completion, when the watchdog saw it"))
            .when(over)
            .then(pl.lit("nothing: done, but when was not captured"))
            .otherwise(pl.concat_str(pl.lit("nothing: "), pl.col("state").fill_null("not complete"))),
        )
    )
