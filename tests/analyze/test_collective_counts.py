"""Who is named when dumps of flight recorders tell how far each rank got."""

from __future__ import annotations

from functools import cache

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.families._collectives import standing
from inquest.bundle.imports.flight_recorder import KIND

from ..bundle.imports.kit import CORPORA, rows_of
from .conftest import build

JOBS = {"gpu_error_1st": ((12, 14), "gpu_stopped"), "lock_gil_2nd": ((10, 15), "host_stopped")}


@cache
def dumps(job: str) -> dict[int, dict[str, list[dict]]]:
    folder = CORPORA / "flight-recorder" / job
    if not folder.is_dir():
        pytest.skip("shared/corpora/flight-recorder is not here")
    return {int(path.name.rpartition("_")[2]): rows_of(KIND, path) for path in sorted(folder.glob("_dump_*"))}


def rows_without(job: str, *ranks: int, tables: tuple[str, ...] = ("nccl_comms", "flight_recorder")) -> dict:
    kept = [found for rank, found in dumps(job).items() if rank not in ranks]
    rows = {table: [dict(row) for found in kept for row in found.get(table, ())] for table in tables}
    for found in rows.values():
        for row in found:
            row.pop("node", None)
    return rows


@pytest.mark.parametrize("job", JOBS)
def test_the_faulted_ranks_of_real_jobs(job: str) -> None:
    culprits, mode = JOBS[job]
    verdict = judge(build(rows_without(job), parse=True))
    assert (verdict.family, verdict.culprit_ranks, verdict.sub_mode) == ("C2", culprits, mode)
    assert verdict.confidence <= 0.7, "dumps alone are one store"
    numbers = [claim.value for claim in verdict.shows if claim.table == "nccl_comms"]
    assert numbers
    assert all(mine < theirs for mine, theirs in zip(numbers[::2], numbers[1::2], strict=True))


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("missing", [(0,), (1, 5), (7, 8, 9)])
def test_dumps_that_were_not_collected_blame_nobody_else(job: str, missing: tuple[int, ...]) -> None:
    culprits, _ = JOBS[job]
    stood = standing(build(rows_without(job, *missing), parse=True))
    assert stood is not None
    assert set(stood.culprits) <= set(culprits)


def test_ranks_whose_dump_is_missing_are_named_as_such() -> None:
    stood = standing(build(rows_without("lock_gil_2nd", 10, 15), parse=True))
    assert stood is not None
    assert (stood.culprits, stood.mode) == ((10, 15), "absent")


def call(rank: int, seq: int, state: str = "completed", op: str = "nccl:all_reduce", **more: object) -> dict:
    done = {"complete_ns": 1_000 + seq} if state == "completed" else {}
    base = {"rank": rank, "comm": "0", "comm_desc": "default_pg", "comm_size": 4, "coll_seq": seq, "op": op}
    return {**base, "record_id": seq, "state": state, "enqueue_ns": seq, "is_p2p": False, **done, **more}


def entries(rows: list[dict]) -> dict:
    return {"flight_recorder": rows}


def test_entries_alone_name_who_enqueued_no_more() -> None:
    rows = [call(rank, seq) for rank in range(4) for seq in range(5)]
    rows += [call(rank, 5, "started") for rank in (0, 1, 3)]
    verdict = judge(build(entries(rows), parse=True))
    assert (verdict.family, verdict.culprit_ranks, verdict.sub_mode) == ("C2", (2,), "host_stopped")
    assert "all_reduce" in verdict.chain[0].text


def test_a_rank_that_waits_elsewhere_is_no_culprit() -> None:
    """Rank 1 is behind in the group of all because it waits for rank 2 in another: rank 2 it is."""
    rows = [call(rank, seq) for rank in range(4) for seq in range(5)]
    rows += [call(rank, 5, "started") for rank in (0, 3)]
    pair = {"comm": "7", "comm_desc": "pair"}
    rows += [call(rank, seq, **pair) for rank in (1, 2) for seq in range(3)]
    rows += [call(1, 3, "started", **pair)]
    stood = standing(build(entries(rows), parse=True))
    assert stood is not None
    assert stood.culprits == (2,)


def test_another_operation_at_the_same_number_is_a_mismatch() -> None:
    rows = [call(rank, seq) for rank in range(4) for seq in range(5)]
    rows += [call(rank, 5, "started") for rank in (0, 1, 2)]
    rows += [call(3, 5, "started", "nccl:broadcast")]
    verdict = judge(build(entries(rows), parse=True))
    assert (verdict.culprit_ranks, verdict.sub_mode, verdict.attribution) == ((3,), "mismatch", "job")


def test_all_alike_decides_nothing() -> None:
    rows = [call(rank, seq) for rank in range(4) for seq in range(5)]
    rows += [call(rank, 5, "started") for rank in range(4)]
    verdict = judge(build(entries(rows), parse=True))
    assert verdict.outcome == "cannot_decide"
    assert "looks the same" in next(f for f in verdict.families if f.family == "C2").because


def test_the_least_that_completed_is_not_the_last_that_did() -> None:
    least = {"comm": "c", "event": "status", "source": "ebpf", "last_enqueued_seq": 9}
    rows = [{"rank": rank, "last_completed_seq": 9 if rank else 4, **least} for rank in range(4)]
    assert standing(build({"nccl_comms": rows}, parse=True)) is None


def test_nothing_open_is_no_freeze() -> None:
    rows = [call(rank, seq) for rank in range(4) for seq in range(5)]
    assert standing(build(entries(rows), parse=True)) is None


def test_a_dump_of_a_run_that_ended_well_is_no_freeze() -> None:
    rows = [call(rank, seq) for rank in range(4) for seq in range(5)]
    rows += [call(rank, 5, "started") for rank in (0, 1, 3)]
    ended = [{"event": "exit", "role": "task", "exit_code": 0, "ts_ns": 10**10}]
    verdict = judge(build({**entries(rows), "processes": ended}, parse=True))
    assert verdict.family != "C2"
