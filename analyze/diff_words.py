"""What two runs said, held against each other by template: exceptions, events, and lines that warn or complain.

Numbers, addresses, paths and quoted words of a line are put aside, so that a message is one however often and with
whatever values it was printed. What is told is new or gone when its SQL finds nothing at all in the other bundle.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.evidence import literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inquest.analyze.evidence import Evidence

MOST_LINES: Final = 400_000
"""Lines that complain, of each bundle, that are looked at."""

MOST_TOLD: Final = 60
"""Messages told of each side and sort, those most often printed first."""

_CUT: Final = 240
_COMPLAINT: Final = (
    r"(?i)\b(warn(ing)?s?|error|fail(ed|ure|ing)?|fatal|critical|deprecated|exception|timed? ?out|timeout|retry(ing)?|"
    r"unable|cannot|could not|couldn't|abort(ed|ing)?|refused|denied|unreachable|corrupt(ed)?|overflow|nan|killed|"
    r"lost)\b"
)
_CODE: Final = r"^(\[[^\]]{1,40}\][: ]?)*\s*(File \"|at |\^|~|raise |return |if |for |self\.|[\w.]+\(|[#*=\-_]+$)"
"""Lines of a traceback and rules drawn with signs: they belong to something that is told already."""

_ASIDE: Final = (
    (r"\x1b\[[0-9;]*m|[^\S ]|\s{2,}", "\x00"),
    (r"^\x00?(\[[^\]]{0,40}\]:?[ \x00]*)+", ""),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*Z?\b", "\x00"),
    (r"(?i)\b(GPU-)?[0-9a-f]{8}-[0-9a-f-]{13,27}\b", "\x00"),
    (r"(?i)\b0x[0-9a-f]+\b", "\x00"),
    (r"(/[\w.+@~-]+){2,}/?", "\x00"),
    (r"'[^']{0,120}'|\"[^\"]{0,120}\"|`[^`]{0,120}`", "\x00"),
    (r"(?i)\b[0-9a-f]{12,}\b", "\x00"),
    (r"[-+]?\d[\d,.:]*([eE][-+]?\d+)?", "\x00"),
    (r"[ \x00]*\x00[ \x00]*", " \x00 "),
)
"""What is put aside, in this order; ``\\x00`` stands in its place."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message that only one of the bundles has.

    ``root``: it is of the sort that begins trouble. ``lines``: it is a line without a fact of its own. ``words`` can
    be looked for in a verdict.
    """

    name: str
    sample: str
    where: str
    count_a: int
    count_b: int
    sql: str
    root: bool
    lines: bool
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Seen:
    name: str
    sample: str
    where: str
    sql_table: str
    condition: str
    root: bool
    count: int
    words: frozenset[str]


def messages(a: Evidence, b: Evidence) -> tuple[list[Message], list[str]]:
    """Messages that only one of the bundles has, and what was left out of the comparison."""
    notes: list[str] = []
    sides = []
    for name, ev in (("A", a), ("B", b)):
        lines, cut = _lines(ev)
        if cut:
            notes.append(f"Of {name}, only the first {MOST_LINES:,} lines that complain were compared.")
        sides.append((_exceptions(ev) | _events(ev), lines))
    found: list[Message] = []
    for sort in (0, 1):
        one, two = sides[0][sort], sides[1][sort]
        for ours, theirs, fresh in ((two, one, True), (one, two, False)):
            only = sorted((seen for key, seen in ours.items() if key not in theirs), key=lambda s: (-s.count, s.name))
            if len(only) > MOST_TOLD:
                whose = "B" if fresh else "A"
                notes.append(f"{len(only) - MOST_TOLD} rarer messages that only {whose} has are left out.")
            told = only[:MOST_TOLD]
            counts = [_counted(ev, told) for ev in (a, b)]
            found += [
                Message(
                    seen.name,
                    seen.sample,
                    seen.where,
                    in_a,
                    in_b,
                    f"SELECT COUNT(*) AS value FROM {seen.sql_table} WHERE {seen.condition}",
                    seen.root,
                    bool(sort),
                    seen.words,
                )
                for seen, in_a, in_b in zip(told, *counts, strict=True)
                if (in_b if fresh else in_a) > 0 and (in_a if fresh else in_b) == 0
            ]
    return found, notes


def _counted(ev: Evidence, seen: Sequence[_Seen]) -> list[int]:
    """How many rows of a bundle each message has, from one pass over each table."""
    counts = [0] * len(seen)
    recorded = set(ev.store.tables()) | {"fact_events", "fact_exceptions"}
    for table in sorted({item.sql_table for item in seen} & recorded):
        mine = [index for index, item in enumerate(seen) if item.sql_table == table]
        columns = ", ".join(f"SUM(CASE WHEN {seen[i].condition} THEN 1 ELSE 0 END) AS n{i}" for i in mine)
        row = ev.sql(f"SELECT {columns} FROM {table}", row_limit=1).row(0)
        for index, value in zip(mine, row, strict=True):
            counts[index] = int(value or 0)
    return counts


# --- facts ------------------------------------------------------------------------------------------------------------
def _exceptions(ev: Evidence) -> dict[str, _Seen]:
    """Exceptions by class, shape of the message and the frame in the user's own code."""
    found: dict[str, _Seen] = {}
    frame = ev.facts("fact_exceptions").filter(pl.col("signature").is_not_null())
    for signature, rows in _grouped(frame, "signature"):
        row = rows.row(0, named=True)
        at = f" at {row['user_frame']}" if row["user_frame"] else ""
        kind = row["exc_type"] or "exception"
        found[f"exception {signature}"] = _Seen(
            f"{kind}{at}",
            f"{kind}: {row['message'] or ''}{at}"[:_CUT],
            _ranks(rows),
            "fact_exceptions",
            f"signature = {literal(signature)}",
            bool(rows["fatal"].any()),
            rows.height,
            frozenset({kind} | ({row["user_frame"].split()[0]} if row["user_frame"] else set())),
        )
    return found


