"""When what a claim rests on happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from inquest.render.tables import lazy

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict


def claim_times(verdict: Verdict, evidence: Evidence) -> dict[str, int]:
    """Time (ns since 1970) of the earliest row each claim rests on.

    Absent are claims whose rows have no time, and those about another run.
    """
    by_table: dict[str, list[tuple[str, str, int]]] = {}
    for claim in verdict.shows:
        for ref in claim.rows if claim.of == evidence.name else ():
            by_table.setdefault(ref.table, []).append((claim.id, ref.node, ref.seq))
    found: dict[str, int] = {}
    for table, refs in sorted(by_table.items()):
        wanted = pl.DataFrame(refs, schema={"claim": pl.String, "node": pl.String, "seq": pl.Int64}, orient="row")
        rows = lazy(evidence, table, "node", "seq", "ts_ns")
        # Node by node, between the first and the last: then most of a large table is not read.
        near = [
            rows.filter((pl.col("node") == node) & pl.col("seq").is_between(first, last))
            for node, first, last in wanted.group_by("node", maintain_order=True)
            .agg(first=pl.col("seq").min(), last=pl.col("seq").max())
            .iter_rows()
        ]
        cited = pl.concat(near).join(wanted.lazy(), on=["node", "seq"])
        for claim_id, ts_ns in cited.group_by("claim").agg(pl.col("ts_ns").min()).collect().iter_rows():
            if ts_ns is not None:
                found[claim_id] = min(ts_ns, found.get(claim_id, ts_ns))
    return found
