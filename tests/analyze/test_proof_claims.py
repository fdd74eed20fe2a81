"""Claims put to the proof: the rows they cite carry them, and DuckDB says the same, for every kind that families make.

Take cited rows away or alter them, and the value or the verdict is another. Cited facts are computed, so it is the
recorded rows beside them that are taken away.

Whoever has the bundle's Parquet members needs no inquest to check a claim over recorded tables in DuckDB. The tables of
facts are computed; they are exported as well, so that their claims stay within the common dialect too.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING

import polars as pl
import pytest

from inquest.analyze.claims import wrong_with
from inquest.analyze.engine import analyze, judge
from inquest.analyze.evidence import ALL_TABLES, FACT_TABLES, Evidence, rounded
from inquest.analyze.families._case import Claims
from inquest.analyze.families.e2_restart_or_load import FINITE_LR
from inquest.analyze.model import Claim, Vitals, plain
from inquest.analyze.sql import check
from inquest.bundle.schema import BY_NAME
from inquest.bundle.store import MemoryStore

from ..bundle.imports.kit import CORPORA
from .builders import TWINS, Run
from .proof_kinds import RUNS, altered, are, deleted, places, reached, run, verdict_on
from .proof_scenes import SCENES, frames_of, judged, scene

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import RowRef, Verdict

    from .proof_kinds import Change, Place

STATISTICS = {
    "Median ": "a median of hundreds of samples does not move with the eight that are cited",
}
"""How the text of claims begins that may outlast the rows they cite, and why.

Of these, deleting a cited row is found by ``verify``, and deleting all they count changes the value.
"""


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


@cache
def again(name: str, rows: tuple[RowRef, ...], change: Change) -> Evidence:
    """The evidence of a scene after a change of these rows."""
    frames = frames_of(scene(name))
    for table in {row.table for row in rows}:
        mine = tuple(row for row in rows if row.table == table)
        frames[table] = change(frames[table], are(mine))
    return Evidence(MemoryStore(frames, scene(name).info), strict=True)


def tells(name: str, claim: Claim, change: Change) -> bool:
    """Whether a change of the cited rows changes the value of the claim or, where it does not, the verdict."""
    evidence = again(name, recorded_rows(claim), change)
    if evidence.value(claim.sql, claim.unit) != claim.value:
        return True
    return conclusion(judge(evidence, strict=True)) != conclusion(judged(name)[0])


@pytest.mark.parametrize("name", SCENES)
def test_a_claim_does_not_outlast_the_rows_it_cites(name: str) -> None:
    outlasting = []
    for claim in judged(name)[0].shows:
        if not recorded_rows(claim):
            assert (claim.value, claim.rows) == (0, ()), "only what counts nothing cites nothing"
            assert claim.sql.startswith("SELECT COUNT(")
        elif claim.text.startswith(tuple(STATISTICS)):
            gone = again(name, recorded_rows(claim), deleted)
            assert sum("which is not there" in problem for problem in wrong_with(claim, gone)) == len(claim.rows)
        elif not tells(name, claim, deleted) and not tells(name, claim, altered):
            outlasting.append(claim.text)
    assert outlasting == []


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


# --- each kind of claim ---------------------------------------------------------------------------------------------
@cache
def kinds(name: str) -> frozenset[Place]:
    """The kinds of claims that the verdict on a run of ``RUNS`` holds and those before it do not."""
    before = [other for other in RUNS if list(RUNS).index(other) < list(RUNS).index(name)]
    return frozenset(reached(verdict_on(name).shows)).difference(
        *(reached(verdict_on(other).shows) for other in before)
    )


def test_each_kind_of_claim_is_put_to_the_proof() -> None:
    """Who adds a claim to a family adds a run that makes it, unless a scene does."""
    made = {place for name in RUNS for place in reached(verdict_on(name).shows)}
    made |= {place for name in SCENES[:-2] for place in reached(judged(name)[0].shows)}
    assert sorted(made - places().keys()) == [], "claims made by no call that is known here: see proof_kinds._NAMES"
    lacking = [f"analyze/{file}:{line}: {places()[file, line][1]}" for file, line in sorted(places().keys() - made)]
    assert not lacking, "no run of proof_kinds.RUNS makes:\n" + "\n".join(lacking)
    told = [verdict_on(name).vitals for name in RUNS] + [judged(name)[0].vitals for name in SCENES[:-2]]
    vitals = {claim.id.removeprefix("V.") for each in told for claim in each.claims}
    assert vitals == {field.name for field in fields(Vitals)}


@pytest.mark.parametrize("name", RUNS)
def test_no_kind_of_claim_outlasts_the_rows_it_cites(name: str) -> None:
    """The first claim of each kind: other rows give another value, or another verdict."""
    told, verdict, left = run(name), verdict_on(name), set(kinds(name))
    for claim in verdict.shows:
        mine = reached((claim,)) & left
        left -= mine
        if not mine or (not claim.rows and claim.value == 0 and claim.sql.startswith("SELECT COUNT(")):
            continue
        assert claim.rows, claim.text
        gone, other = told.changed(claim, deleted), told.changed(claim, altered)
        if claim.text.startswith(tuple(STATISTICS)):
            assert wrong_with(replace(claim, of=gone.name), gone)
        elif gone.value(claim.sql, claim.unit) == claim.value:
            assert other.value(claim.sql, claim.unit) != claim.value, claim.text


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


# --- in another engine ----------------------------------------------------------------------------------------------
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


@pytest.mark.parametrize("name", RUNS)
def test_each_kind_of_claim_says_the_same_in_duckdb(name: str, tmp_path: Path) -> None:
    """Kinds that no scene above makes; what is said of another run is asked of its tables."""
    ev, verdict = run(name).evidence(), verdict_on(name)
    said = {claim.id: plain(claim.value) for claim in verdict.claims}
    found: dict[str, object] = {}
    for whose in {claim.of for claim in verdict.claims}:
        claims = tuple(claim for claim in verdict.claims if claim.of == whose)
        (tmp_path / whose).mkdir()
        found |= elsewhere(claims, ev.about(claims[0]), tmp_path / whose)
    assert found == said


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
