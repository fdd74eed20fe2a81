"""An answer of NCCL's RAS subsystem that a watch of the job wrote into its log, below the last report before it stood.

``ncclras -v`` prints who launched fewer collectives than the others of a communicator (NCCL 2.24 on; the forms are
those of ``src/ras/client_support.cc``). Ranks one operation apart are usual while training goes on: it takes that
nothing was reported any more for long, before the answer and after it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._rows import named
from inquest.analyze.families._stall import stall
from inquest.analyze.families._story import when
from inquest.analyze.families._witnesses import add_end
from inquest.analyze.families.base import RuledIn, Support
from inquest.analyze.model import Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class _Answer:
    """The last answer: what most launched and how many they are, and who is behind."""

    most: int
    ranks: int
    head: Row
    behind: tuple[tuple[int, Row, re.Match[str]], ...]


def by_printed_ras(ev: Evidence, story: Story) -> RuledIn | None:
    """The rank that launched fewer collectives than the others, by an answer in the log of a job that stood."""
    pause = stall(ev, story) if story.progressed and not story.ended_well else None
    if pause is None or pause.factor < ev.threshold("c2.buffered_reports") or story.crashes:
        return None
    answer = _last_answer(ev, pause.row)
    if answer is None:
        return None
    culprits = tuple(rank for rank, *_ in answer.behind)
    claims, support = Claims(ev, "C2"), []
    claims.row("Last report before the silence", pause.table, pause.row, "ts_ns", "ns")
    claims.row("What the others had launched, by NCCL's RAS", "log_lines", answer.head, "text")
    for rank, row, _ in answer.behind[:_SHOWN]:
        claims.row(f"Who was behind: rank {rank}", "log_lines", row, "text")
    seconds = pause.silent_ns / 1e9
    support.append(Support("logs", f"no progress for {seconds:.0f} s, and ranks behind by NCCL's RAS", decisive=True))
    add_end(claims, support, story)
    names, one = named(culprits), answer.behind[0][2] if len(culprits) == 1 else None
    text = f"{names[0].upper()}{names[1:]} launched no further collective{when(story).replace(' at ', ' after ')}"
    text += f", and {answer.ranks} others waited for {seconds / 60:.0f} min in the one that it had not come to"
    return RuledIn(
        because=f"{text}, by NCCL's RAS.",
        would_change_if="a report after the answer, or a second answer in which the counts have moved",
        headline=f"{text}.",
        claims=claims.all,
        support=tuple(support),
        attribution="unknown",
        scope="allocation",
        onset_ns=pause.since_ns,
        sub_mode="host_stopped",
        first_failing=Failing(
            rank=culprits[0] if one is not None else None,
            node=one["host"] if one is not None else None,
            pid=int(one["pid"]) if one is not None else None,
            ts_ns=pause.since_ns,
        ),
        culprit_ranks=culprits,
        culprit_nodes=tuple(sorted({found["host"] for *_, found in answer.behind})),
        cannot_decide=(Missing(f"Why {names} did not come", "stacks of its process at that time"),),
        next=Next("job", f"Look at what {names} did then: stacks by py-spy, its log, its GPU."),
    )


def _last_answer(ev: Evidence, report: Row) -> _Answer | None:
    """The last one below ``report`` that names who is behind, as fewer than half."""
    if report.get("line_seq") is None:
        return None
    here = pl.col("source").eq_missing(pl.lit(report["source"], dtype=pl.String)) & (pl.col("node") == report["node"])
    lines = ev.scan("log_lines").filter(here & (pl.col("seq") > report["line_seq"]) & pl.col("text").str.contains(_ANY))
    most: tuple[int, int, Row] | None = None
    last: int | None = None
    behind: list[tuple[int, Row, re.Match[str]]] = []
    answer: _Answer | None = None
    for row in lines.sort("seq").tail(_READ).collect().iter_rows(named=True):
        text = str(row["text"])
        if (group := _GROUP.search(text)) is not None:
            many, count = int(group["many"]), int(group["count"])
            if most is None or many > most[0]:
                most, behind = (many, count, row), []
            last = count
        elif (rank := _RANK.search(text)) is not None and most is not None and last is not None and last < most[1]:
            behind.append((int(rank["rank"]), row, rank))
            if len(behind) < most[0]:
                answer = _Answer(most[1], most[0], most[2], tuple(behind))
        elif _HEAD.search(text) is not None:
            most, last, behind = None, None, []
    return answer


_READ: Final = 4000
_SHOWN: Final = 4
_HEAD: Final = re.compile(r"^\s*#\d+-\d+ \([0-9a-f]{1,16}\) [A-Z]+")
_GROUP: Final = re.compile(r"\b(?P<many>\d{1,7}) ranks? (?:have|has) launched up to operation (?P<count>\d{1,18})\b")
_RANK: Final = re.compile(
    r"^\s*Rank (?P<rank>\d{1,7}) -- GPU [^\[]{1,40}? managed by process (?P<pid>\d{1,10})"
    r" on node (?P<host>[\w.:-]{1,200})"
)
_ANY: Final = r"^\s*#\d+-\d+ \([0-9a-f]{1,16}\) [A-Z]+|launched up to operation \d|^\s*Rank \d{1,7} -- GPU "