def _events(ev: Evidence) -> dict[str, _Seen]:
    """Events by pattern and kind; progress and markers of phases say nothing here."""
    found: dict[str, _Seen] = {}
    told = ~pl.col("role").is_in(["progress", "marker"]) & pl.col("pattern").is_not_null()
    frame = ev.facts("fact_events").filter(told & (pl.col("kind") != "exception"))
    for pattern, rows in _grouped(frame, "pattern"):
        row = rows.row(0, named=True)
        found[f"event {pattern}"] = _Seen(
            str(row["kind"]).replace("_", " "),
            " ".join((row["text"] or row["subject"] or pattern).split())[:_CUT],
            _ranks(rows),
            "fact_events",
            f"pattern = {literal(pattern)}",
            bool((rows["role"] == "root").any()),
            rows.height,
            frozenset({pattern, row["subject"] or pattern}),
        )
    return found


def _grouped(frame: pl.DataFrame, by: str) -> Iterable[tuple[str, pl.DataFrame]]:
    return ((str(key[0]), rows) for key, rows in frame.group_by(by, maintain_order=True))


def _ranks(rows: pl.DataFrame) -> str:
    """Who said it: ranks where they are known, else nodes."""
    ranks = sorted(rows["rank"].drop_nulls().unique().to_list())
    if ranks:
        return f"rank {ranks[0]}" if len(ranks) == 1 else f"{len(ranks)} ranks, first {ranks[0]}"
    nodes = sorted(rows["node"].unique().to_list())
    return str(nodes[0]) if len(nodes) == 1 else f"{len(nodes)} nodes"


# --- lines ------------------------------------------------------------------------------------------------------------
def _lines(ev: Evidence) -> tuple[dict[str, _Seen], bool]:
    """Lines that warn or complain and that no fact was read from, by template; and whether some were left out."""
    if "log_lines" not in ev.store.tables():
        return {}, False
    candidates = (
        ev.scan("log_lines")
        .select("node", "seq", "rank", text=pl.col("text").str.slice(0, _CUT))
        .filter(pl.col("text").str.contains(_COMPLAINT) & ~pl.col("text").str.contains(_CODE))
        .head(MOST_LINES)
    )
    template = pl.col("text")
    for pattern, stand_in in _ASIDE:
        template = template.str.replace_all(pattern, stand_in)
    grouped = (
        candidates.with_columns(template=template.str.strip_chars(" \x00"))
        .group_by("template")
        .agg(
            n=pl.len(),
            ranks=pl.col("rank").n_unique(),
            rank=pl.col("rank").min(),
            first=pl.struct("node", "seq", "text").sort_by("node", "seq").first(),
        )
        .sort("n", "template", descending=[True, False])
        .collect()
    )
    cut = int(grouped["n"].sum()) >= MOST_LINES
    known = _told_lines(ev)
    found: dict[str, _Seen] = {}
    for row in grouped.head(4 * MOST_TOLD * 10).iter_rows(named=True):
        if (row["first"]["node"], row["first"]["seq"]) in known:
            continue
        condition = _like(row["template"])
        if condition:
            found[f"line {row['template']}"] = _line(row, condition)
    return found, cut


def _line(row: dict[str, Any], condition: str) -> _Seen:
    sample = " ".join(row["first"]["text"].split())
    who = "" if row["rank"] is None else f"rank {row['rank']}" if row["ranks"] == 1 else f"{row['ranks']} ranks"
    name = row["template"].replace("\x00", "…")
    return _Seen(name[:_CUT], sample, who, "log_lines", condition, False, row["n"], frozenset())


def _told_lines(ev: Evidence) -> set[tuple[str, int]]:
    """Lines that facts were read from, those within tracebacks included."""
    told: set[tuple[str, int]] = set()
    for table in ("fact_events", "fact_steps", "fact_exits", "fact_exceptions"):
        rows = ev.facts(table).select("node", "line_seq").drop_nulls()
        told.update(rows.iter_rows())
    spans = ev.facts("fact_exceptions").select("node", "line_seq", "line_seq_last").drop_nulls()
    for node, first, last in spans.iter_rows():
        told.update((node, seq) for seq in range(first, min(last, first + 500) + 1))
    return told


def _like(template: str) -> str:
    """SQL that finds the lines of a template: its fixed parts in their order; empty where they say too little."""
    parts = [part.strip() for part in template.split("\x00")]
    parts = [part for part in parts if len(part) > 1 and re.search(r"\w", part)]
    if sum(len(part) for part in parts) < 10:
        return ""
    pattern = "%".join(part.replace("%", "_") for part in parts[:12])
    return f"text LIKE {literal(f'%{pattern}%')}"
