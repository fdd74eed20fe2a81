"""Order between nodes rests on the bound that fits both: on their common clock, else on UTC, else on nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.analyze.evidence import Evidence
from inquest.bundle import nodedir
from inquest.bundle.journal import Journal
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore, MemoryStore
from inquest.bundle.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000
SECOND = 1000 * MS
WALL = 1_700_000_000 * SECOND


def evidence(*rows: dict[str, object]) -> Evidence:
    return Evidence(
        MemoryStore.from_rows({"clock_alignment": [{"offset_ns": 0, "from_mono_ns": 0, **r} for r in rows]})
    )


def test_nodes_with_a_common_clock_are_ordered_though_both_may_be_off_utc() -> None:
    common = {"reference": "a and 1 more", "bound_ns": 10, "utc_bound_ns": 5 * MS}
    ev = evidence({"node": "a", **common}, {"node": "b", **common}, {"node": "c", "bound_ns": 5 * MS})
    assert ev.before(100, "a", 121, "b") is True
    assert ev.before(100, "a", 120, "b") is None
    assert ev.before(100, "a", 100 + 9 * MS, "c") is None
    assert ev.before(100, "a", 101 + 10 * MS, "c") is True


def test_clocks_that_nothing_bounds_order_nothing() -> None:
    ev = evidence({"node": "a", "bound_ns": None}, {"node": "b", "bound_ns": 1})
    assert ev.before(0, "a", 10**18, "b") is None
    assert ev.before(0, "b", 10**18, "nowhere") is None


def test_different_components_are_compared_through_utc_only() -> None:
    ev = evidence(
        {"node": "a", "reference": "a and 1 more", "bound_ns": 1, "utc_bound_ns": None},
        {"node": "b", "reference": "b and 1 more", "bound_ns": 1, "utc_bound_ns": 7},
    )
    assert ev.before(0, "a", 10**18, "b") is None


def test_the_piece_that_holds_at_the_time_counts() -> None:
    ev = evidence(
        {"node": "a", "reference": "r", "bound_ns": 10},
        {"node": "a", "reference": "r", "bound_ns": 1000, "from_mono_ns": 5000},
        {"node": "b", "reference": "r", "bound_ns": 10},
    )
    assert ev.before(100, "a", 200, "b") is True
    assert ev.before(6000, "a", 6500, "b") is None


def test_two_boots_of_a_node_must_both_be_bounded() -> None:
    ev = evidence(
        {"node": "a", "boot_id": "1", "reference": "r", "bound_ns": 10},
        {"node": "a", "boot_id": "2", "reference": "utc", "bound_ns": None},
        {"node": "b", "reference": "r", "bound_ns": 10},
    )
    assert ev.before(100, "a", 10**15, "b") is None


def test_probes_in_recordings_order_nodes_and_merging_again_changes_nothing(tmp_path: Path) -> None:
    for node, ahead in (("a", 0), ("b", 5 * SECOND)):
        directory = nodedir.create_capture(tmp_path / "out", node, fsync=False)
        journal = Journal(directory, directory.rsplit("/", 1)[1], node, "boot", fsync=False)
        for tick in range(60):
            mono = ahead + (tick + 1) * SECOND
            wall = WALL + tick * SECOND + (20 * MS if ahead else 0)
            triple = {"ts_mono_ns": mono, "wall_ns": wall, "read_bound_ns": 50, "kernel_error_us": 30_000.0}
            probe = {
                "ts_mono_ns": mono,
                "kind": "probe",
                "peer": "b",
                "peer_boot_id": "boot",
                "peer_receive_mono_ns": mono + 5 * SECOND + 40_000,
                "peer_send_mono_ns": mono + 5 * SECOND + 50_000,
                "return_mono_ns": mono + 90_000,
            }
            journal.append("clock_samples", [triple] if ahead else [triple, probe])
        journal.append("host_samples", [{"ts_mono_ns": ahead + 30 * SECOND}])
        journal.close()
    first = merge([tmp_path / "out"], tmp_path / "one")
    again = merge([tmp_path / "one"], tmp_path / "two")
    assert first.content_digest == again.content_digest
    assert verify(tmp_path / "one").ok
    store = BundleStore(tmp_path / "one")
    ev = Evidence(store)
    times = dict(store.scan("host_samples").select("node", "ts_ns").collect().iter_rows())
    assert abs(times["a"] - times["b"]) < 40_000
    assert ev.before(times["a"], "a", times["a"] + 200_000, "b") is True
    assert ev.before(times["a"], "a", times["a"] + 20_000, "b") is None
