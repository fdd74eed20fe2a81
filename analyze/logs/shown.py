"""Logs of other runs that somebody shows below a run: ``$ tail other.log`` in the terminal in which that one trained.

They are another's where both tell of progress, no report of the one is among those of the other, and the one does not
go on from the other; or where both tell of crashes, of different programs; or where all reports stand below them. A run
whose own output went to the file that is shown tells nothing above.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.reader import TRACEBACK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.logs.reader import Line
    from inquest.analyze.logs.survey import Survey
    from inquest.bundle.store import Store

_PROMPT: Final = r"^(?:\+{1,3}|[\w.@:~()/ -]{0,80}[$#]) "
_SHOWS: Final = re.compile(rf"{_PROMPT}(?:sudo )?(?:tail|head|cat|less|more|zcat) (?P<what>\S.{{0,300}})$")
_COMMANDS: Final = ("tail", "head", "cat", "less", "more", "zcat")
ANCHORS: Final = tuple(f"{prompt} {command} " for prompt in "$#+" for command in _COMMANDS)
"""Literals, one of which is in every line that shows a file."""
_FILE: Final = re.compile(r"[\w.-]{1,200}$")
_REPORTS: Final = 3
_PROGRAM: Final = r'File "(?:[^"]*/)?([^"/]+)", line \d+, in <module>'


def without_shown(store: Store, found: Survey, lines: Iterable[Line], steps: pl.DataFrame) -> tuple[Survey, pl.Expr]:
    """``found`` without the lines of other runs' logs, and which lines are left.

    Args:
        store: The recorded tables.
        found: What the survey found.
        lines: Its facts.
        steps: Its reports of progress, of whomever.
    """
    own = pl.lit(value=True)
    for line in lines:
        if (command := _SHOWS.match(line.text)) is None:
            continue
        here, last = _beside(line), _last_of(store, line)
        mine = steps.filter(here)
        shown, above = pl.col("line_seq").is_between(line.seq, last), pl.col("line_seq") < line.seq
        anothers = _is_anothers(mine.filter(above), mine.filter(shown)) or _of_another_program(store, line, last)
        anothers = anothers or _before_all(mine, last)
        if anothers and not _named_above(store, line, command["what"]):
            within = here & pl.col("seq").is_between(line.seq + 1, last)
            high = pl.when(here & (pl.col("high") == last)).then(line.seq - 1).otherwise("high")
            found = replace(
                found,
                facts=found.facts.filter(~within),
                progress=found.progress.filter(~within),
                extents=found.extents.with_columns(high=high),
            )
            steps, own = steps.filter(~(here & shown)), own & ~within
    return found, own


def _is_anothers(own: pl.DataFrame, shown: pl.DataFrame) -> bool:
    """Whether what is shown is a training of its own."""
    pairs = ["step", "loss"]
    told, also = own.drop_nulls("loss"), shown.drop_nulls("loss")
    if told.is_empty() or also.is_empty() or also.join(told, on=pairs, how="semi", nulls_equal=True).height:
        return False
    plans = [set(each["total_steps"].drop_nulls()) for each in (own, shown)]
    if told.height < _REPORTS:  # a word on the whole may stand above the log of what it was of
        return all(plans) and not plans[0] & plans[1]
    least, most = shown["step"].min(), own["step"].max()
    goes_on = isinstance(least, int) and isinstance(most, int) and least > most
    return not goes_on or plans[0] != plans[1]


def _before_all(told: pl.DataFrame, last: int) -> bool:
    """Whether all that was trained was reported below what is shown: it is of a time before."""
    return told.height >= _REPORTS and bool((told["line_seq"] > last).all())


def _of_another_program(store: Store, line: Line, last: int) -> bool:
    """Whether tracebacks above and in what is shown begin in the files of different programs."""
    text = pl.col("text")
    rows = store.scan("log_lines").filter(_beside(line) & text.str.contains(f"{re.escape(TRACEBACK)}|in <module>"))
    begun = rows.select("seq", header=text.str.contains(TRACEBACK, literal=True), file=text.str.extract(_PROGRAM))
    files: tuple[set[str], set[str]] = (set(), set())
    above = False
    for seq, header, file in begun.sort("seq").collect().iter_rows():
        if above and file is not None and seq <= last:
            files[seq > line.seq].add(file)
        above = header
    return all(files) and not files[0] & files[1]


def _last_of(store: Store, line: Line) -> int:
    """The last line before the next command."""
    below = store.scan("log_lines").filter(_beside(line) & (pl.col("seq") > line.seq))
    called = below.filter(pl.col("text").str.contains(rf"{_PROMPT}\S")).select(pl.col("seq").min()).collect().item()
    last = below.select(pl.col("seq").max()).collect().item()
    return line.seq if last is None else last if called is None else called - 1


def _named_above(store: Store, line: Line, what: str) -> bool:
    """Whether a line above names the file: what the run itself wrote."""
    name = _FILE.search(what)
    above = store.scan("log_lines").filter(_beside(line) & (pl.col("seq") < line.seq))
    said = name is None or above.filter(pl.col("text").str.contains(name[0], literal=True)).head(1).collect().height
    return bool(said)


def _beside(line: Line) -> pl.Expr:
    source = pl.lit(line.source, dtype=pl.String)
    return (pl.col("node") == line.node) & (pl.col("capture") == line.capture) & pl.col("source").eq_missing(source)
