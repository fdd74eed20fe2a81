"""How many collectives each rank launched, where nothing tells what completed: by NCCL's RAS, or by probes on calls.

A launch is no completion, and ranks one operation apart are usual while training goes on. So counts speak only where
nothing moves any more: probes tell the last count of a communicator that stands still or has ended; of RAS the last two
answers, some seconds apart, must tell the same of every rank. Then a rank that has launched fewer than its peers is the
one they wait for. In smaller groups a rank may be behind because it waits itself: only communicators of all ranks
count.

RAS names ranks within a communicator, which in that of all ranks are the job's own; its text form does not say how
large a communicator is, so that only the JSON (NCCL 2.28.7 on) counts.
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
_PROBES: Final = "ebpf"
"""What the recorder's probes write into ``source``."""


@dataclass(frozen=True, slots=True)
class Launches:
    """What was counted in one communicator of all ranks.

    Attributes:
        comm: Its id.
        behind: Ranks that launched fewer collectives than most, with the number of their last one.
        silent: Ranks whose process did not answer RAS.
        foremost: Number of the last collective that the others launched.
        teller: Who counted, for a sentence.
        rank_column: Column of ``nccl_comms`` that names the rank.
    """

    comm: str
    behind: tuple[tuple[int, int], ...]
    silent: tuple[int, ...]
    foremost: int | None
    teller: str
    rank_column: str

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
            return f"launched no collective after number {self.behind[0][1]} while the others launched {self.foremost}"
        return "did not answer NCCL's RAS, as a process that is stopped or gone"

    def claim(self, claims: Claims) -> None:
        """Claim the counts, or the silence."""
        column = "last_enqueued_seq"
        ours = f"comm = {literal(self.comm)} AND event = 'status' AND {self.rank_column}"
        ranks = ", ".join(map(str, self.culprits))
        if self.behind:
            for whose, condition in ((f"ranks {ranks}", "IN"), ("the others", "NOT IN")):
                text = f"Number of the last collective that {whose} launched, by {self.teller}"
                claims.over(text, "MAX", column, "nccl_comms", f"{ours} {condition} ({ranks})")
        else:
            text = f"Times that {self.teller} had no answer of ranks {ranks}"
            claims.over(text, "COUNT", self.rank_column, "nccl_comms", f"{ours} IN ({ranks}) AND {column} IS NULL")


def launches(ev: Evidence) -> Launches | None:
    """The counts; None where nobody counted, where counts still moved, or where they name nobody."""
    world = ev.world_size()
    if world is None or world < 2 or "nccl_comms" not in ev.store.tables():
        return None
    rows = (
        ev.scan("nccl_comms")
        .filter((pl.col("event") == "status") & (pl.col("backend") == "nccl") & pl.col("comm").is_not_null())
        .select("comm", "comm_size", "rank", "comm_rank", "source", "ts_ns", "state", count="last_enqueued_seq")
        .sort("ts_ns", "source", "rank", "comm_rank", nulls_last=False)
        .collect()
    )
    for mine in rows.partition_by("comm", maintain_order=True):
        probed = mine.filter((pl.col("source") == _PROBES) & pl.col("rank").is_not_null())
        answers = mine.filter(pl.col("rank").is_null() & (pl.col("comm_size") == world))
        found = _by_probes(probed, world) or _by_ras(answers, world)
        if found is not None:
            return found
    return None


def _by_probes(rows: pl.DataFrame, world: int) -> Launches | None:
    last = rows.drop_nulls("count").group_by("rank", maintain_order=True).last()
    if last.height < world:
        return None
    behind, most = _behind(dict(last.select("rank", "count").sort("rank").iter_rows()))
    return Launches(rows["comm"][0], behind, (), most, "probes on its calls", "rank") if behind else None


def _by_ras(rows: pl.DataFrame, world: int) -> Launches | None:
    answers = rows["source"].unique(maintain_order=True).to_list()
    if len(answers) < 2:
        return None
    rows = rows.filter(pl.col("source").is_in(answers[-2:]) & pl.col("comm_rank").is_not_null())
    counts = rows.drop_nulls("count").group_by("comm_rank").agg(pl.col("count").unique()).sort("comm_rank")
    if (counts["count"].list.len() > 1).any():
        return None
    behind, most = _behind({rank: values[0] for rank, values in counts.iter_rows()})
    silent = rows.filter(pl.col("state").is_in(_SILENT))["comm_rank"].unique().sort().to_list()
    if len(silent) * 4 > world:
        silent = []
    if not behind and not silent:
        return None
    return Launches(rows["comm"][0], behind, tuple(silent), most, "NCCL's RAS", "comm_rank")


def _behind(reached: dict[int, int]) -> tuple[tuple[tuple[int, int], ...], int | None]:
    """Ranks below the foremost, where they are fewer than half; and what the foremost reached."""
    most = max(reached.values(), default=None)
    behind = tuple((rank, count) for rank, count in reached.items() if most is not None and count < most)
    return (behind if len(behind) * 2 < len(reached) else ()), most
