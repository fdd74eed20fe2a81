"""The rows a claim cites carry it: take them away or alter them, and its value or the verdict is another.

Cited facts are computed, so it is the recorded rows beside them that are taken away.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import polars as pl
import pytest

from inquest.analyze.claims import wrong_with
from inquest.analyze.engine import analyze
from inquest.analyze.evidence import FACT_TABLES
from inquest.analyze.sql import check
from inquest.bundle.schema import BY_NAME, IDENTITY
from inquest.bundle.store import MemoryStore

from ..bundle.imports.kit import CORPORA
from .proof_scenes import SCENES, frames_of, judged, scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Claim, RowRef, Verdict

STATISTICS = {
    "Median ": "a median of hundreds of samples does not move with the eight that are cited",
}
"""How the text of claims begins that may outlast the rows they cite, and why.

Of these, deleting a cited row is found by ``verify``, and deleting all they count changes the value.
"""
_IDENTITY = {column.name for column in IDENTITY}


def conclusion(verdict: Verdict) -> tuple[object, ...]:
    """What a verdict says, without the digest and the numbers of rows."""
    return (
        *(verdict.outcome, verdict.family, verdict.sub_mode, verdict.confidence, verdict.attribution, verdict.headline),
        *(verdict.culprit_ranks, verdict.culprit_nodes, verdict.culprit_gpus, verdict.first_failing, verdict.chain),
        *((entry.family, entry.status, entry.because) for entry in verdict.families),
        *((claim.text, claim.value) for claim in verdict.shows),
    )


def recorded_rows(claim: Claim) -> tuple[RowRef, ...]:
    return tuple(row for row in claim.rows if row.table not in FACT_TABLES)


def is_one_of(rows: tuple[RowRef, ...]) -> pl.Expr:
    keys = [(pl.col("node") == r.node) & (pl.col("seq") == r.seq) & (pl.col("capture") == r.capture) for r in rows]
    return pl.any_horizontal(keys)


def deleted(frame: pl.DataFrame, these: pl.Expr) -> pl.DataFrame:
    return frame.filter(~these)


def altered(frame: pl.DataFrame, these: pl.Expr) -> pl.DataFrame:
    """The rows with other values in every column that is not their identity."""
    # Each row by another amount: a counter that is shifted as a whole has risen as much as before.
    further = 1_000_003 + pl.int_range(pl.len())
    others = []
    for name, dtype in frame.schema.items():
        column = pl.col(name)
        if name not in _IDENTITY:
            other = ~column if dtype == pl.Boolean else column + further if dtype.is_numeric() else pl.lit("altered")
            others.append(pl.when(these & column.is_not_null()).then(other).otherwise(column).alias(name))
    return frame.with_columns(others)


@cache
def again(
    name: str, rows: tuple[RowRef, ...], change: Callable[[pl.DataFrame, pl.Expr], pl.DataFrame]
) -> tuple[Verdict, Evidence]:
    """The verdict after a change of these rows of a scene."""
    frames = frames_of(scene(name))
    for table in {row.table for row in rows}:
        mine = tuple(row for row in rows if row.table == table)
        frames[table] = change(frames[table], is_one_of(mine))
    return analyze(MemoryStore(frames, scene(name).info), strict=True)


def tells(name: str, claim: Claim, change: Callable[[pl.DataFrame, pl.Expr], pl.DataFrame]) -> bool:
    """Whether a change of the cited rows changes the value of the claim or the verdict."""
    verdict, evidence = again(name, recorded_rows(claim), change)
    return evidence.value(claim.sql, claim.unit) != claim.value or conclusion(verdict) != conclusion(judged(name)[0])


@pytest.mark.parametrize("name", SCENES)
def test_a_claim_does_not_outlast_the_rows_it_cites(name: str) -> None:
    verdict, _ = judged(name)
    outlasting = []
    for claim in verdict.shows:
        if not recorded_rows(claim):
            assert (claim.value, claim.rows) == (0, ()), "only what counts nothing cites nothing"
            assert claim.sql.startswith("SELECT COUNT(")
        elif not tells(name, claim, deleted) and not tells(name, claim, altered):
            outlasting.append(claim.text)
            gone = again(name, recorded_rows(claim), deleted)[1]
            assert sum("which is not there" in problem for problem in wrong_with(claim, gone)) == len(claim.rows)
    assert [text for text in outlasting if not text.startswith(tuple(STATISTICS))] == []


@pytest.mark.parametrize("name", ["straggler", "interconnect", "idle_hang", "silent_freeze", "throttling"])
def test_a_statistic_does_not_outlast_what_it_counts(name: str) -> None:
    claims = [c for c in judged(f"simulated/{name}")[0].shows if c.text.startswith(tuple(STATISTICS))]
    assert claims
    store = scene(f"simulated/{name}")
    for claim in claims:
        condition = claim.sql.partition(" WHERE ")[2]
        assert check(claim.sql, BY_NAME) == (claim.table,)
        counted = pl.SQLContext({claim.table: store.scan(claim.table)}).execute(
            f"SELECT node, seq, capture FROM {claim.table} WHERE {condition}"
        )
        left = store.scan(claim.table).drop("ts").join(counted, on=["node", "seq", "capture"], how="anti")
        frames = frames_of(store) | {claim.table: left.collect()}
        assert left.collect().height < store.scan(claim.table).collect().height
        _, evidence = analyze(MemoryStore(frames, store.info), strict=True)
        assert evidence.value(claim.sql, claim.unit) is None


def test_each_kind_of_claim_over_recorded_tables_is_among_them() -> None:
    """What is justified above is in use: a reason nobody needs is taken out."""
    texts = {claim.text for name in SCENES[:-2] for claim in judged(name)[0].shows}
    for begin in STATISTICS:
        assert any(text.startswith(begin) for text in texts)
    measures = {
        found[1] for name in SCENES[:-2] for c in judged(name)[0].shows if (found := re.match(r"SELECT (\w+)\(", c.sql))
    }
    assert measures == {"COUNT", "MAX", "MEDIAN", "SUM"}


@pytest.mark.skipif(not CORPORA.is_dir(), reason="shared/corpora is not beside the checkout")
@pytest.mark.parametrize("name", SCENES[-2:])
def test_who_stopped_rests_on_the_counts_of_the_ranks(name: str) -> None:
    verdict, _ = judged(name)
    counts = [claim for claim in verdict.shows if claim.table in ("nccl_comms", "flight_recorder")]
    assert len(counts) >= 2
    assert all(tells(name, claim, deleted) for claim in counts)


@pytest.mark.parametrize("name", SCENES)
def test_a_vital_names_rows_it_counts(name: str) -> None:
    verdict, evidence = judged(name)
    for claim in verdict.vitals.claims:
        assert recorded_rows(claim), claim.text
        assert wrong_with(claim, evidence) == []
