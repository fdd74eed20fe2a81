"""Seconds a step and of its parts, in whichever unit a loop prints them beside its losses."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from typing import Final

import polars as pl

from inquest.analyze.logs.loop_clocks import WORDS, agreed, loop_clocks, told_by_all, waited_in_backward, waited_in_turn
from inquest.analyze.logs.step_rows import first_number, number_of, parsed, where
from inquest.analyze.logs.waits import GATE, waits
from inquest.bundle.timers import CLOCKS, COMM, COMPUTE, DATA, STEP

_A_STEP: Final = r"(?:step|it(?:er(?:ation)?)?|schritt|paso|passo|pas|stap|steg|krok|ad\u0131m|\u0448\u0430\u0433|\u6b65|\u30b9\u30c6\u30c3\u30d7|\uc2a4\ud15d|it[e\u00e9]ration|iteraci[o\u00f3]n)"
"""What a time is said to be of behind a slash, in the languages in which loops count: ``1.04 s/paso``."""
_MS: Final = (
    r"(?i)(?:elapsed time per iteration \(ms\): |\btime:? ?|iter_time:? ?|\| )([\d.]+) ?ms\b|(?:elapsed time per iteration \(ms\): |\bms/(?:step|it(?:er(?:ation)?)?)[=:] ?)([\d.]+)|([\d.]+) ?ms/"
    + _A_STEP
    + r"(?:[^=:\w]|$)|\bdt[=:] ?([\d.]+) ?ms\b"
)
_S: Final = (
    r"(?i)(?:step_timing in s|step[_ ]time|batch[_ ]?time|iter[_ ]time|time per step|(?:secs?|seconds)(?:_per_|/)(?:step|it(?:er(?:ation)?)?|batch)|\bs_per_(?:step|it(?:er)?))[\"']?[:=]? ?([\d.]+)(?:\s|s\b|,|\)|\}|$)|([\d.]+) ?s(?:/"
    + _A_STEP
    + r"| per (?:step|update|iteration|batch))\b|\btime: ([\d.]+)(?:s, {1,8}[\d.]+/s|  ?(?:data_time|last_time))|\bseconds: ([\d.]+), TFLOP"
)
_UNIT: Final = r"(ms|s|secs?|seconds?)"
_TIMER: Final = (
    rf"""["']?(?: \(t\))?[ \t]*[:=]?[ \t]*(?:(\d*\.\d+(?:e[-+]\d{{1,2}})?)(?: ?{_UNIT})?|(\d+) ?{_UNIT})\b"""
)
"""A time after its name, as a clock of a loop prints it; what has neither a point nor a unit counts something."""
_DATA_TIMER: Final = (
    r"(?i)\b(?:avg[_ ])?(?:data(?:[_ -]?(?:time|load(?:ing|er)?|wait(?:ing)?|fetch(?:ing)?|read(?:ing)?))?(?:[_ ](?:time|cost))?"
    r"|dt_data|(?-i:DT)|dataload(?:er|ing)?(?:[_ ](?:time|wait))?|(?:batch[_ ])?(?:reader|fetch|load(?:er|ing)?)[_ ](?:time|cost|wait)"
    rf"|wait(?:ed|ing)?(?:[_ ]for)?[_ ](?:data|input|batch))(?: took| in)?{_TIMER}"
)
_DATA_BEHIND: Final = (
    r"(?i)\b(\d{1,6}\.\d{1,6}) ?(ms|s|secs?|seconds?)()()(?: (?:was |were )?spent)?(?: (?:in|on|for|waiting for|waiting on|of))?"
    r" (?:the |its |a |next ){0,2}(?:data(?:loader| loading)?|input|loader|reader|loading|batch(?:es)?)\b"
)
"""The same before its name: ``of which 2.3 s data``."""
_OF_WHOLE: Final = r"(?i)\b\d{1,6}\.\d{1,6} ?(?:ms|s|secs?|seconds?) of (\d{1,6}\.\d{1,6}) ?(ms|s|secs?|seconds?)()()\b"
_IN_TOTAL: Final = r"(?i)\b(\d{1,6}\.\d{1,6}) ?(ms|s|secs?|seconds?)()() (?:in )?total\b"
"""The clock of the whole behind that of its data (``6.1 s of 6.5 s``), or before its name."""
_COMPUTING: Final = rf"(?i)\b(?:compute|comp|forward|fwd|model|gpu|train)(?:[_ ]time)?{_TIMER}"
_OF_WHICH: Final = r"(?i)(?:^|[\s(|,;])(\d{1,6}(?:\.\d{1,6})?) ?(ms|s|secs?|seconds?)()()[,;:(]{0,2} ?of which\b"
"""The whole step before one of its parts: ``14.3 s of which checkpoint 12.6 s``."""
_DATA_SHARE: Final = r"(?i)\b(?:data(?:[_ -]?(?:time|load(?:ing|er)?|wait(?:ing)?|fetch(?:ing)?))?|input|loader|loading|dataloader)[_ ]?(?:share|frac(?:tion)?|pct|percent)?[ :=)]{1,3}(\d{1,3}(?:\.\d{1,4})?) ?%"
"""What part of its step a loop waited for data, where it prints that instead of a time."""
_WHOLE_TIMER: Final = (
    r"(?i)\b(?:avg[_ ])?(?:(?:iter(?:ation)?|step|batch|total|train)(?:[_ -]?(?:time|cost))?|time(?:[_ ]per[_ ](?:iter|step|batch))?|BT|(?-i:dt))"
    rf"{_TIMER}"
)
"""The clock of the whole step that stands beside the one of its data."""
ESPNET: Final = r"\b(\d{1,6})epoch(?: results: \[train\]|:train:\d{1,12}-(\d{1,12})batch:) "


