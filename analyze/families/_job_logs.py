"""Logs of jobs by what their names and clocks tell: the number of the job, and which came after which."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._of_others import recorded

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

Log = tuple[str, str]
"""node, source."""


@dataclass(frozen=True, slots=True)
class Link:
    """A log of reports, as far as its place in a chain is asked of it."""

    log: Log
    number: int
    """Of its job, by the log's name."""
    head: tuple[str, ...]
    began_ns: int | None
    end_ns: int | None


def without_numbers(source: str) -> str:
    """The name of a log without its numbers."""
    return re.sub(r"\d+", "#", source)


def numbers_in(source: str) -> tuple[int, ...]:
    """The numbers in the name of a log, by which the logs of a chain follow each other."""
    return tuple(int(number) for number in re.findall(r"\d{1,18}", source))


def handed_in_again(ev: Evidence) -> frozenset[Log]:
    """Logs of jobs after whose end one of the same name, and a later number, came farther: that one is the run.

    They are no links of a chain: nothing says that the later job was to go on from the earlier one.
    """
    return ev.once(("handed in again",), lambda: _handed_in_again(ev))


def _handed_in_again(ev: Evidence) -> frozenset[Log]:
    counted = pl.col("source").is_not_null() & pl.col("step").is_not_null()
    far = ev.facts("fact_steps").filter(counted).group_by("node", "source").agg(pl.col("step").max())
    came = {(node, source): int(step) for node, source, step in far.iter_rows()}
    numbers = {log: number for log in came if (number := job_number(log)) is not None and number >= _A_JOBS}
    alike = Counter(map(masked, numbers))
    may_be = sorted(log for log in numbers if alike[masked(log)] > 1)
    if not 1 < len(may_be) <= MOST or not ev.has("log_lines") or recorded(ev):
        return frozenset()
    read = [link_of(ev, log, numbers[log]) for log in may_be]
    return frozenset(
        before.log
        for before in read
        for after in read
        if before.number < after.number
        and masked(before.log) == masked(after.log)
        and in_turn(before, after)
        and came[before.log] < came[after.log]
    )


def job_number(log: Log) -> int | None:
    """The number of the job whose log it is, by its name; None where it bears none, or that of something else."""
    numbers = re.findall(r"\d{1,18}", AFTER.sub("", log[1].rpartition("/")[2]))
    if len(numbers) > 1 and not _OF_AN_ARRAY.search(log[1]):  # a stage counts in fewer digits than a scheduler
        numbers = [number for number in numbers if len(number) >= _JOB_DIGITS]
    return int(numbers[0]) if len(numbers) == 1 and not A_PART.search(log[1]) else None


def link_of(ev: Evidence, log: Log, number: int) -> Link:
    """The first lines of a log, and the first and last of its times."""
    here = (pl.col("node") == log[0]) & (pl.col("source") == log[1])
    lines = ev.scan("log_lines").filter(here)
    head = lines.sort("seq").head(_HEAD).select(pl.col("text").fill_null("").str.slice(0, WIDTH)).collect()["text"]
    times = lines.select(begin=pl.col("ts_ns").min(), end=pl.col("ts_ns").max()).collect().row(0)
    return Link(log, number, tuple(head), *times)


def in_turn(before: Link, after: Link) -> bool:
    """Whether by their clocks the one was over when the other began."""
    return before.end_ns is not None and after.began_ns is not None and before.end_ns <= after.began_ns


def masked(log: Log) -> str:
    """The name of a log without its numbers, and without the job that it says it came after."""
    folder, slash, name = log[1].rpartition("/")
    return without_numbers(folder + slash + AFTER.sub("", name))


AFTER: Final = re.compile(
    r"(?i)[._-](?:after|follows|resumes|continues|from|nach|apr[eè]s|dopo|despues|depois)[._-]?(\d{1,18})\b"
)
"""What a name says of the job before: ``job_442_after_441.log``."""


_JOB_DIGITS: Final = 4
"""Digits of a scheduler's number, at the least, in a name that holds other numbers."""
_A_JOBS: Final = 10 ** (_JOB_DIGITS - 1)
"""The least number that is a job's by its digits; a smaller one may count experiments."""
_OF_AN_ARRAY: Final = re.compile(r"\d{4,}_\d")
"""A task of an array: ``slurm-4101_3.out``."""
_HEAD: Final = 60
WIDTH: Final = 2000
"""First lines of a log, and characters of each, that are looked at."""
MOST: Final = 64
"""Logs of one import that are held against each other."""
A_PART: Final = re.compile(
    r"(?i)(?:^|[/_.-])(?:seed|fold|trial|rank|exp|sweep|config|lr|wd|bs|node|worker|task)[/_.-]?\d"
)
"""What counts parts of a study, and no jobs."""
