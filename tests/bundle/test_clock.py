"""Alignment: what rows tell of clocks becomes UTC with a bound, whatever the order of the rows."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle import clock, parquet
from inquest.bundle.clock import ends, fit, messages, steps
from inquest.bundle.imports.bundle import masked
from inquest.bundle.imports.core import import_paths
from inquest.bundle.store import BundleStore

from .imports.kit import CORPORA

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SECOND = 1_000_000_000
WALL = 1_700_000_000 * SECOND
Rows = list[tuple[str, dict[str, Any]]]


def batch(table: str, rows: Sequence[dict[str, Any]]) -> pa.RecordBatch:
    full = [{"node": "a", "boot_id": "b", "capture": "c", "seq": seq, **row} for seq, row in enumerate(rows)]
    return pa.RecordBatch.from_pylist(full, schema=parquet.plain_schema(table))


def estimate(rows: Rows) -> dict[clock.Clock, clock.Alignment]:
    seen = clock.Observations()
    for table, row in rows:
        seen.observe(table, batch(table, [row]))
    return clock.estimate(seen)


def triples(node: str, offset: int, *, error_us: float | None = None, step: int = 0, count: int = 60) -> Rows:
    return [
        (
            "clock_samples",
            {
                "node": node,
                "ts_mono_ns": tick * 10 * SECOND,
                "wall_ns": WALL + offset + tick * 10 * SECOND + (step if tick > 2 * count // 3 else 0),
                "read_bound_ns": 50,
                "kernel_error_us": error_us,
            },
        )
        for tick in range(count)
    ]


def probe(node: str, peer: str, ahead: int, sent: int, there: int = 100_000, back: int = 100_000) -> tuple[str, Any]:
    """A probe of a clock that shows ``ahead`` ns more."""
    row = {
        "node": node,
        "ts_mono_ns": sent,
        "kind": "probe",
        "peer": peer,
        "peer_boot_id": "b",
        "peer_receive_mono_ns": sent + there + ahead,
        "peer_send_mono_ns": sent + there + ahead + 1000,
        "return_mono_ns": sent + there + 1000 + back,
    }
    return "clock_samples", row


def end(node: str, number: int, at: int, op: str = "AllReduce", boot: str | None = "b", comm: str = "w") -> Any:
    row = {"node": node, "boot_id": boot, "comm": comm, "op": op, "coll_seq": number, "complete_mono_ns": at}
    return "nccl_collectives", row


def only(found: dict[clock.Clock, clock.Alignment]) -> clock.Aligned:
    (alignment,) = found.values()
    (piece,) = alignment.pieces
    return piece


def test_one_wall_clock_keeps_its_median_and_a_bound_over_its_step() -> None:
    found = estimate(triples("a", 7, error_us=100.0, step=-30 * SECOND))
    assert found["a", "b"].reference == "utc"
    assert found["a", "b"].method == "wall"
    piece = only(found)
    assert (piece.offset, piece.drift) == (WALL + 7, 0.0)
    assert piece.bound_ns == piece.utc_bound_ns == 30 * SECOND + 100_000 + 50


def test_a_kernel_that_states_no_error_gives_no_bound_and_the_reason() -> None:
    found = estimate(triples("a", 7))
    assert only(found).bound_ns is None
    assert "cannot be aligned" in (found["a", "b"].detail or "")


def test_impossible_readings_are_not_believed() -> None:
    assert estimate([]) == {}
    rows = [{"ts_mono_ns": None, "wall_ns": 1}, {"ts_mono_ns": -1, "wall_ns": 1}, {"ts_mono_ns": 1 << 62, "wall_ns": 1}]
    assert estimate([("clock_samples", row) for row in rows]) == {}


def test_nodes_that_probed_each_other_are_bounded_though_both_are_off_utc() -> None:
    rows = triples("a", 5_000_000, error_us=20_000.0) + triples("z", -5_000_000, error_us=20_000.0)
    rows += [probe("a", "z", 3 * SECOND, tick * 20 * SECOND) for tick in range(30)]
    found = estimate(rows)
    a, z = found["a", "b"], found["z", "b"]
    assert a.reference == z.reference != "utc"
    assert (a.method, z.method) == ("probe", "probe")
    apart = a.pieces[0].at(0) - z.pieces[0].at(3 * SECOND)
    bounds = a.pieces[0].bound_ns, z.pieces[0].bound_ns
    assert abs(apart - 3 * SECOND) < 1000
    assert all(bound is not None and bound < 150_000 for bound in bounds)
    assert all(piece.utc_bound_ns is not None and piece.utc_bound_ns > 20_000_000 for piece in (*a.pieces, *z.pieces))


def test_no_asymmetry_leaves_the_bound_of_probes() -> None:
    for there, back in ((190_000, 30_000), (30_000, 190_000)):
        found = estimate(
            triples("a", 0) + triples("z", 0) + [probe("a", "z", 0, t * SECOND, there, back) for t in range(40)]
        )
        error = abs(found["a", "b"].pieces[0].at(0) - found["z", "b"].pieces[0].at(0))
        assert error <= sum(found[node, "b"].pieces[0].bound_ns or 0 for node in "az")


def test_only_ends_that_wait_for_all_ranks_count() -> None:
    base = triples("a", 0) + triples("z", 0)
    ends = [end(node, n, n * SECOND + ahead) for n in range(60) for node, ahead in (("a", 0), ("z", 5 * SECOND))]
    found = estimate(base + ends)
    assert found["a", "b"].reference == found["z", "b"].reference != "utc"
    assert found["a", "b"].pieces[0].at(0) - found["z", "b"].pieces[0].at(0) == pytest.approx(5 * SECOND, abs=100)
    early = [(table, row | {"op": "Broadcast"}) for table, row in ends]
    assert estimate(base + early)["a", "b"].reference == "utc"


def test_of_the_ranks_of_a_node_the_first_counts() -> None:
    rows = triples("a", 0) + triples("z", 0)
    for n in range(60):
        rows += [end("a", n, n * SECOND), end("z", n, n * SECOND), end("z", n, n * SECOND + 40_000_000)]
    found = estimate(rows)
    assert abs(found["a", "b"].pieces[0].at(0) - found["z", "b"].pieces[0].at(0)) < 100


def test_imported_nodes_with_nothing_in_common_keep_their_time() -> None:
    seen = clock.Observations()
    seen.know("gpu-1", None)
    seen.know("gpu-2", None)
    found = clock.estimate(seen)
    assert {a.method for a in found.values()} == {"import"}
    assert all(a.pieces[0].offset == 0 and a.pieces[0].bound_ns is None for a in found.values())
    assert all("cannot be aligned" in (a.detail or "") for a in found.values())
    (rows,) = clock.rows("gpu-1", found)
    (row,) = rows.to_pylist()
    assert (row["method"], row["offset_ns"], row["bound_ns"], row["reference"]) == ("import", 0, None, "utc")


def test_real_databases_of_two_nodes_that_share_nothing_cannot_be_aligned(tmp_path: Path) -> None:
    databases = sorted((CORPORA / "ingero").glob("sample-gpu-node-*.db"))
    if not databases:
        pytest.skip("the corpora are not beside this checkout")
    out = tmp_path / "job.inquest"
    command = [sys.executable, "-m", "inquest", "import", *map(str, databases), "-o", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    store = BundleStore(out)
    rows = store.scan("clock_alignment").collect().to_dicts()
    assert len(rows) == len(databases)
    assert all(row["bound_ns"] is None and "cannot be aligned" in row["detail"] for row in rows)
    assert set(store.info.offline_bound_ns.values()) == {None}


def test_profiler_traces_of_two_hosts_are_aligned_by_the_collectives_they_share(tmp_path: Path) -> None:
    """SIMULATED traces: each host's clock is off by its own offset, kernels of one collective end together."""
    chance = random.Random(2)
    for rank, off_us in enumerate((0, 250_000)):
        events = []
        for n in range(60):
            end_us = n * 50_000 + off_us + chance.uniform(0, 40)
            told = {"Collective name": "allreduce", "Process Group Name": "0", "Seq": n, "Group size": 2}
            kernel = {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7, "args": told}
            events.append(kernel | {"ts": end_us - 300, "dur": 300})
        trace = {
            "schemaVersion": 1,
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2},
            "baseTimeNanoseconds": WALL,
            "host_name": f"gpu-{rank}",
            "traceEvents": events,
        }
        (tmp_path / f"trace-{rank}.json").write_text(json.dumps(trace))
    seen = clock.Observations()
    for table, rows in masked(import_paths([tmp_path])):
        seen.observe(table, rows)
    found = clock.estimate(seen)
    a, z = found["gpu-0", ""], found["gpu-1", ""]
    at = WALL + SECOND
    assert (a.method, a.reference) == ("collective", z.reference)
    assert a.piece(at).at(at) - z.piece(at).at(at) == pytest.approx(250_000_000, abs=50_000)
    assert all((alignment.piece(at).bound_ns or SECOND) < 200_000 for alignment in (a, z))


