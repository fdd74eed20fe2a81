"""Who waits for the others to come, and says so in words of a program's own, until it gives up or is ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

JOINED_OF: Final = re.compile(
    r"(?i)(?<![.\w])(\d{1,5}) ?"
    r"(?:/|of|out of|,? [\"']?(?:want(?:ed)?|need|expected|total|of|(?:world_)?size)[\"']?[=:]) ?"
    r"(\d{1,5})\b"
)
"""How many are there, of how many."""


def waited_in_vain(ev: Evidence, story: Story) -> Row | None:
    """The last of several lines that say that others are awaited, where nothing else followed but the end.

    Not all had come by any of them, and either the job is known to have failed or it waited for long.
    """
    told = [
        row
        for row in story.of(Kind.RENDEZVOUS_START, Kind.CONNECT_ERROR)
        if row["pattern"] in _TOLD and row["line_seq"] is not None and _not_all(row)
    ]
    if not told or story.progressed or story.crashes or story.ended_well:
        return None
    last = told[-1]
    mine = [row for row in told if (row["node"], row["source"]) == (last["node"], last["source"])]
    if len(mine) < _TIMES:
        return None
    below = ev.scan("log_lines").filter(same_stream(last) & (pl.col("seq") > last["line_seq"]))
    spoken = pl.col("text").str.contains(r"\w") & ~pl.col("text").str.contains(_BATCH_SYSTEM)
    rest = below.filter(spoken).head(_BELOW + 1).collect()["text"].to_list()
    if len(rest) > _BELOW or any(_GIVES_UP.search(text or "") is None for text in rest):
        return None
    first, end = mine[0]["ts_ns"], last["ts_ns"]
    long = first is not None and end is not None and end - first >= ev.threshold("c1.least_wait") * 1e9
    failed = story.end_status is not None and bool(story.end_status.exit_code or story.end_status.term_signal)
    return last if long or failed or rest else None


def _not_all(row: Row) -> bool:
    counted = JOINED_OF.search(str(row["subject"] or _FIELDS.sub("", str(row["text"] or ""))))
    return counted is None or int(counted[1]) < int(counted[2])


_FIELDS: Final = re.compile(r"^(?!.*\b(?:have|joined|present|ready|here)[\"']?[=:] ?\d).*$", re.DOTALL)
"""All of a line in which no field tells how many have come."""
_TOLD: Final = frozenset(
    {
        *("torchrun.waits_for_some", "torchrun.waits_for_ranks", "torchrun.waits_abroad"),
        *("torchrun.own_connect", "torchrun.own_unreachable"),
    }
)
_TIMES: Final = 3
"""Lines that tell of one who goes on waiting."""
_BELOW: Final = 3
_BATCH_SYSTEM: Final = (
    r"^(?:Sender: LSF System|Subject: Job \d|Job <.{0,200}> was submitted|Resource usage summary:|The output \(if any\)"
    r"|\s{0,8}(?:CPU time|(?:Max|Average|Total Requested|Delta) Memory|Max Swap|Max (?:Processes|Threads)"
    r"|Run time|Turnaround time) :"
    r"|TERM_[A-Z_]{3,30}: |Exited with |=>> PBS: |slurmstepd: |srun: |PS:$)"
)
"""What batch systems say below a job's own words."""
_GIVES_UP: Final = re.compile(
    r"(?i)\b(?:giv(?:ing|e) up|gave up|nobody|no one|not come|did(?:n't| not)|never|timed? ?out|exit\w*|leav\w*|left"
    r"|deadline|expired|quit\w*|abort\w*|stop\w*|terminat\w*|cancel\w*|killed|fail\w*|status|code|rc|bye|end\w*)\b"
    r"|退出码|返回码|超时|終了|код (?:возврата|выхода)|abgebrochen|aufgegeben|rückgabewert"
    r"|abandon\w*|código de (?:salida|saída)|code de (?:retour|sortie)|desisto"
)
"""What is said when the waiting ends."""
