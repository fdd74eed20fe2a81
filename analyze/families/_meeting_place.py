"""Where each rank was told to meet the others, by the environment that it was started with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row


@dataclass(frozen=True, slots=True)
class Apart:
    """Ranks that were sent to another port than most.

    Attributes:
        ranks: These ranks.
        nodes: Their nodes.
        row: The row of ``processes`` by which the first of them was started.
        other: That of one of those who were sent where most are.
    """

    ranks: tuple[int, ...]
    nodes: tuple[str, ...]
    row: Row
    other: Row


def sent_apart(ev: Evidence) -> Apart | None:
    """Ranks of one world whose ``MASTER_PORT`` is not that of the others; None where all have one, or it is not known.

    Addresses of one host may be written in several ways, ports may not.
    """
    if not ev.has("processes"):
        return None
    told = (
        ev.scan("processes")
        .filter((pl.col("event") == "start") & pl.col("rank").is_not_null() & pl.col("master_port").is_not_null())
        .sort("node", "seq")
        .collect()
        .unique(["rank"], keep="last", maintain_order=True)
    )
    worlds = told["world_size"].drop_nulls().unique().to_list()
    if told.height < 2 or len(worlds) != 1 or told["master_port"].n_unique() < 2:
        return None
    rows = list(told.sort("rank").iter_rows(named=True))
    # Of as many on either side those count as right that have the rank at which all meet.
    most = Counter(row["master_port"] for row in rows)
    usual = max(most, key=lambda port: (most[port], port == rows[0]["master_port"]))
    away = [row for row in rows if row["master_port"] != usual]
    return Apart(
        tuple(int(row["rank"]) for row in away),
        tuple(sorted({row["node"] for row in away})),
        away[0],
        next(row for row in rows if row["master_port"] == usual),
    )
