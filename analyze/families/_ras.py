"""What NCCL's RAS told of the ranks, where nothing finer was captured: who launched less, and who did not answer.

RAS counts launches, never completions, and ranks one operation apart are usual while training goes on. So counts speak
only where the last two answers, some seconds apart, tell the same of every rank: then nothing moved, and a rank that
has launched fewer than its peers is the one they wait for. Answers name ranks within a communicator; only in that of
all ranks they are the job's own. The text form does not say how large a communicator is: the JSON (2.28.7 on) counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._case import Claims

_SILENT: Final = ("UNRESPONSIVE", "DEAD", "INCOMPLETE")
"""States of a rank whose process did not answer RAS itself."""


@dataclass(frozen=True, slots=True)
class Told:
    """What RAS told of the communicator of all ranks.

    Attributes:
        comm: Its id.
        behind: Ranks that launched fewer collectives than most, with how many they launched.
        silent: Ranks whose process did not answer.
        foremost: How many the others launched.
    """

    comm: str
    behind: tuple[tuple[int, int], ...]
    silent: tuple[int, ...]
    foremost: int | None

    @property
    def mode(self) -> str:
        """Sub-mode of C2 that this shows."""
        return "host_stopped" if self.behind else "absent"

    @property
    def culprits(self) -> tuple[int, ...]:
        """Ranks to look at: those that launched less, else those that are silent."""
        return tuple(rank for rank, _ in self.behind) or self.silent

    def words(self) -> str:
        """What the named ranks did, as the predicate of a sentence."""
        if self.behind:
            return f"launched no more than collective {self.behind[0][1]} while the others launched {self.foremost}"
        return "did not answer NCCL's RAS, as a process that is stopped or gone"

    def claim(self, claims: Claims) -> None:
        """Claim the counts, or the silence."""
        where = f"comm = {literal(self.comm)} AND event = 'status' AND backend = 'nccl' AND comm_rank"
        if self.behind:
            ranks = ", ".join(str(rank) for rank, _ in self.behind)
            text = "Collectives that {} had launched, by NCCL's RAS"
            column = "last_enqueued_seq"
            claims.over(text.format(f"ranks {ranks}"), "MAX", column, "nccl_comms", f"{where} IN ({ranks})")
            claims.over(text.format("the others"), "MAX", column, "nccl_comms", f"{where} NOT IN ({ranks})")
        else:
            ranks = ", ".join(map(str, self.silent))
            text = "Times NCCL's RAS had no answer of these ranks"
            claims.over(text, "COUNT", "comm_rank", "nccl_comms", f"{where} IN ({ranks}) AND last_enqueued_seq IS NULL")


def told(ev: Evidence) -> Told | None:
    """What RAS told; None where it was not asked twice, where counts still moved, or where it names nobody."""
    world = ev.world_size()
    if world is None or world < 2 or "nccl_comms" not in ev.store.tables():
        return None
    rows = (
        ev.scan("nccl_comms")
        .filter((pl.col("event") == "status") & pl.col("rank").is_null() & pl.col("comm_rank").is_not_null())
        .filter((pl.col("comm_size") == world) & pl.col("comm").is_not_null())
        .select("comm", "comm_rank", "source", "ts_ns", "state", count="last_enqueued_seq")
        .collect()
    )
    for mine in rows.partition_by("comm", maintain_order=True):
        found = _of_comm(mine, world)
        if found is not None:
            return found
    return None


def _of_comm(rows: pl.DataFrame, world: int) -> Told | None:
    answers = rows.sort("ts_ns", "source", nulls_last=False)["source"].unique(maintain_order=True).to_list()
    if len(answers) < 2:
        return None
    rows = rows.filter(pl.col("source").is_in(answers[-2:]))
    silent = rows.filter(pl.col("state").is_in(_SILENT))["comm_rank"].unique().sort().to_list()
    counts = rows.drop_nulls("count").group_by("comm_rank").agg(pl.col("count").unique()).sort("comm_rank")
    if (counts["count"].list.len() > 1).any():
        return None
    reached = {rank: values[0] for rank, values in counts.iter_rows()}
    most = max(reached.values(), default=None)
    behind = tuple((rank, count) for rank, count in reached.items() if count < (most or 0))
    if len(behind) * 2 >= max(len(reached), 1):
        behind = ()
    if len(silent) * 4 > world:
        silent = []
    if not behind and not silent:
        return None
    return Told(rows["comm"][0], behind, tuple(silent), most)