def test_imported_rows_of_a_recorded_node_follow_its_wall_clock() -> None:
    seen = clock.Observations()
    for table, row in triples("a", 0, error_us=50.0, step=2 * SECOND):
        seen.observe(table, batch(table, [row]))
    seen.know("a", None)
    found = clock.estimate(seen)
    told, recorded = found["a", ""], found["a", "b"]
    after = 50 * 10 * SECOND
    wall = WALL + after + 2 * SECOND
    assert wall + told.piece(wall).at(wall) == after + recorded.piece(after).at(after)


def test_the_scheduler_bounds_what_nothing_else_does() -> None:
    rows = triples("a", 0) + triples("z", 0)
    for node in "az":
        start = {"node": node, "role": "task", "event": "start", "job_id": "7", "step_id": "0", "start_mono_ns": SECOND}
        rows.append(("processes", start))
    rows.append(("slurm_steps", {"node": "ctl", "boot_id": None, "job_id": "7", "step_id": "7.0", "start_ns": WALL}))
    found = estimate(rows)
    assert found["a", "b"].reference == found["z", "b"].reference != "utc"
    for node in "az":
        (piece,) = found[node, "b"].pieces
        assert piece.bound_ns is not None
        assert piece.utc_bound_ns is not None
        assert 10 * SECOND < piece.bound_ns <= 17 * SECOND, "tasks of a step begin within 30 s of each other"
        assert 10 * SECOND < piece.utc_bound_ns <= 31 * SECOND
        assert piece.offset == WALL


