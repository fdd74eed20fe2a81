"""The clocks of a step in a line of text: ``fwd+bwd 0.137s``, ``allreduce_ms=12.5``, ``checkpoint saved in 1.2 s``.

Which part of a step a name means is ``inquest.bundle.timers``' to say; this module finds names, numbers and units.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from inquest.bundle.timers import (
    A_STEPS_TIME,
    CLOCKS,
    COMM,
    COMPUTE,
    DATA,
    SAVE,
    STEP,
    Timer,
    chosen,
    tells_a_wait,
    tells_of_others,
    timer_of,
)

WORDS: Final = (
    r"(?i)\bt_?data|t_?iter\b|fetch|input|\bio\b|reader|loader|got batch|batch (?:ready|arrived|came)|wait"
    r"|fwd|forward|bwd|backward|comput|calc|optim|model|kernel"
    r"|reduce|gather|comm|nccl|sync|barrier|sav(?:e|ing)|ckpt|checkpoint|snapshot|wrote|writ(?:e|ing)|archiv|exchang"
    r"|feed|decod|decompress|unpack|unzip|starv|peers? \d|learn(?:ing)? \d|data_?(?:ms|s|secs?|seconds)\b"
    r"|rechn|reken|laskenta|\u0440\u0430\u0441\u0447|\u0432\u044b\u0447\u0438\u0441\u043b|\u8ba1\u7b97|\u8a08\u7b97|\u6f14\u7b97|\uacc4\uc0b0|\uc5f0\uc0b0|attes|attente|espera|warte|wacht"
    r"|\u043e\u0436\u0438\u0434\u0430\u043d|\u7b49\u5f85|\u5f85|\ub300\uae30"
    r"|ladezeit|lesezeit|lectur|lettura|leitura|lecture|carga|charge|\bler\b|\blire\b|troca|scambio|[e\u00e9]change|intercamb"
    r"|austausch|sicherung|sauv|guardad|salva|grava|[e\u00e9]crit|escri|scritt|starve|exec|persist|serializ|\betl\b|infeed"
    r"|\u043e\u0431\u043c\u0435\u043d|\u0447\u0442\u0435\u043d\u0438|\u0437\u0430\u0433\u0440\u0443\u0437\u043a|\u4ea4\u63db|\u4ea4\u6362|\uad50\ud658|\u5165\u529b|\u8f93\u5165|\uc785\ub825|\u53d6\u6570"
    rf"|{A_STEPS_TIME}"
)
"""Without one of these a line tells no clock but those of the whole step and of its data."""
_NAME: Final = (
    r"((?:[A-Za-z\x80-\x{10FFFF}][A-Za-z\x80-\x{10FFFF}0-9_.+/-]{0,60} ){0,3}"
    r"[A-Za-z\x80-\x{10FFFF}][A-Za-z\x80-\x{10FFFF}0-9_.+/-]{0,60}(?: ?\((?:ms|s)\))?)"
)
_UNIT: Final = r"(ms|us|s|secs?|seconds?|msec)?"
_VALUE: Final = r"(\d{1,9}(?:\.\d{1,9})?(?:e[-+]\d{1,2})?)"
_READING: Final = rf"""{_NAME}["']?[ \t]{{0,8}}[:=]?[ \t]{{0,8}}\(?{_VALUE} ?{_UNIT}(?:[\s,;|)\]}}]|$)"""
"""A name of up to four words, a number, and the unit behind it, where there is one."""
_SAVED_TO: Final = (
    r"(?i)\b(saved|written|wrote|dumped|archived)(?: (?:to|as|in|into|under))? [^\s,;|()./]*[./][^\s,;|()]+, "
    r"(\d[\d.]{0,12} ?(?:ms|secs?|seconds?|s))([),;|\]]|$)"
)
"""How long a save took, behind the name of what was written."""
_BEHIND: Final = r"([\s,;|)\]}]|$)"
_UNITS_ABROAD: Final = (
    ("ms", r"(\d) ?(?:\u043c\u0441(?:\u0435\u043a)?|\u6beb\u79d2|\u30df\u30ea\u79d2|\ubc00\ub9ac\ucd08)" + _BEHIND),
    ("s", r"(\d) ?(?:\u0441(?:\u0435\u043a(?:\u0443\u043d\u0434[\u0430\u044b]?)?)?|\u79d2|\ucd08)" + _BEHIND),
)
"""Units as other alphabets write them."""
_ROUNDED: Final = 1.01
"""A step that is all waiting may round to less than its wait."""


def loop_clocks(text: pl.Series) -> pl.DataFrame:
    """What the clocks in each line read: ``CLOCKS``, in seconds, null where a line does not tell."""
    lines = pl.DataFrame({"line": pl.int_range(len(text), eager=True), "text": text})
    lines = lines.with_columns(text=pl.col("text").str.replace_all(_SAVED_TO, "${1} ${2}${3}"))
    for unit, abroad in _UNITS_ABROAD:
        lines = lines.with_columns(text=pl.col("text").str.replace_all(abroad, f"${{1}} {unit}${{2}}"))
    found = lines.filter(pl.col("text").str.contains(WORDS)).select("line", reading=_readings())
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


def told_by_all(rows: pl.DataFrame) -> pl.Expr:
    """Seconds of a step that all clocks of a line add up to, where all ranks' lines of one step come to the same.

    What a clock is of need not be known for that: ranks that step together spend the same time in other ways. Null
    where
    less than two ranks tell, or some clock reads the whole.

    Args:
        rows: Lines with ``text``, ``step`` and ``rank``.
    """
    nothing = pl.lit(None, pl.Float64)
    if rows["rank"].n_unique() - rows["rank"].has_nulls() < 2:
        return nothing
    read = _read_of_ranks(rows)
    part = pl.col("reading").str.extract_groups(_READING).struct
    read = read.select(
        "step",
        "rank",
        "line",
        name=part.field("1"),
        value=part.field("2").cast(pl.Float64, strict=False),
        unit=part.field("3").str.to_lowercase().replace_strict(_SECONDS, default=None, return_dtype=pl.Float64),
    ).drop_nulls()
    timers = {name: timer_of(f"{name} s") for name in read["name"].unique()}
    if any(timer is not None and timer.column == STEP for timer in timers.values()):
        return nothing
    read = read.filter(~pl.col("name").str.contains(_NO_PART))
    sums = read.group_by("line", "step", "rank").agg(whole=(pl.col("value") * pl.col("unit")).sum(), clocks=pl.len())
    sums = sums.filter((pl.col("clocks") > 1) & (pl.col("whole") > 0))
    apart = sums.group_by("step").agg(
        ranks=pl.col("rank").n_unique(), spread=1 - pl.col("whole").min() / pl.col("whole").max()
    )
    apart = apart.filter(pl.col("ranks") > 1)
    if apart.height < _TOLD or apart.select((pl.col("spread") <= _ALIKE).mean()).item() < _MOSTLY:
        return nothing
    lines = pl.DataFrame({"line": pl.int_range(rows.height, eager=True)})
    return pl.lit(lines.join(sums, on="line", how="left", maintain_order="left")["whole"])


def waited_in_backward(rows: pl.DataFrame) -> pl.Expr | None:
    """Seconds that a rank waited for others in its backward pass, where gradients are reduced; None: untold.

    So it is where the ranks' waits for data, forward and backward passes together take the same time, step by step,
    and who is longest before the backward pass is shortest in it: nobody's own work does that.

    Args:
        rows: Lines with ``text``, ``step`` and ``rank``.
    """
    if rows["rank"].n_unique() - rows["rank"].has_nulls() < 2:
        return None
    read = _read_of_ranks(rows)
    part = pl.col("reading").str.extract_groups(_READING).struct
    read = read.select(
        "step", "rank", "line", name=part.field("1"), value=part.field("2").cast(pl.Float64, strict=False),
        unit=part.field("3").fill_null("").str.to_lowercase(),
    ).drop_nulls()  # fmt: skip
    known = _pieces_of(read)
    if known is None:
        return None
    read = read.join(known, on=["name", "unit"]).with_columns(value=pl.col("value") * pl.col("seconds"))
    passes = read.group_by("line", "step", "rank").agg(
        **{piece: pl.col("value").filter(pl.col("piece") == piece).sum() for piece in _PASSES}
    )
    passes = passes.filter(pl.all_horizontal(pl.col(*_PASSES) > 0))
    both = pl.col("forward") + pl.col("backward")
    longest, shortest = pl.col("forward").arg_max(), pl.col("backward").arg_min()
    told = passes.group_by("step").agg(
        ranks=pl.col("rank").n_unique(),
        alike=1 - both.min() / both.max() <= _ALIKE,
        turned=(longest == shortest) & (pl.col("forward").max() > _LONGER * pl.col("forward").median()),
        least=pl.col("backward").min(),
    )
    told = told.filter(pl.col("ranks") > 1)
    if told.height < _TOLD or told.select((pl.col("alike") & pl.col("turned")).mean()).item() < _MOSTLY:
        return None
    waited = passes.join(told, on="step").select("line", waited=pl.col("backward") - pl.col("least"))
    lines = pl.DataFrame({"line": pl.int_range(rows.height, eager=True)})
    return pl.lit(lines.join(waited, on="line", how="left", maintain_order="left")["waited"])


def waited_in_turn(rows: pl.DataFrame) -> tuple[pl.Expr, pl.Expr] | None:
    """Seconds that a rank waited for the others, and those of its own work; None: untold.

    A wait whose name does not tell what for is one for the others where all parts of a step come to the same on all
    ranks, who works longest waits shortest, and what makes the difference is no computing, in which a rank may wait as
    well. Where the wait is said to be for the others, it may be computing.

    Args:
        rows: Lines with ``text``, ``step`` and ``rank``.
    """
    if rows["rank"].n_unique() - rows["rank"].has_nulls() < 2:
        return None
    read = _read_of_ranks(rows)
    part = pl.col("reading").str.extract_groups(_READING).struct
    read = read.select(
        "step", "rank", "line", name=part.field("1"), value=part.field("2").cast(pl.Float64, strict=False),
        unit=part.field("3").str.to_lowercase().replace_strict(_SECONDS, default=None, return_dtype=pl.Float64),
    ).drop_nulls()  # fmt: skip
    read = read.filter(~pl.col("name").str.contains(_NO_PART))
    names = read["name"].unique(maintain_order=True).to_list()
    timers = {name: timer_of(f"{name} s") for name in names}
    waits = [name for name in names if timers[name] is None and tells_a_wait(name)]
    others = [name for name in names if name not in waits]
    columns = {name: timer.column for name in others if (timer := timers[name]) is not None}
    if len(waits) != 1 or not others or set(columns.values()) & {STEP, COMM} or any(map(tells_a_wait, others)):
        return None
    # Which parts are of computing has to be known, for it is there that a rank may wait unseen.
    counts = others if tells_of_others(waits[0]) else [name for name in others if columns.get(name) != COMPUTE]
    if len(counts) == len(others) and not tells_of_others(waits[0]):
        return None
    seconds = pl.col("value") * pl.col("unit")
    sums = read.group_by("line", "step", "rank").agg(
        waited=seconds.filter(pl.col("name") == waits[0]).sum(),
        told=(pl.col("name") == waits[0]).any(),
        own=seconds.filter(pl.col("name") != waits[0]).sum(),
        turned=seconds.filter(pl.col("name").is_in(counts)).sum(),
    )
    sums = sums.filter("told")
    both = pl.col("own") + pl.col("waited")
    apart = sums.group_by("step").agg(
        ranks=pl.col("rank").n_unique(),
        alike=1 - both.min() / both.max() <= _ALIKE,
        turned=(pl.col("turned").arg_max() == pl.col("waited").arg_min())
        & (pl.col("turned").max() > _LONGER * pl.col("turned").min()),
    )
    apart = apart.filter(pl.col("ranks") > 1)
    if apart.height < _TOLD or apart.select((pl.col("alike") & pl.col("turned")).mean()).item() < _MOSTLY:
        return None
    lines = pl.DataFrame({"line": pl.int_range(rows.height, eager=True)})
    told = lines.join(sums, on="line", how="left", maintain_order="left")
    return pl.lit(told["waited"]), pl.lit(told["own"])


def _pieces_of(read: pl.DataFrame) -> pl.DataFrame | None:
    """Which names, with which units, are of the two passes alone: ``name``, ``unit``, ``piece``, ``seconds``."""
    found = []
    for name, unit in read.select("name", "unit").unique(maintain_order=True).iter_rows():
        timer = timer_of(f"{name} {unit}")
        if timer is None:
            continue
        # What is waited for before the passes makes a rank as late as a long forward pass.
        piece = _PASSES[0] if timer.column == DATA else min(timer.pieces, default="")
        if timer.column in (COMPUTE, DATA) and len(timer.pieces) < 2 and piece in _PASSES:
            found.append({"name": name, "unit": unit, "piece": piece, "seconds": timer.seconds or 1.0})
    return pl.DataFrame(found) if {each["piece"] for each in found} == set(_PASSES) else None


_PASSES: Final = ("forward", "backward")
_LONGER: Final = 1.5
"""How many times as long as the typical one the longest forward pass takes."""
_SECONDS: Final = {
    "ms": 1e-3,
    "msec": 1e-3,
    "us": 1e-6,
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
}
_NO_PART: Final = (
    r"(?i)\b(?:eta|elapsed|remaining|left|uptime|since|total|limit|timeout|budget|epoch|eval\w*|valid\w*)\b"
)
"""Times that are no part of a step."""
_TOLD: Final = 5
"""Steps of which two ranks told."""
_ALIKE: Final = 0.2
_MOSTLY: Final = 0.8
"""By how much sums may differ, of which part of the steps."""


def _read_of_ranks(rows: pl.DataFrame) -> pl.DataFrame:
    """All readings of each line, with a ``step`` that is another one where an epoch counts anew."""
    turn = pl.int_range(pl.len()).over("rank", "step")
    read = rows.select(step=pl.struct("step", turn=turn), rank="rank", line=pl.int_range(pl.len()), reading=_readings())
    return read.explode("reading")


def _readings() -> pl.Expr:
    return pl.col("text").str.slice(0, 4096).str.extract_all(_READING)


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
    # with each step, and is the same in several.
    each_its_own = parts[SAVE].drop_nulls().n_unique() >= _EACH_ITS_OWN * parts[SAVE].count()
    for part, is_of_it in ((DATA, pl.lit(value=True)), (SAVE, each_its_own)):
        whole = whole + pl.when(is_of_it & (parts[part] > whole * _ROUNDED)).then(parts[part]).fill_null(0.0)
    return {
        STEP: whole,
        **{
            name: pl.when((part <= whole * _ROUNDED).fill_null(value=True)).then(part)
            for name, part in parts.items()
            if name != STEP
        },
    }


_EACH_ITS_OWN: Final = 0.9
"""Readings of a clock of milliseconds are seldom twice the same."""


# --- clocks printed apart from the step's own line ------------------------------------------------------------------
APART: Final = r"time \(ms\) \| (?:fwd|forward)(?:_microstep)?: |^ {4}[a-z][a-z-]{2,60} \.+: \(\d+\.\d+, \d+\.\d+\)"
"""Lines of DeepSpeed's clocks (wall_clock_breakdown) and of Megatron-LM's timers, one a clock."""
_DEEPSPEED: Final = (
    r"time \(ms\) \| (?:fwd|forward)(?:_microstep)?: ([\d.]+) \| (?:bwd|backward)(?:_microstep)?: ([\d.]+)"
    r" \| (?:bwd|backward)_inner(?:_microstep)?: ([\d.]+) \| (?:bwd|backward)_allreduce(?:_microstep)?: ([\d.]+)"
    r" \| step(?:_microstep)?: ([\d.]+)"
)
_MEGATRON: Final = r"^ {4}([a-z][a-z-]{2,60}) \.+: \((\d+\.\d+), (\d+\.\d+)\)"
"""A timer, and its least and greatest reading among the ranks (megatron/core/timers.py)."""
_GENERATOR: Final = "batch-generator"
"""The wait for the next batch, which runs within the forward pass (pretrain_gpt.py)."""
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
    names |= {_GENERATOR: DATA}
    timers = timers.with_columns(column=pl.col("name").replace_strict(names, default=None, return_dtype=pl.String))
    columns = {name: pl.col("least").filter(pl.col("column") == name).sum() for name in (COMPUTE, COMM, SAVE, DATA)}
    megatron = timers.group_by(*place, "report", maintain_order=True).agg(
        pl.col("seq").first().alias("line_seq"), **columns
    )
    # A save whose timer stands alone is no step.
    computed = (pl.col(COMPUTE) > 0) | (pl.col(COMM) > 0)
    whole = pl.when(computed).then(pl.sum_horizontal(COMPUTE, COMM, SAVE))
    megatron = megatron.with_columns(**{STEP: whole}).drop("report")
    fed = (pl.col(DATA) > 0) & (pl.col(DATA) <= pl.col(COMPUTE))
    megatron = megatron.with_columns(
        **{DATA: pl.when(fed).then(DATA), COMPUTE: pl.when(fed).then(pl.col(COMPUTE) - pl.col(DATA)).otherwise(COMPUTE)}
    )
    found = pl.concat([deepspeed, megatron], how="diagonal")
    return found.filter((pl.col(STEP) > 0) | (pl.col(SAVE) > 0)).sort(*place, "line_seq")
