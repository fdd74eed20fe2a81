"""Reading tables for the views, and where ranks ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict


def lazy(evidence: Evidence, table: str, *columns: str) -> pl.LazyFrame:
    """The named columns of a table, recorded or computed, unevaluated."""
    return evidence.scan(table).select(columns)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where ranks ran, as far as any table says, and the order nodes are shown in (by their lowest rank)."""

    node_of: Mapping[int, str]
    nodes: tuple[str, ...]

    def ranks_on(self, node: str) -> tuple[int, ...]:
        """Ranks known to have run on ``node``, ascending."""
        return tuple(sorted(rank for rank, where in self.node_of.items() if where == node))


def placement(verdict: Verdict, evidence: Evidence) -> Placement:
    """Tell which rank ran on which node: from processes first, then from whatever a rank logged."""
    node_of: dict[int, str] = {}
    for table in ("processes", "fact_exits", "fact_steps", "fact_exceptions", "fact_events"):
        pairs = lazy(evidence, table, "node", "rank").drop_nulls().unique().sort("rank", "node").collect()
        for node, rank in pairs.iter_rows():
            node_of.setdefault(rank, node)
    names = set(verdict.bundle.nodes) | set(node_of.values())
    lowest = {node: min((rank for rank, where in node_of.items() if where == node), default=1 << 62) for node in names}
    return Placement(node_of, tuple(sorted(names, key=lambda node: (lowest[node], node))))