def test_steps_do_not_tie_what_kernels_know_better() -> None:
    rows = triples("a", 0, error_us=200.0) + triples("z", 0, error_us=200.0)
    for node in "az":
        start = {"node": node, "role": "task", "event": "start", "job_id": "7", "step_id": "0", "start_mono_ns": SECOND}
        rows.append(("processes", start))
    found = estimate(rows)
    assert {alignment.reference for alignment in found.values()} == {"utc"}
    assert all((alignment.pieces[0].utc_bound_ns or SECOND) < 1_000_000 for alignment in found.values())


def line(node: str, at: int, text: str, boot: str | None = "b") -> tuple[str, dict[str, Any]]:
    return "log_lines", {"node": node, "boot_id": boot, "ts_mono_ns": at, "text": text, "source": "stdout"}


def torchrun(node: str, at: int, port: int = 29500, boot: str | None = "b") -> Rows:
    said = ("  restart_count=0", "  master_addr=a", f"  master_port={port}", "  group_rank=0")
    return [line(node, at, text, boot) for text in said]


@pytest.mark.parametrize(
    "said",
    [
        "a:7:7 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 8 cudaDev 0 commId 0x77ab - Init COMPLETE",
        "[Gloo] Rank 0 is connected to 7 peer ranks. Expected number of connected peer ranks is : 7",
        None,
    ],
    ids=["nccl", "gloo", "torchrun"],
)
def test_lines_that_say_that_all_have_come_tie_nodes_loosely(said: str | None) -> None:
    rows = triples("a", 0) + triples("z", 0)
    for node, at in (("a", 10 * SECOND), ("z", 13 * SECOND)):
        rows += torchrun(node, at) if said is None else [line(node, at, said)]
        rows.append(line(node, at, "step 1 loss 2.5"))
    found = clock_of_batches(rows)
    a, z = found["a", "b"].pieces[0], found["z", "b"].pieces[0]
    assert (found["a", "b"].method, found["a", "b"].reference) == ("rendezvous", found["z", "b"].reference)
    assert a.at(0) - z.at(0) == pytest.approx(3 * SECOND, abs=1000)
    assert all(piece.bound_ns is not None and piece.bound_ns >= SECOND // 2 for piece in (a, z))


def clock_of_batches(rows: Rows) -> dict[clock.Clock, clock.Alignment]:
    """The same as `estimate`, with rows of a node and table in one batch, as a recording has them."""
    seen = clock.Observations()
    batches: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for table, row in rows:
        batches.setdefault((table, row["node"]), []).append(row)
    for (table, _), some in batches.items():
        for part in clock.head(table, [batch(table, some)]):
            seen.observe(table, part)
    return clock.estimate(seen)


def test_a_name_that_came_twice_is_no_one_event() -> None:
    rows = triples("a", 0) + triples("z", 0)
    rows += torchrun("a", 10 * SECOND) + torchrun("a", 400 * SECOND) + torchrun("z", 13 * SECOND)
    assert {alignment.reference for alignment in clock_of_batches(rows).values()} == {"utc"}


def test_attempts_of_which_each_node_left_another_are_not_one_event() -> None:
    rows = torchrun("a", WALL, boot=None) + torchrun("z", WALL + 3600 * SECOND, boot=None)
    assert all(alignment.pieces[0].bound_ns is None for alignment in clock_of_batches(rows).values())


def test_whole_seconds_are_told_to_the_second() -> None:
    (loose,) = {
        piece.bound_ns
        for alignment in clock_of_batches(torchrun("a", WALL, boot=None) + torchrun("z", WALL, boot=None)).values()
        for piece in alignment.pieces
    }
    assert loose is not None
    assert loose >= 3 * SECOND // 2


def test_a_source_that_contradicts_the_others_widens_the_bound_and_is_named() -> None:
    rows = triples("a", 0) + triples("z", 0)
    rows += [probe("a", "z", 0, t * SECOND) for t in range(40)]
    rows += [end(node, n, n * SECOND + ahead) for n in range(60) for node, ahead in (("a", 0), ("z", SECOND))]
    found = estimate(rows)
    assert any("disagree" in (a.detail or "") for a in found.values())
    assert max(a.pieces[0].bound_ns or 0 for a in found.values()) > SECOND // 2


def test_rows_report_residuals_by_source() -> None:
    rows = triples("a", 0) + triples("z", 0) + [probe("a", "z", 0, t * SECOND) for t in range(40)]
    (table,) = clock.rows("a", estimate(rows))
    sources = {row["method"]: row for row in table.to_pylist() if row["offset_ns"] is None}
    assert sources.keys() == {"wall", "probe"}
    assert sources["probe"]["count"] == 40
    assert sources["probe"]["residual_p99_ns"] <= 100_000


def test_neither_order_nor_repetition_of_rows_matters() -> None:
    chance = random.Random(5)
    rows = triples("a", 0) + triples("m", 3) + triples("z", 9)
    rows += [probe("a", "z", 0, t * SECOND, chance.randrange(10**5), chance.randrange(10**5)) for t in range(300)]
    for n in range(150):
        rows += [end(node, n, n * SECOND + chance.randrange(10**5)) for node in "amz"]
    first = estimate(rows)
    chance.shuffle(rows)
    assert estimate(rows + rows[:500]) == first


def test_a_million_names_cost_bounded_memory() -> None:
    seen = clock.Observations()
    for part in range(5):
        rows = [end("a", 0, SECOND, comm=f"made-up-{part}-{n}")[1] for n in range(20_000)]
        seen.observe("nccl_collectives", batch("nccl_collectives", rows))
    assert len(seen.events) <= 2 << 14
    clock.estimate(seen)
    assert len(seen.events) == 1 << 14


@settings(deadline=None, max_examples=50)
@given(st.lists(st.one_of(st.none(), st.integers(-(1 << 62) + 1, (1 << 62) - 1)), min_size=1, max_size=20))
def test_aligned_times_keep_the_order_of_the_clock(times: list[int | None]) -> None:
    alignment = clock.Alignment(
        (clock.Aligned(0, WALL, 1e-4, None, None), clock.Aligned(SECOND, WALL + 100_000, -1e-4, None, None)),
        (0, 2 * SECOND),
        "utc",
        "wall",
    )
    rows = batch("stacks", [{"ts_mono_ns": t, "ts_ns": 7} for t in times])
    aligned = clock.apply(rows, alignment).column("ts_ns").to_pylist()
    assert [ts for t, ts in zip(times, aligned, strict=True) if t is None] == [7] * times.count(None)
    pairs = sorted((t, ts) for t, ts in zip(times, aligned, strict=True) if t is not None)
    assert [ts for _, ts in pairs] == sorted(ts for _, ts in pairs)


@pytest.mark.parametrize("begin", [0, 250])
def test_each_row_is_aligned_by_the_piece_that_holds_at_its_time(begin: int) -> None:
    chance = random.Random(4)
    offsets = [WALL + 5 * n for n in range(4)] + [WALL + chance.randrange(10_000) for _ in range(6)]
    pieces = tuple(clock.Aligned(n * 100 * SECOND, offset, 5e-11, n, n) for n, offset in enumerate(offsets))
    alignment = clock.Alignment(pieces, (0, 1000 * SECOND), "utc", "wall")
    times = [t * SECOND + 7 for t in range(begin, 1000, 3)]
    aligned = clock.apply(batch("stacks", [{"ts_mono_ns": t} for t in times]), alignment).column("ts_ns").to_pylist()
    assert all(abs(ts - t - alignment.piece(t).at(t)) <= 5 for t, ts in zip(times, aligned, strict=True))


def test_rows_without_a_possible_time_keep_what_they_have() -> None:
    found = estimate(triples("a", 0))
    rows = batch("stacks", [{"ts_mono_ns": 1 << 62, "ts_ns": 7}, {"ts_mono_ns": None, "ts_ns": 8}])
    assert clock.apply(rows, found["a", "b"]).column("ts_ns").to_pylist() == [7, 8]
    assert clock.apply(rows, None) is rows


def test_a_step_between_readings_is_bounded_by_the_step() -> None:
    chance = random.Random(3)
    readings = [(t * SECOND, (SECOND if t >= 40 else 0) + chance.randrange(50_000)) for t in range(100)]
    found, _ = ends.through(readings, (0, 99 * SECOND), [(39, 40)])
    assert abs(found(20 * SECOND) - 20 * SECOND) < 100_000
    assert abs(found(80 * SECOND) - 81 * SECOND) < 100_000
    assert found.bound(20 * SECOND) < 100_000
    assert found.bound(39 * SECOND + SECOND // 2) >= SECOND * 99 // 100


@pytest.mark.parametrize("step", [-SECOND // 2, -20_000_000, 20_000_000, SECOND // 2])
def test_a_clock_that_was_set_is_found_out_by_the_others(step: int) -> None:
    chance = random.Random(step)
    events = []
    for n in range(100):
        late = {node: chance.randrange(40_000_000 if chance.random() < 0.05 else 100_000) for node in "abc"}
        ends_seen = {(node, ""): n * SECOND + late[node] for node in "abc"}
        ends_seen["b", ""] += step if n >= 40 else 0
        events.append(ends_seen)
    found = steps.find(events)
    assert (found["a", ""], found["c", ""]) == ([], [])
    (gap,) = found["b", ""]
    assert gap.before < 40 * SECOND + max(step, 0)
    assert gap.after > 39 * SECOND + min(step, 0)
    assert gap.after - gap.before < 10 * SECOND
    assert abs(gap.step + step) < 2_000_000
    assert steps.find([{(node, "boot"): end for (node, _), end in ends_seen.items()} for ends_seen in events]) == {}


def test_messages_that_contradict_each_other_give_way() -> None:
    found = messages.between([((t, 100), (t, 5000)) for t in (0, SECOND)], (0, SECOND), 1e-8)
    assert found.pieces[0].bound >= 2400


def _exchanges(count: int, wander: float) -> list[messages.Exchange]:
    """SIMULATED exchanges of an hour, of 20 us each way or more; the frequency moves by ``wander`` and back."""
    chance = random.Random(count)
    found = []
    for number in range(count):
        t = number * 3600 * SECOND // count
        apart = round(wander * 3600 * SECOND / math.tau * math.sin(math.tau * number / count))
        there, back = (round(20_000 * (1 + chance.expovariate(1))) for _ in range(2))
        found.append(((t, apart + there), (t + there + back, apart - back)))
    return found


def test_a_pair_of_clocks_is_thought_to_stray_as_its_messages_and_those_of_others_show() -> None:
    calm, moved, few = _exchanges(40, 0.0), _exchanges(40, 1e-6), _exchanges(2, 0.0)
    (alone,), (unknown,) = messages.wanders([calm]), messages.wanders([few])
    assert alone < 5e-8 < unknown < 1e-6
    *calms, shown, unseen = messages.wanders([calm] * 9 + [moved, few])
    assert max(calms) < alone
    assert shown > 5e-7, "what a pair shows outweighs what is usual"
    assert unseen < unknown, "others tell what few messages cannot"
    assert messages.wanders([]) == []


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1 << 40), st.floats(-1e-4, 1e-4), st.integers(-(1 << 50), 1 << 50))
def test_a_conversion_goes_back_where_it_came_from(t: int, drift: float, offset: int) -> None:
    conversion = fit.Conversion([fit.Piece(0, offset, drift, 0), fit.Piece(1 << 39, offset, drift, 0)])
    assert abs(conversion.back(conversion(t)) - t) <= max(2, abs(drift) * (1 << 40))
