"""Every claim gives the same value in DuckDB, over Parquet files that hold the tables and nothing else of ours.

Whoever has the bundle's Parquet members needs no inquest to check a claim over recorded tables. The tables of facts are
computed; they are exported as well, so that their claims stay within the common dialect too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.evidence import ALL_TABLES, FACT_TABLES, rounded
from inquest.analyze.families._case import Claims
from inquest.analyze.families.e2_restart_or_load import FINITE_LR
from inquest.analyze.model import Claim, plain
from inquest.analyze.sql import check

from ..bundle.imports.kit import CORPORA
from .builders import TWINS, Run
from .proof_scenes import SCENES, judged

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.evidence import Evidence


def elsewhere(claims: tuple[Claim, ...], ev: Evidence, folder: Path) -> dict[str, object]:
    """Value of each claim in DuckDB, at the digits of its unit, by id."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB, the engine claims are held against, is not installed")
    given = {}
    with duckdb.connect(config={"threads": 1}) as database:
        for table in sorted({table for claim in claims for table in check(claim.sql, ALL_TABLES)}):
            path = folder / f"{table}.parquet"
            ev.scan(table).collect().write_parquet(path)
            database.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{path}')")
        for claim in claims:
            rows = database.execute(claim.sql).fetchall()
            given[claim.id] = plain(rounded(rows[0][0], claim.unit)) if rows else None
    return given


@pytest.mark.parametrize("name", SCENES)
def test_claims_say_the_same_in_duckdb(name: str, tmp_path: Path) -> None:
    verdict, ev = judged(name)
    assert verdict.claims
    assert elsewhere(verdict.claims, ev, tmp_path) == {claim.id: plain(claim.value) for claim in verdict.claims}


@pytest.mark.parametrize("family", TWINS)
@pytest.mark.parametrize("twin", ["positive", "near_miss", "missing"])
def test_claims_of_twins_say_the_same_in_duckdb(family: str, twin: str, tmp_path: Path) -> None:
    ev = getattr(TWINS[family], twin)().evidence()
    verdict = judge(ev, strict=True)
    assert elsewhere(verdict.claims, ev, tmp_path) == {claim.id: plain(claim.value) for claim in verdict.claims}


def test_recorded_tables_are_among_what_claims_read() -> None:
    """The comparison is about evidence that a stranger's engine can read from the bundle itself."""
    names = SCENES if (CORPORA / "flight-recorder").is_dir() else SCENES[:-2]
    read = {table for name in names for claim in judged(name)[0].claims for table in check(claim.sql, ALL_TABLES)}
    wanted = {"gpu_samples", "nccl_comms"} if names == SCENES else {"gpu_samples"}
    assert wanted <= read - FACT_TABLES


def test_another_row_gives_another_value(tmp_path: Path) -> None:
    """The comparison can fail."""
    verdict, _ = judged("simulated/throttling")
    claims = tuple(claim for claim in verdict.claims if claim.table == "gpu_samples")
    assert claims
    said = {claim.id: plain(claim.value) for claim in claims}
    assert elsewhere(claims, judged("simulated/straggler")[1], tmp_path) != said


@pytest.mark.parametrize("odd", [float("inf"), float("nan")])
def test_the_highest_learning_rate_is_a_number_in_each_engine(odd: float, tmp_path: Path) -> None:
    run = Run().fact("fact_steps", kind="step", step=1, lr=odd).fact("fact_steps", kind="step", step=2, lr=2.5e-4)
    ev = run.evidence()
    claims = Claims(ev, "X")
    claims.over("Highest learning rate reported", "MAX", "lr", "fact_steps", FINITE_LR)
    assert elsewhere(claims.all, ev, tmp_path) == {"X.1": 2.5e-4}
    assert [row.seq for row in claims.all[0].rows] == [1]


def test_an_extreme_without_bound_is_cited(tmp_path: Path) -> None:
    ev = Run().fact("fact_steps", kind="step", step=1, loss=float("inf")).evidence()
    claims = Claims(ev, "X")
    claims.over("Highest loss reported", "MAX", "loss", "fact_steps")
    assert elsewhere(claims.all, ev, tmp_path) == {"X.1": "inf"}
    assert [row.seq for row in claims.all[0].rows] == [0]