def step_times(rows: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.Expr]]:
    """Seconds a step and of its parts, in whichever unit the loop prints them, where rows tell; rows they are of."""
    rows, times = _by_names(rows)
    if not rows["text"].str.contains(GATE).any():
        return rows, times
    told = rows.select("text", waited=times[DATA], step=times[STEP]).hstack(waits(rows["text"]))
    least = _SAID * rows.height
    by_part, by_share = told["part"].count() >= least, told["share"].count() >= least and told["waited"].is_null().all()
    if not (by_part or by_share):
        return rows, times
    place = [name for name in _PLACE if name in rows.columns]
    gap = pl.col("ts_ns").diff().over(place) / 1e9 if "ts_ns" in rows.columns else pl.lit(None, pl.Float64)
    gap = pl.when(gap > _NOTHING).then(gap)
    rows = rows.with_columns(told.select("whole", "part", "share").rename(lambda name: f"said.{name}"))
    if not by_part:
        rows = rows.with_columns(**{"said.step": pl.coalesce(times[STEP], gap)})
        return rows, {**times, STEP: pl.col("said.step"), DATA: pl.col("said.share") * pl.col("said.step")}
    # What is told of all steps since the report before is not of one; without a clock nobody knows which it is.
    steps = pl.col("step").diff().backward_fill().over(place) if "step" in rows.columns else pl.lit(1)
    gap = gap.backward_fill().over(place)
    several = steps > 1
    many = several & (pl.col("said.whole") > _AS_LONG * gap)
    steps = pl.when(many).then(steps).when(several & gap.is_null()).then(None).otherwise(1)
    rows = rows.with_columns(**{"said.steps": steps.cast(pl.Float64)})
    of_one = {name: pl.col(f"said.{name}") / pl.col("said.steps") for name in ("whole", "part")}
    known = of_one["part"].is_not_null()
    return rows, {
        **times,
        STEP: pl.when(known).then(of_one["whole"]).otherwise(times[STEP]),
        DATA: pl.when(known).then(of_one["part"]),
    }


_SAID: Final = 0.3
"""Part of a loop's reports that say it, where it is a clock of theirs."""
_PLACE: Final = ("node", "capture", "source", "rank")
_NOTHING: Final = 0.0
_AS_LONG: Final = 0.5


