"""What recurs in many bundles: counted right, blamed only beyond chance, and no bad bundle costs another."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inquest.analyze.triage import Board, Case, Low, Skipped, tail, triage
from inquest.analyze.triage_read import Reader, case_of, find
from inquest.bundle.errors import InputError
from inquest.bundle.merge import merge
from inquest.render import triage_view

from ..conftest import ROOT, inquest

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.triage import Triage

HOUR_NS = 3600 * 10**9
NODES = tuple(f"n{i:02d}" for i in range(8))

BASE = Case(
    path="x.inquest",
    digest="",
    job_id=None,
    user=None,
    partition=None,
    start_ns=None,
    nodes=NODES,
    gpus=tuple(f"GPU-{i}" for i in range(16)),
    gpu_count=16,
    fate="healthy",
    family="G1",
    cause="G1 Healthy",
    headline="all is well",
    attribution="none",
    confidence=0.7,
    blamed_nodes=(),
    blamed_gpus=(),
    hours_scheduled=16.0,
    scheduled_by="scheduler",
    hours_delivered=15.0,
    hours_lost=1.0,
    wait_s=None,
    energy_kwh=None,
    clocked_nodes=NODES,
    low_nodes=(),
    simulated=False,
)


def job(number: int, **more: object) -> Case:
    return replace(BASE, path=f"{number}.inquest", digest=f"d{number}", start_ns=number * HOUR_NS, **more)  # type: ignore[arg-type]


def failed(number: int, node: str, **more: object) -> Case:
    told = {"fate": "failed", "family": "B2", "cause": "B2 GPU fault", "attribution": "infrastructure"}
    return job(number, **(told | {"blamed_nodes": (node,)} | more))


def test_a_node_that_keeps_failing_stands_out_and_others_do_not() -> None:
    cases = [failed(i, "n03") for i in range(4)] + [failed(10 + i, f"n{i:02d}") for i in range(3)] + [job(20)]
    first, *others = triage(cases).nodes
    assert (first.name, first.blamed, first.jobs, first.stands_out) == ("n03", 4, 8, True)
    assert first.expected == pytest.approx(7 / 8, abs=1e-3)
    assert not any(row.stands_out for row in others)


def test_a_node_in_every_job_of_one_node_is_no_surprise() -> None:
    (row,) = triage([failed(i, "n00", nodes=("n00",)) for i in range(9)]).nodes
    assert (row.blamed, row.chance, row.stands_out) == (9, 1.0, False)


def test_once_is_not_recurring_however_unlikely() -> None:
    many = tuple(f"n{i:03d}" for i in range(500))
    (row,) = triage([failed(1, "n003", nodes=many)]).nodes
    assert not row.stands_out


def test_a_board_is_followed_from_node_to_node() -> None:
    cases = [
        failed(i, node, blamed_gpus=(Board("GPU-5", serial, node, 3),))
        for i, (node, serial) in enumerate((("n01", "1652"), ("n06", None), ("n01", "1652")))
    ]
    (row,) = triage(cases).gpus
    assert (row.name, row.blamed) == ("GPU-5", 3)
    assert row.also == "serial 1652; n01 GPU 3; n06 GPU 3"
    assert row.expected == pytest.approx(3 / 16, abs=1e-3)
    assert row.stands_out


@given(st.lists(st.floats(0, 1), max_size=7), st.integers(0, 8))
def test_the_chance_is_that_of_every_outcome_added_up(chances: list[float], least: int) -> None:
    every = math.fsum(
        math.prod(p if hit else 1 - p for p, hit in zip(chances, hits, strict=True))
        for hits in itertools.product((True, False), repeat=len(chances))
        if sum(hits) >= least
    )
    assert tail(chances, least) == pytest.approx(min(1.0, every), abs=1e-9)


def test_hours_by_cause_user_and_partition() -> None:
    cases = [
        failed(1, "n01", user="ada", partition="gpu", hours_lost=5.0),
        failed(2, "n02", user="bob", partition="gpu", hours_lost=None),
        job(3, user="ada", partition="gpu", hours_lost=0.25),
        job(4, fate="undecided", family=None, cause="cannot decide", hours_lost=2.0),
    ]
    found = triage(cases)
    assert [(cause.cause, cause.jobs, cause.hours_lost) for cause in found.causes] == [
        ("B2 GPU fault", 2, 5.0),
        ("cannot decide", 1, 2.0),
    ]
    assert [(share.name, share.jobs, share.failed, share.hours_lost) for share in found.users] == [
        ("ada", 2, 1, 5.25),
        ("bob", 1, 1, None),
    ]
    assert (found.hours_lost, found.hours_unknown, found.hours_scheduled) == (7.25, 1, 64.0)
    assert dict(found.fates) == {"healthy": 1, "failed": 2, "undecided": 1, "ended": 0}


def test_queue_waits_and_energy_where_they_are_known() -> None:
    cases = [job(i, wait_s=float(i), energy_kwh=2.0) for i in range(1, 11)]
    cases += [failed(11, "n01", energy_kwh=4.0), job(12)]
    found = triage(cases)
    assert found.waits is not None
    assert (found.waits.jobs, found.waits.median_s, found.waits.p90_s, found.waits.longest_s) == (10, 5.0, 9.0, 10.0)
    assert found.energy is not None
    assert (found.energy.jobs, found.energy.kwh, found.energy.kwh_lost) == (11, 24.0, 4.0)
    assert found.energy.healthy_per_kwh == pytest.approx(10 / 24, abs=1e-4)
    nothing = triage([job(1)])
    assert (nothing.waits, nothing.energy) == (None, None)


def test_a_node_that_is_slow_again_and_again_is_chronic() -> None:
    slow = Low("n05", 1400.0, 1980.0)
    cases = [job(i, low_nodes=(slow,)) for i in range(3)] + [job(9, low_nodes=(Low("n01", 1800.0, 1980.0),)), job(10)]
    (row,) = triage(cases).chronic
    assert (row.node, row.low, row.jobs) == ("n05", 3, 5)
    assert row.worst == pytest.approx(1400 / 1980, abs=1e-4)
    rare = [*cases, *(job(20 + i) for i in range(9))]
    assert triage(rare).chronic == ()


def test_the_same_evidence_counts_once_whatever_its_name() -> None:
    copy = replace(failed(1, "n01"), path="copy.inquest")
    found = triage([failed(1, "n01"), copy, copy])
    assert len(found.cases) == 1
    assert all("counted once" in item.why for item in found.skipped)


def test_the_order_of_the_bundles_changes_nothing() -> None:
    cases = [failed(i, f"n{i % 3:02d}", hours_lost=0.1 * i) for i in range(12)]
    one, two = triage(cases), triage(list(reversed(cases)))
    assert triage_view.to_json(one) == triage_view.to_json(two)


def hostile() -> Triage:
    said = "<script>alert(1)</script>\x1b[2J\u202e & \"'"
    case = failed(1, said, nodes=(said,), cause=said, headline=said, user=said, blamed_gpus=(Board(said, said, said),))
    return triage([replace(case, path=said), job(2, low_nodes=(Low(said, 1.0, 2.0),))], [Skipped(said, said)])


def test_no_name_acts_on_page_or_terminal() -> None:
    page, text = triage_view.to_html(hostile()).decode(), triage_view.to_text(hostile()).decode()
    assert "<script>alert" not in page
    for told in (page, text):
        assert "\x1b" not in told
        assert "\u202e" not in told
    assert json.loads(triage_view.to_json(hostile()))["schema"] == "inquest-triage/1"


def test_nothing_to_tell_is_a_page_too() -> None:
    assert b"0 jobs" in triage_view.to_html(triage([]))


def test_a_bundle_that_names_no_node_is_not_said_to_have_none() -> None:
    page = triage_view.to_html(triage([job(1, nodes=())])).decode()
    assert "not named" in page
    assert '<td class="num">0</td>' not in page


# --- reading bundles --------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("triage")
    (folder / "2026" / "11").mkdir(parents=True)
    for name, where in (("healthy", "2026/11/good.inquest"), ("memory_limit", "2026/oom.inquest")):
        sources = [path for path in (ROOT / "samples" / "recorded" / name).iterdir() if path.is_dir()]
        merge(sources, folder / where)
    (folder / "torn.inquest").write_bytes((folder / "2026/11/good.inquest").read_bytes()[:9000])
    (folder / "text.inquest").write_text("hello")
    (folder / "notes.txt").write_text("no bundle")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    return folder


def test_bundles_are_found_at_any_depth(folder: Path) -> None:
    assert [path.name for path in find([folder])] == ["text.inquest", "torn.inquest", "oom.inquest", "good.inquest"]
    with pytest.raises(InputError):
        find([folder / "absent"])


def test_bad_bundles_are_named_and_the_rest_is_read(folder: Path) -> None:
    done = inquest("triage", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert sorted((case["family"], case["fate"]) for case in told["cases"]) == [("A2", "failed"), ("G1", "healthy")]
    assert {item["path"].rpartition("/")[2] for item in told["skipped"]} == {"torn.inquest", "text.inquest"}
    assert told["nodes"][0]["name"] == "node-b"
    assert not done.stderr


def test_not_one_readable_bundle_is_an_error(folder: Path, tmp_path: Path) -> None:
    done = inquest("triage", str(folder / "text.inquest"))
    assert done.returncode == 5
    assert "Not one of 1 files" in done.stderr
    assert inquest("triage", str(tmp_path)).returncode == 5


def test_a_child_that_is_killed_costs_one_bundle(folder: Path) -> None:
    good = folder / "2026/11/good.inquest"
    with Reader() as reader:
        assert reader.read(good).fate == "healthy"
        assert reader._child is not None
        reader._child.kill()
        reader._child.wait()
        with pytest.raises(InputError, match="signal 9"):
            reader.read(good)
        assert reader.read(good).fate == "healthy"


def test_a_bundle_past_its_time_is_given_up(folder: Path) -> None:
    with Reader(seconds=0.01) as reader, pytest.raises(InputError, match=r"no answer in 0\.01 s"):
        reader.read(folder / "2026/11/good.inquest")


def test_a_page_is_written_once(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.html"
    assert inquest("triage", str(folder / "2026"), "-o", str(out)).returncode == 0
    assert b"<!doctype html>" in out.read_bytes()
    assert inquest("triage", str(folder / "2026"), "-o", str(out)).returncode == 2
    assert inquest("triage", str(folder), "-o", str(tmp_path / "t.pdf")).returncode == 2


def test_what_the_scheduler_says_is_summed_over_requeues() -> None:
    from inquest.analyze.engine import analyze
    from inquest.bundle.store import MemoryStore

    start = 1_790_000_000 * 10**9
    runs = [
        {"job_id": "7", "start_ns": start + number * HOUR_NS, "submit_ns": start - 90 * 10**9, "elapsed_s": 1800}
        | {"gpus_allocated": 8, "user": "ada", "state": state, "end_ns": start + number * HOUR_NS + HOUR_NS // 2}
        for number, state in enumerate(("PREEMPTED", "FAILED"))
    ]
    case = case_of("x", *analyze(MemoryStore.from_rows({"slurm_jobs": runs})))
    assert (case.hours_scheduled, case.scheduled_by, case.wait_s, case.user) == (8.0, "scheduler", 90.0, "ada")
    nothing = case_of("x", *analyze(MemoryStore.from_rows({"log_lines": [{"text": "x"}]})))
    assert (nothing.hours_scheduled, nothing.scheduled_by, nothing.wait_s) == (None, "nobody", None)


def test_a_slow_node_is_told_from_its_peers() -> None:
    from inquest.analyze.engine import analyze
    from inquest.bundle.store import MemoryStore

    rows = [
        {"node": f"n{node}", "gpu_uuid": f"GPU-{node}", "ts_ns": 10**18 + tick * 10**9, "engine_active": busy}
        | {"sm_clock_mhz": clock if busy > 0.5 else 300}
        for node, clock in enumerate((1980, 1980, 1400))
        for tick, busy in enumerate((0.99, 0.98, 0.0, 0.99))
    ]
    case = case_of("x", *analyze(MemoryStore.from_rows({"gpu_samples": rows})))
    assert [(low.node, low.clock_mhz, low.peers_mhz) for low in case.low_nodes] == [("n2", 1400.0, 1980.0)]
    assert case.clocked_nodes == ("n0", "n1", "n2")
    alone = [row for row in rows if row["node"] == "n2"]
    assert case_of("x", *analyze(MemoryStore.from_rows({"gpu_samples": alone}))).low_nodes == ()
