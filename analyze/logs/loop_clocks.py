"""The clocks of a step in a line of text: ``fwd+bwd 0.137s``, ``allreduce_ms=12.5``, ``checkpoint saved in 1.2 s``.

Which part of a step a name means is ``inquest.bundle.timers``' to say; this module finds names, numbers and units.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from inquest.bundle.timers import CLOCKS, COMM, COMPUTE, DATA, SAVE, STEP, Timer, chosen, timer_of

WORDS: Final = (
    r"(?i)fetch|input|\bio\b|reader|loader|got batch|wait|fwd|forward|bwd|backward|comput|calc|optim|model|kernel"
    r"|reduce|gather|comm|nccl|sync|barrier|sav(?:e|ing)|ckpt|checkpoint|snapshot|wrote|writ(?:e|ing)|archiv|exchang"
    r"|feed|decod|decompress|unpack|unzip|starv|learn(?:ing)? \d|data_?(?:ms|s|secs?|seconds)\b"
)
"""Without one of these a line tells no clock but those of the whole step and of its data."""
_NAME: Final = r"((?:[A-Za-z][A-Za-z0-9_.+/-]{0,60} ){0,3}[A-Za-z][A-Za-z0-9_.+/-]{0,60}(?: ?\((?:ms|s)\))?)"
_UNIT: Final = r"(ms|us|s|secs?|seconds?|msec)?"
_READING: Final = (
    rf"""{_NAME}["']?[ \t]{{0,8}}[:=]?[ \t]{{0,8}}\(?(\d{{1,9}}(?:\.\d{{1,9}})?) ?{_UNIT}(?:[\s,;|)\]}}]|$)"""
)
"""A name of up to four words, a number, and the unit behind it, where there is one."""
_ROUNDED: Final = 1.01
"""A step that is all waiting may round to less than its wait."""


def loop_clocks(text: pl.Series) -> pl.DataFrame:
    """What the clocks in each line read: ``CLOCKS``, in seconds, null where a line does not tell."""
    lines = pl.DataFrame({"line": pl.int_range(len(text), eager=True), "text": text})
    found = lines.filter(pl.col("text").str.contains(WORDS)).select(
        "line", reading=pl.col("text").str.slice(0, 4096).str.extract_all(_READING)
    )
    part = pl.col("reading").str.extract_groups(_READING).struct
    readings = (
        found.filter(pl.col("reading").list.len() > 0)
        .explode("reading")
        .select(
            "line",
            name=part.field("1").str.replace_all(r"\d+", ""),
            value=part.field("2").cast(pl.Float64, strict=False),
            unit=part.field("3").fill_null("").str.to_lowercase(),
            pointed=part.field("2").str.contains(".", literal=True),
        )
    )
    known = _known(readings)
    told = readings.join(known, on=["name", "unit"]).filter((pl.col("unit") != "") | "certain" | "pointed")
    # Of one clock told twice in a line (the last value, then the mean) the first counts.
    told = told.unique(["line", "column", "name"], keep="first", maintain_order=True)
    columns = [
        told.filter(pl.col("column") == column)
        .group_by("line")
        .agg((pl.col("value") * pl.col("seconds")).sum().alias(column))
        for column in CLOCKS
    ]
    joined = lines.select("line")
    for each in columns:
        joined = joined.join(each, on="line", how="left", maintain_order="left")
    return joined.select(CLOCKS)


def _known(readings: pl.DataFrame) -> pl.DataFrame:
    """Names and units of clocks that count: ``column``, ``seconds`` of a unit, ``certain`` where the name tells it."""
    counted = readings.group_by("name", "unit").len().sort("len", "name", "unit", descending=[True, False, False])
    timers: list[tuple[str, Timer]] = []
    for name, unit, _ in counted.iter_rows():
        timer = timer_of(f"{name} {unit}")
        if timer is not None:
            timers.append((f"{name}\n{unit}", timer))
    taken = [
        (both, timer) for column in CLOCKS for both in chosen(column, timers) for name, timer in timers if name == both
    ]
    return pl.DataFrame(
        [
            {
                "name": both.partition("\n")[0],
                "unit": both.partition("\n")[2],
                "column": timer.column,
                "seconds": timer.seconds or 1.0,
                "certain": timer.seconds is not None,
            }
            for both, timer in taken
        ],
        schema={
            "name": pl.String,
            "unit": pl.String,
            "column": pl.String,
            "seconds": pl.Float64,
            "certain": pl.Boolean,
        },
    )