def _by_names(rows: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.Expr]]:
    """The same by the names of clocks."""
    espnet = rows["text"].str.contains(ESPNET)
    if espnet.any():
        rows = rows.with_columns(text=pl.when(espnet).then(_plainly_timed()).otherwise("text"))
    told = {
        **where(rows, "(?i)ms", ms=first_number(_MS, 4) / 1000),
        **where(
            rows,
            r"(?i)tim(?:e|ing)|(?:[^m]s|secs?|seconds)(?:/| per |_per_)(?:step|it|update|batch)|[^m]s/"
            + _A_STEP
            + "|seconds: ",
            s=first_number(_S, 4),
        ),
    }
    step = pl.coalesce(*told.values()) if told else pl.lit(None, pl.Float64)
    if rows["text"].str.contains("of which", literal=True).any():
        step = pl.coalesce(step, _seconds(pl.col("text"), _OF_WHICH))
    waited = pl.lit(None, pl.Float64)
    if rows["text"].str.contains(r"(?i)data|reader|fetch|load|wait|\bdt").any():
        waited, rest = _seconds(pl.col("text"), _DATA_TIMER), pl.col("text").str.replace(_DATA_TIMER, " ")
        waited = pl.coalesce(waited, _seconds(pl.col("text"), _DATA_BEHIND))
        text = pl.col("text")
        whole = pl.coalesce(_seconds(text, _OF_WHOLE), _seconds(text, _IN_TOTAL), _seconds(rest, _WHOLE_TIMER), step)
        # Meters name parts without a unit, and may tell the wait's share instead of the whole.
        meant = _seconds(text, _COMPUTING)
        part_of = number_of(_DATA_SHARE) / 100
        whole = pl.coalesce(whole, waited + meant, pl.when((part_of > 0) & (part_of <= 1)).then(waited / part_of))
        rows = rows.with_columns(**{"timer.waited": waited, "timer.whole": whole})
        waited, whole = pl.col("timer.waited"), pl.col("timer.whole")
        rows = rows.with_columns(**{"timer.apart": _follows_its_wait(rows)})
        whole = pl.when("timer.apart").then(waited + whole).otherwise(whole)
        # What is no part of the step is another number by a name like it.
        part = (waited <= whole * _ROUNDED).fill_null(value=False)
        waited, step = pl.when(part | whole.is_null()).then(waited), pl.coalesce(pl.when(part).then(whole), step)
    if rows["text"].str.contains(_DATA_SHARE).any():
        share = number_of(_DATA_SHARE) / 100
        waited = pl.coalesce(waited, pl.when(share <= 1).then(share * step))
    if not rows["text"].str.contains(WORDS).any():
        return rows, {STEP: step, DATA: waited}
    read = loop_clocks(rows["text"]).rename(lambda name: f"clock.{name}")
    rows = rows.with_columns(read)
    by_name = {name: pl.col(f"clock.{name}") for name in CLOCKS}
    waited = pl.when(pl.lit(espnet)).then(by_name[DATA]).otherwise(waited) if espnet.any() else waited
    # Where nothing tells the whole, its parts make it up.
    waited = pl.coalesce(waited, by_name[DATA])
    if not {"step", "rank"} <= set(rows.columns):
        return rows, agreed(by_name | {STEP: pl.coalesce(step, by_name[STEP]), DATA: waited})
    if (others := waited_in_backward(rows)) is not None:
        by_name |= {
            COMPUTE: by_name[COMPUTE] - others,
            COMM: pl.coalesce(by_name[COMM] + others, by_name[COMM], others),
        }
    if (turns := waited_in_turn(rows)) is not None:
        waited_for, own = turns
        by_name |= {COMM: waited_for, COMPUTE: own}
        waited = pl.when(waited_for.is_null()).then(waited)  # what it waited for data is in its own part
        step = pl.coalesce(step, waited_for + own)
    step = pl.coalesce(step, by_name[STEP], told_by_all(rows))
    return rows, agreed(by_name | {STEP: step, DATA: waited})


def _follows_its_wait(rows: pl.DataFrame) -> pl.Series:
    """Where a loop calls step what comes after its wait for data: many a wait is longer, and the clock agrees with both.

    Without a clock, a wait that only grows may be one of all steps. ``rows`` hold ``timer.waited`` and ``timer.whole`` in
    seconds; one boolean for each of them.
    """
    place = [name for name in _PLACE if name in rows.columns]
    waited, whole = pl.col("timer.waited"), pl.col("timer.whole")
    both = (waited + whole).is_not_null()
    steps = pl.col("step").diff().over(place) if "step" in rows.columns else pl.lit(1)
    span = (
        (pl.col("ts_ns").max() - pl.col("ts_ns").min()).over(place) / 1e9 if "ts_ns" in rows.columns else pl.lit(None)
    )
    # Of the whole, as a clock may tell no more than seconds.
    in_all = ((waited + whole) * steps).sum().over(place)
    by_clock = in_all / pl.when(span > _NOTHING).then(span)
    longer = (waited > whole * _ROUNDED).fill_null(value=False).sum().over(place)
    falls = (waited.diff().over(place) < 0).any().over(place)
    found = rows.select(
        (longer >= _WAITS)
        & (longer >= _SAID * both.sum().over(place))
        & pl.coalesce(by_clock.is_between(1 / _AGREES, _AGREES), falls)
    )
    return found.to_series().fill_null(value=False)


_WAITS: Final = 3
"""Waits longer than the step beside them, at least, that tell so."""
_AGREES: Final = 2.5
"""How far the sum of waits and steps may be from the time that lines tell: saves and evaluations lie between them."""


def _plainly_timed() -> pl.Expr:
    """A report of ESPnet with the names that others give its clocks (espnet2/train/trainer.py).

    Its ``iter_time`` is what the loop waited for its batch; ``train_time`` is of an update, which may be of several.
    """
    text = pl.col("text").str.replace("iter_time=", "data_time=", literal=True)
    text = text.str.replace("optim_step_time=", "optim_time=", literal=True)
    return text.str.replace(r", train_time=[\d.e+-]+", "")


_ROUNDED: Final = 1.01
"""A step that is all waiting may round to less than its wait."""


def _seconds(text: pl.Expr, timer: str) -> pl.Expr:
    """What a timer reads, in seconds."""
    found = text.str.extract_groups(timer).struct
    unit = pl.coalesce(found.field("2"), found.field("4")).str.to_lowercase()
    return parsed(pl.coalesce(found.field("1"), found.field("3"))) / pl.when(unit == "ms").then(1000.0).otherwise(1.0)
