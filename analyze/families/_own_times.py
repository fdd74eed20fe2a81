"""Where a program says that its time went, in words of its own: what it saved and for how long, what it waited for."""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._clocks import FELT_IN_ALL_S, REPORTS, Saving
from inquest.analyze.families._pace import steps_done
from inquest.analyze.families._spoken_times import EVALUATES, SAVES, took_s
from inquest.analyze.families._told_waits import told_whole_s
from inquest.analyze.families._wall import wall_s
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_OF_SOMETHING_ELSE: Final = (
    r"(?i)\b(?:data ?sets?|cache\w*|predict\w*|logs?|plots?|figures?|videos?|samples?|images?|pictures?|audio|eval\w*|valid\w*"
    r"|load(?:ed|ing)?|reads?|sampling|since|wait\w*|restor\w+|resum\w+|every|loss|lr|epochs? (?:took|done|finished))\b"
)
_READ: Final = 20_000
"""Lines that are looked through at the most."""


def own_saves(ev: Evidence, story: Story) -> Saving | None:
    """What saving cost by lines that say what was written and how long it took; None where they do not.

    They are held against the time from the first report to the last.
    """
    return ev.once(("own saves",), lambda: _own_saves(ev, story))


def _own_saves(ev: Evidence, story: Story) -> Saving | None:
    rows = _timed_lines(ev, story, SAVES, _OF_SOMETHING_ELSE)
    if rows.height < REPORTS or (spent := float(rows["seconds"].sum())) < _FELT_AS_ALL_S:
        return None
    whole = wall_s(ev, story)
    if whole is None or spent > _ALL_OF_IT * whole:
        # Where each step says how long it took, all took no longer than that and the saves.
        stepped = told_whole_s(ev, story) if _tells_each_step(story) else None
        if stepped is None:
            return None
        whole = spent + stepped
    took = statistics.median(rows["seconds"])
    like: Row = rows.sort((pl.col("seconds") - took).abs(), "seq").row(0, named=True)
    share = min(1.0, spent / whole)
    if spent < FELT_IN_ALL_S and (share < _NEARLY_ALL or rows.height < 2 * REPORTS):
        return None
    return Saving(rows.height, max(1, steps_done(story)), share, took, "", "logs", of=like, table="log_lines")


def _tells_each_step(story: Story) -> bool:
    return story.steps["step"].drop_nulls().unique().sort().diff().median() == 1


_FELT_AS_ALL_S: Final = 20
_NEARLY_ALL: Final = 0.8
"""What a run of less than a minute does little else than."""
_ALL_OF_IT: Final = 1.1
"""What takes longer than all was not part of it."""


def own_evaluations(ev: Evidence, story: Story) -> float | None:
    """What part of its time lines of evaluations say that they took, in words of their own; None where they do not."""
    rows = _timed_lines(ev, story, EVALUATES, _OF_ALL)
    trained = story.steps.filter(pl.col("loss").is_not_null())["line_seq"]
    rows = rows.filter(~pl.col("seq").is_in(trained.drop_nulls().unique().implode()))
    whole = wall_s(ev, story)
    if rows.height < REPORTS or whole is None:
        return None
    spent = float(rows["seconds"].sum())
    return min(1.0, spent / whole) if FELT_IN_ALL_S <= spent <= _ALL_OF_IT * whole else None


_OF_ALL: Final = (
    r"(?i)\b(?:epochs?|\u00e9poques?|epochen?|\u00e9pocas?|rounds?|total|since|elapsed|overall|every)\b|\btrain"
)
"""A line that tells of both tells the time of both."""


def _timed_lines(ev: Evidence, story: Story, said: str, unless: str) -> pl.DataFrame:
    """Lines among the reports that say one thing and not the other, with the ``seconds`` that they say it took."""
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    if told.height < REPORTS or not ev.has("log_lines"):
        return pl.DataFrame(schema={"seq": pl.Int64, "seconds": pl.Float64})
    first, last = told.row(0, named=True), told.row(-1, named=True)
    text = pl.col("text").str.replace_all(ANSI, "").str.replace_all(r"(\d),(\d)", "$1.$2")
    lines = ev.scan("log_lines").filter(
        same_stream(last), pl.col("seq").is_between(first["line_seq"], last["line_seq"] + 1)
    )
    lines = lines.filter(text.str.contains(said) & ~text.str.contains(unless)).tail(_READ)
    rows = lines.with_columns(plain=text).collect().sort("seq")
    took = pl.Series("seconds", [took_s(line) for line in rows["plain"]], pl.Float64)
    rows = rows.drop("plain").with_columns(took).drop_nulls("seconds")
    # What only grows from line to line is the time since the start.
    grows = rows.height >= REPORTS and (rows["seconds"].diff().drop_nulls() > 0).all()
    return rows.clear() if grows else rows