def agreed(parts: dict[str, pl.Expr]) -> dict[str, pl.Expr]:
    """``CLOCKS`` that agree: without one of the whole its parts make it up; what is longer than it is none of them."""
    step = parts[STEP]
    others = pl.any_horizontal(parts[name].is_not_null() for name in (DATA, COMM, SAVE))
    made_up = pl.when(parts[COMPUTE].is_not_null() & others).then(
        pl.sum_horizontal(parts[name] for name in CLOCKS if name != STEP)
    )
    whole = pl.coalesce(step, made_up)
    # Who waits for longer than what is called a step does not count the wait to it; of a save, the last may be told
    # with each step.
    beside = pl.when(parts[DATA] > whole * _ROUNDED).then(parts[DATA]).fill_null(0.0)
    whole = whole + beside
    return {
        STEP: whole,
        **{
            name: pl.when((part <= whole * _ROUNDED).fill_null(value=True)).then(part)
            for name, part in parts.items()
            if name != STEP
        },
    }


# --- clocks printed apart from the step's own line ------------------------------------------------------------------
APART: Final = r"time \(ms\) \| fwd: |^ {4}[a-z][a-z-]{2,60} \.+: \(\d+\.\d+, \d+\.\d+\)"
"""Lines of DeepSpeed's clocks (wall_clock_breakdown) and of Megatron-LM's timers, one a clock."""
_DEEPSPEED: Final = (
    r"time \(ms\) \| fwd: ([\d.]+) \| bwd: ([\d.]+) \| bwd_inner: ([\d.]+) \| bwd_allreduce: ([\d.]+) \| step: ([\d.]+)"
)
_MEGATRON: Final = r"^ {4}([a-z][a-z-]{2,60}) \.+: \((\d+\.\d+), (\d+\.\d+)\)"
"""A timer, and its least and greatest reading among the ranks (megatron/core/timers.py)."""
_PARENTS: Final = ("forward-backward",)
"""Timers that hold others."""


def apart_clocks(lines: pl.DataFrame) -> pl.DataFrame:
    """The clocks that stand on lines of their own: ``line_seq`` of a report's first line, and ``CLOCKS`` in seconds.

    Args:
        lines: Lines of a store, in order, with ``node``, ``capture``, ``source``, ``seq`` and ``text``.
    """
    place = ["node", "capture", "source"]
    told = lines.filter(pl.col("text").str.contains(APART))
    if told.is_empty():
        return pl.DataFrame()
    ms = pl.col("text").str.extract_groups(_DEEPSPEED).struct
    fwd, bwd, inner, reduce, step = (ms.field(str(n)).cast(pl.Float64, strict=False) / 1000 for n in range(1, 6))
    deepspeed = told.select(
        *place, line_seq="seq", **{STEP: fwd + bwd + step, COMPUTE: fwd + inner + step, COMM: reduce}
    ).drop_nulls(STEP)
    part = pl.col("text").str.extract_groups(_MEGATRON).struct
    timers = told.select(
        *place, "seq", name=part.field("1"), least=part.field("2").cast(pl.Float64, strict=False) / 1000
    ).filter(pl.col("least").is_not_null() & ~pl.col("name").is_in(_PARENTS))
    # Timers of one report follow each other line by line.
    timers = timers.with_columns(report=(pl.col("seq").diff() > 1).fill_null(value=True).cum_sum().over(place))
    names = {name: timer.column for name in timers["name"].unique() if (timer := timer_of(f"{name} ms")) is not None}
    timers = timers.with_columns(column=pl.col("name").replace_strict(names, default=None, return_dtype=pl.String))
    columns = {name: pl.col("least").filter(pl.col("column") == name).sum() for name in (COMPUTE, COMM, SAVE)}
    megatron = timers.group_by(*place, "report", maintain_order=True).agg(
        pl.col("seq").first().alias("line_seq"), **columns
    )
    megatron = megatron.with_columns(**{STEP: pl.sum_horizontal(COMPUTE, COMM, SAVE)}).drop("report")
    found = pl.concat([deepspeed, megatron], how="diagonal")
    return found.filter(pl.col(STEP) > 0).sort(*place, "line_seq")
