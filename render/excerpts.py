"""Lines of the logs around the event, with where each was read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.render.tables import lazy
from inquest.render.wording import clock, harmless, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict

MOST: Final = 4
BEFORE: Final = 8
AFTER: Final = 16
LINE_LIMIT: Final = 600


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line as shown: made harmless and cut; ``hit`` marks the line the excerpt is about."""

    time: str
    offset: int | None
    text: str
    hit: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Consecutive lines of one source."""

    node: str
    source: str
    rank: int | None
    why: str
    lines: tuple[LogLine, ...]

    @property
    def timed(self) -> bool:
        """True when any line has a time."""
        return any(line.time for line in self.lines)


@dataclass(frozen=True, slots=True)
class _Anchor:
    node: str
    source: str
    first: int
    last: int
    why: str


def excerpts(verdict: Verdict, evidence: Evidence) -> list[Excerpt]:
    """Up to ``MOST`` excerpts: what the claims rest on first, then fatal exceptions and errors, earliest first."""
    found: list[Excerpt] = []
    covered: list[_Anchor] = []
    for anchor in _anchors(verdict, evidence):
        if len(found) == MOST:
            break
        if any(_overlap(anchor, other) for other in covered):
            continue
        covered.append(anchor)
        if excerpt := _around(anchor, evidence):
            found.append(excerpt)
    return found


def _overlap(a: _Anchor, b: _Anchor) -> bool:
    if (a.node, a.source) != (b.node, b.source):
        return False
    return a.first <= b.last + AFTER and b.first <= a.last + AFTER


def _anchors(verdict: Verdict, evidence: Evidence) -> Iterator[_Anchor]:
    lines = {
        (ref.node, ref.seq): claim.text
        for claim in verdict.shows
        for ref in claim.rows
        if ref.table == "log_lines" and claim.of == evidence.name
    }
    if lines:
        wanted = pl.DataFrame(list(lines), schema={"node": pl.String, "seq": pl.Int64}, orient="row").lazy()
        cited = lazy(evidence, "log_lines", "node", "source", "seq", "ts_ns").join(wanted, on=["node", "seq"])
        for node, source, seq, _ in cited.sort("ts_ns", "node", "seq").collect().iter_rows():
            yield _Anchor(node, source, seq, seq, lines[node, seq])
    culprit = pl.col("rank") == (-1 if verdict.first_failing.rank is None else verdict.first_failing.rank)
    for table, text, role in (
        ("fact_exceptions", pl.format("{} on this rank", pl.col("exc_type")), pl.col("fatal")),
        ("fact_events", pl.col("kind").str.replace_all("_", " "), pl.col("role") == "root"),
        ("fact_exits", pl.lit("how it ended"), pl.lit(value=True)),
    ):
        last = pl.col("line_seq_last") if table == "fact_exceptions" else pl.col("line_seq")
        frame = (
            evidence.facts(table)
            .lazy()
            .filter(role, pl.col("line_seq").is_not_null())
            .sort(culprit.fill_null(value=False), "ts_ns", "node", "seq", descending=[True, False, False, False])
            .select("node", "source", "line_seq", last=last.fill_null(pl.col("line_seq")), why=text)
            .head(MOST * 4)
            .collect()
        )
        for node, source, first, end, why in frame.iter_rows():
            yield _Anchor(node, source, first, end, why or "")


def _around(anchor: _Anchor, evidence: Evidence) -> Excerpt | None:
    here = lazy(evidence, "log_lines", "node", "source", "seq", "ts_ns", "rank", "offset", "text").filter(
        pl.col("node") == anchor.node, pl.col("source").eq_missing(pl.lit(anchor.source)), pl.col("text") != ""
    )
    before = here.filter(pl.col("seq") < anchor.first).sort("seq").tail(BEFORE)
    after = (
        here.filter(pl.col("seq") >= anchor.first).sort("seq").head(max(AFTER, min(anchor.last - anchor.first + 4, 60)))
    )
    frame = pl.concat([before, after]).collect()
    if frame.is_empty():
        return None
    ranks = frame["rank"].drop_nulls().unique()
    lines = tuple(
        LogLine(
            "" if ts_ns is None else clock(ts_ns),
            offset,
            harmless(text or "", LINE_LIMIT).replace("\n", " "),
            anchor.first <= seq <= anchor.last,
        )
        for seq, ts_ns, offset, text in frame.select("seq", "ts_ns", "offset", "text").iter_rows()
    )
    return Excerpt(
        one_line(anchor.node),
        one_line(anchor.source or "source not named"),
        ranks[0] if len(ranks) == 1 else None,
        one_line(anchor.why, 160),
        lines,
    )
