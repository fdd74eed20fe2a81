"""Where a program says that its time went, in words of its own: what it saved and for how long, what it waited for."""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._clocks import FELT_IN_ALL_S, REPORTS, Saving
from inquest.analyze.families._pace import steps_done
from inquest.analyze.families._spoken_times import EVALUATES, SAVES, took_s
from inquest.analyze.families._told_waits import told_whole_s
from inquest.analyze.families._wall import wall_s
from inquest.analyze.logs.named_numbers import numbers_of
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_OF_SOMETHING_ELSE: Final = (
    r"(?i)\b(?:data ?sets?|cache\w*|predict\w*|logs?|plots?|figures?|videos?|samples?|images?|pictures?|audio|eval\w*|valid\w*"
    r"|load(?:ed|ing)?|reads?|open(?:ed|ing)?|shards?|downloaded|fetched|streamed|sampling|since|wait\w*|restor\w+|resum\w+|every|loss|lr|epochs? (?:took|done|finished))\b"
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
        whole = by_a_column(ev, story, rows) if stepped is None else spent + stepped
        if whole is None:
            return None
    took = statistics.median(rows["seconds"])
    like: Row = rows.sort((pl.col("seconds") - took).abs(), "seq").row(0, named=True)
    share = min(1.0, spent / whole)
    if spent < FELT_IN_ALL_S and (share < _NEARLY_ALL or rows.height < 2 * REPORTS):
        return None
    return Saving(rows.height, max(1, steps_done(story)), share, took, "", "logs", of=like, table="log_lines")


def by_a_column(ev: Evidence, story: Story, saves: pl.DataFrame) -> float | None:
    """Seconds from the first report to the last by a column that no name tells, which the saves show to be a clock.

    It only grows, and what is left of each of its gaps, less what the save in it says that it took, is always the same.
    """
    last = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq").row(-1, named=True)
    told = story.steps.filter(same_stream(last) & pl.col("line_seq").is_not_null())["line_seq"].unique().sort()
    lines = ev.scan("log_lines").filter(same_stream(last), pl.col("seq").is_in(told.tail(_READ).implode())).sort("seq")
    rows = [(int(seq), _PLAIN.findall(text or "")) for seq, text in lines.select("seq", "text").collect().iter_rows()]
    width = Counter(len(numbers) for _, numbers in rows).most_common(1)[0][0] if rows else 0
    rows = [row for row in rows if len(row[1]) == width]
    took = dict(saves.select("seq", "seconds").iter_rows())
    for place in range(width):
        if any("." not in numbers[place] for _, numbers in rows):
            continue
        clock = [(seq, float(numbers[place])) for seq, numbers in rows]
        gaps, rest = [], []
        for (sooner, low), (later, high) in itertools.pairwise(clock):
            within = [seconds for seq, seconds in took.items() if sooner < seq < later]
            gaps.append(high - low)
            rest += [high - low - within[0]] if len(within) == 1 else []
        if len(rest) < REPORTS or min(gaps) <= 0 or min(rest) <= 0:
            continue
        usual = statistics.median(rest)
        if statistics.median(abs(each - usual) for each in rest) <= _AS_EVER * usual:
            return clock[-1][1] - clock[0][1]
    return None


_PLAIN: Final = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_AS_EVER: Final = 0.1


def untimed_saves(ev: Evidence, story: Story) -> float | None:
    """Seconds that lines say saves took, where nothing tells of how long in all.

    None where they took little, or each less than the longest time that the report beside it tells.
    """
    rows = _timed_lines(ev, story, SAVES, _OF_SOMETHING_ELSE)
    if rows.height < REPORTS or wall_s(ev, story) is not None or own_saves(ev, story) is not None:
        return None
    spent = float(rows["seconds"].sum())
    if spent < FELT_IN_ALL_S or by_a_column(ev, story, rows) is not None:
        return None
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    last = told.row(-1, named=True)
    beside = same_stream(last) & pl.col("seq").is_in(told["line_seq"].unique().sort().tail(_LAST).implode())
    longest = [
        max(
            (number.value for number in numbers_of(text or "") if not number.of and number.value < _PLAUSIBLE),
            default=0,
        )
        for text in ev.scan("log_lines").filter(beside).select("text").collect()["text"]
        if _TIMED.search(text or "") is not None
    ]
    return None if longest and statistics.median(longest) >= statistics.median(rows["seconds"]) else spent


_LAST: Final = 40
_PLAUSIBLE: Final = 1e5
_TIMED: Final = re.compile(r"\d ?(?:s|sec|secs|seconds)\b")


def _tells_each_step(story: Story) -> bool:
    return story.steps["step"].drop_nulls().unique().sort().diff().median() == 1


_FELT_AS_ALL_S: Final = 20
_NEARLY_ALL: Final = 0.8
"""What a run of less than a minute does little else than."""
_ALL_OF_IT: Final = 1.1
"""What takes longer than all was not part of it."""


def own_evaluations(ev: Evidence, story: Story) -> Saving | None:
    """What lines of evaluations say that they took, in words of their own; None where they do not."""
    rows = _timed_lines(ev, story, EVALUATES, _OF_ALL)
    trained = story.steps.filter(pl.col("loss").is_not_null())["line_seq"]
    rows = rows.filter(~pl.col("seq").is_in(trained.drop_nulls().unique().implode()))
    whole = wall_s(ev, story)
    if rows.height < REPORTS or whole is None:
        return None
    spent = float(rows["seconds"].sum())
    if not FELT_IN_ALL_S <= spent <= _ALL_OF_IT * whole:
        return None
    took = statistics.median(rows["seconds"])
    like: Row = rows.sort((pl.col("seconds") - took).abs(), "seq").row(0, named=True)
    share, steps = min(1.0, spent / whole), max(1, steps_done(story))
    return Saving(rows.height, steps, share, took, "", "logs", of=like, table="log_lines")


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
