"""Lines made ready to be read, and the neighbours of lines that matter (``survey.py`` finds those).

Whose line it is and when it was written were settled when it was recorded; what remains is to strip terminal codes and
rank prefixes, and to fetch the neighbours of a traceback.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs import json_lines
from inquest.bundle.line_clock import strip_clock
from inquest.bundle.line_rank import RANK_IN_TEXT, strip_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.store import Store

ANSI: Final = r"\x1b\[[0-9;:?]*[A-Za-z]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|\x1b[()][0-9A-Za-z]|[\x00\x07\x08]"
"""Terminal codes, titles of windows, backspaces, bells and NUL bytes."""
_ANSI: Final = re.compile(ANSI)
_GLUED: Final = re.compile(r"(?<=[^\s:])\[rank(\d{1,5})\]: (?=Traceback |\S+Error: )")
"""A traceback that begins behind a progress bar, on the same line."""
_MPI_TAG: Final = re.compile(
    r"\[(?:[\w.-]{1,80}@)?\d{1,9},(?:\d{1,5}|mpirank:\d{1,5},[\w.-]{1,60})\]<std(?:out|err)>: ?"
)
"""mpirun --tag-output puts it before every piece a process writes, also where a piece is no line."""
_HIDDEN: Final = re.compile(
    r"\[rank\d{1,5}\]:|Traceback \(most|  File \"|    \S|[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)(?::|$)"
    r"|During handling of|The above exception was"
)
"""What a collector's clock before every line hides: a rank's prefix, parts of a traceback. Before other lines the clock
is the program's own, and parsers know it."""
_CRI: Final = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) [FP] ")
"""What containerd and CRI-O put before every line of a pod: never a program's own, unlike a bare clock."""
_RANKS: Final = tuple((re.compile(regex), name) for regex, name in RANK_IN_TEXT)

TRACEBACK: Final = json_lines.HEADER
SUMMARY_ANCHORS: Final = (
    "first observed failure",
    "(local_rank: ",
    "  exitcode  : ",
    "  host      : ",
    "  error_file: ",
    "  time      : ",
)
"""Lines of torchrun's final summary."""

HITS_PER_PATTERN: Final = 400
"""Rows kept for one pattern in one source and rank; a line repeated more often says nothing new."""
COUNTED_PER_PATTERN: Final = 20_000
"""The same of what families count."""
_TEXT_LIMIT: Final = 8192
"""Characters of a line that a pattern looks at, half from either end: a fact does not need more."""

COLUMNS: Final = ("node", "capture", "stream", "source", "task", "rank", "rank_by", "seq", "ts_ns", "offset", "text")


@dataclass(frozen=True, slots=True)
class Line:
    """One line, ready to be read: ``text`` without terminal codes and rank prefixes."""

    node: str
    capture: str
    stream: str | None
    source: str | None
    task: int | None
    rank: int | None
    rank_by: str | None
    seq: int
    ts_ns: int | None
    offset: int | None
    text: str

    @property
    def place(self) -> tuple[str, str, str | None, str | None]:
        """What the line's number counts in, and its stream."""
        return self.node, self.capture, self.source, self.stream

    @property
    def where(self) -> dict[str, Any]:
        """Columns by which a fact says which line it is of."""
        return {
            "node": self.node,
            "capture": self.capture,
            "ts_ns": self.ts_ns,
            "rank": self.rank,
            "rank_by": self.rank_by,
            "source": self.source,
            "offset": self.offset,
            "line_seq": self.seq,
        }


def around(store: Store, starts: pl.DataFrame, after: int, before: int = 3) -> pl.DataFrame:
    """The lines from ``before`` before each line of ``starts`` (node, capture, seq) to ``after - 1`` after it."""
    if starts.is_empty():
        return _lines(store).head(0).collect()
    ranges = starts.select("node", "capture", pl.int_ranges(pl.col("seq") - before, pl.col("seq") + after).alias("seq"))
    wanted = ranges.explode("seq").unique()
    low, high = starts["seq"].min(), starts["seq"].max()
    near = _lines(store).filter(pl.col("seq").is_between(pl.lit(low) - before, pl.lit(high) + after))
    found = near.join(wanted.lazy(), on=["node", "capture", "seq"], how="semi").sort("node", "capture", "seq").collect()
    return json_lines.unwrapped(found)


def read(frame: pl.DataFrame, *, unfold: bool = False) -> Iterator[Line]:
    """Lines of a frame; a rank the text tells is filled in where the record has none.

    Args:
        frame: Rows with ``COLUMNS``.
        unfold: Give a line of JSON that holds a traceback as the lines of that traceback.
    """
    for values in frame.select(COLUMNS).iter_rows():
        row: dict[str, Any] = dict(zip(COLUMNS, values, strict=True))
        text = row["text"] or ""
        if unfold and (inner := json_lines.unfolded(text)):
            yield from (Line(**{**row, "text": line[:_TEXT_LIMIT]}) for line in inner)
            continue
        if len(text) > _TEXT_LIMIT:
            text = text[: _TEXT_LIMIT // 2] + text[-_TEXT_LIMIT // 2 :]
        text = _ANSI.sub("", text)
        if text.startswith("[") and (tag := _MPI_TAG.match(text)):
            text = tag[0] + text[tag.end() :].replace(tag[0], "")
        if text.startswith("20"):
            text = _CRI.sub("", text, count=1)
        bare = strip_clock(text)
        if bare is not text and _HIDDEN.match(bare):
            text = bare
        glued = _GLUED.search(text)
        if glued:
            text, row["rank"], row["rank_by"] = text[glued.start() :], int(glued[1]), "text"
        elif row["rank"] is None:
            row["rank"], row["rank_by"] = rank_in(text)
        row["text"] = strip_prefix(text)
        yield Line(**row)


def rank_in(text: str) -> tuple[int | None, str | None]:
    """Rank the prefix of a line tells, and how."""
    for regex, name in _RANKS:
        if found := regex.search(text):
            return int(found[1]), name
    return None, None


def by_place(lines: Iterable[Line]) -> dict[tuple[str, str, str | None, str | None], list[Line]]:
    """Lines by the stream they lie in, in the order given."""
    groups: dict[tuple[str, str, str | None, str | None], list[Line]] = {}
    for line in lines:
        groups.setdefault(line.place, []).append(line)
    return groups


def _lines(store: Store) -> pl.LazyFrame:
    return store.scan("log_lines").select(COLUMNS)
