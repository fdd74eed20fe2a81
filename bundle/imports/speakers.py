"""Logs in which a platform wrote down several processes, and put before each line which one wrote it.

``collected`` takes away what all lines have in common. What differs from line to line is no part of what the program
said either, where it is a platform's: Metaflow's task, Determined's container, SkyPilot's process, stern's pod. Where
such processes follow one another, the order of the lines says all that the prefix does; where they take turns, the
lines of each are what its own log would have been, and are taken for that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOOKED_AT: Final = 1 << 16
_LINES: Final = 600
_LEAST: Final = 8
"""Lines, at the least, that tell what they have in common."""
_SHARE: Final = 0.9
"""Part of the lines that must bear the prefix."""
_PODS: Final = 64
_CLOCK: Final = r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_FORMS: Final = (
    # Metaflow: run, step and task, and the process that runs it
    rf"^{_CLOCK} \[(?P<who>\d{{1,20}}/[A-Za-z0-9_.-]{{1,80}}/\d{{1,20}} \(pid \d{{1,9}}\))\](?: |$)",
    # Determined: the container, and the rank in it
    rf"^\[{_CLOCK}\](?: (?P<who>[0-9a-f]{{6,64}}))?(?: \[rank=(?P<rank>\d{{1,6}})\])? \|\| (?:INFO: )?",
    # SkyPilot
    r"^\((?P<who>[A-Za-z0-9_.-]{1,80}(?:, rank=(?P<rank>\d{1,6}))?, pid=\d{1,9}(?:, ip=[\d.]{7,15})?)\)(?: |$)",
)
_STERN: Final = rf"^(?P<who>[a-z0-9][a-z0-9.-]{{2,120}}) [a-z0-9][a-z0-9-]{{0,62}}(?: {_CLOCK})?(?: |$)"
"""The pod, and its container; the clock where ``-t`` asked for it."""
_POD: Final = re.compile(r"[a-z0-9.-]*[a-z][a-z0-9.]*-[a-z0-9-]*[a-z0-9]$")
_CONTAINER: Final = re.compile(r"\S+ (\S+)")
_OF_A_COUNT: Final = re.compile(r"^(?:step|epoch|iter|batch|round|episode|fold|trial|rank|run|attempt|try)\w{0,8}-")


@dataclass(frozen=True, slots=True)
class Speakers:
    """What stands before each line, and whether those it names take turns.

    Attributes:
        form: A regular expression with the group ``who``, and ``rank`` where the prefix tells it.
        turns: Whether their lines are mixed.
    """

    form: str
    turns: bool

    def apart(self, frame: pl.DataFrame, source: str) -> pl.DataFrame:
        """``frame`` without the prefixes: with ``rank`` where they tell it, and each one's lines together.

        Args:
            frame: Lines with ``text``.
            source: Name of the file.
        """
        groups = pl.col("text").str.extract_groups(self.form).struct
        ranked = "(?P<rank>" in self.form
        told = groups.field("rank").cast(pl.Int64, strict=False) if ranked else pl.lit(None, pl.Int64)
        frame = frame.with_columns(who=groups.field("who"), told=told)
        frame = frame.with_columns(text=pl.col("text").str.replace(self.form, ""))
        if self.turns:
            who = pl.concat_str("who", pl.col("told").cast(pl.String), separator=" ", ignore_nulls=True)
            name = pl.when(pl.col("who").is_null() & pl.col("told").is_null()).then(None)
            frame = frame.with_columns(source=name.otherwise(pl.concat_str(pl.lit(f"{source}#"), who)))
            frame = frame.sort("source", nulls_last=True, maintain_order=True)
        return frame.drop("who")


def speakers(head: bytes) -> Speakers | None:
    """What stands before each line of a log with this ``head``; None where no platform put anything there."""
    texts = head[:_LOOKED_AT].decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    if len(head) > _LOOKED_AT:
        del texts[-1]
    lines = [text for text in texts[:_LINES] if text.strip()]
    for form in _FORMS:
        if (named := _named(form, lines)) is not None:
            return Speakers(form, _takes_turns(named))
    if (pods := _named(_STERN, lines)) is not None and _are_pods(pods, lines):
        return Speakers(_STERN, _takes_turns(pods))
    return None


def _named(form: str, lines: list[str]) -> list[str] | None:
    """Who wrote each line that bears the prefix; None where too few do."""
    words = re.compile(form)
    found = [match for line in lines if (match := words.match(line))]
    if len(found) < max(_LEAST, _SHARE * len(lines)):
        return None
    ranked = "rank" in words.groupindex
    named = [(match["who"] or "", (match["rank"] or "") if ranked else "") for match in found]
    return [" ".join(each).strip() for each in named if any(each)]


def _are_pods(named: list[str], lines: Iterable[str]) -> bool:
    """Whether words that lines begin with are names of pods of one job, beside that of a container."""
    pods = set(named)
    containers = {found[1] for line in lines if (found := _CONTAINER.match(line))}
    stem = min(pods).split("-")[0]
    return (
        1 < len(pods) <= _PODS
        and len(containers) <= 4
        and len(named) >= 3 * len(pods)
        and all(_POD.match(pod) and pod.split("-")[0] == stem and not _OF_A_COUNT.match(pod) for pod in pods)
    )


def _takes_turns(named: list[str]) -> bool:
    changes = sum(one != other for one, other in pairwise(named))
    return changes > 2 * len(set(named))
