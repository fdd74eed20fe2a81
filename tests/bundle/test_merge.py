"""Merge: the same rows give the same bundle, and nothing is lost or counted twice."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest

from inquest.bundle import members, nodedir, parquet
from inquest.bundle.errors import InputError, UsageError
from inquest.bundle.journal import Journal
from inquest.bundle.merge import merge, merge_rows
from inquest.bundle.store import BundleStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECOND = 1_000_000_000
WALL = 1_700_000_000 * SECOND


def record(
    out: Path,
    node: str,
    *,
    ranks: tuple[int, ...] = (0, 1),
    ticks: int = 50,
    world_size: int = 4,
    boot: str = "b0",
    step_ns: int = 0,
    error_us: float | None = 100.0,
) -> Path:
    """A simulated recording, written by the real journal."""
    capture_dir = nodedir.create_capture(out, node, fsync=False)
    capture = capture_dir.rsplit("/", 1)[1]
    journal = Journal(capture_dir, capture, node, boot, fsync=False)
    environment = json.dumps({"SLURM_JOB_NODELIST": "n[0-2]"})
    journal.append(
        "node_info", [{"ts_mono_ns": 0, "hostname": f"{node}.cluster", "simulated": True, "tool_version": "0.1.0"}]
    )
    journal.append("collection", [{"ts_mono_ns": 0, "collector": name, "outcome": "ok"} for name in ("host", "gpu")])
    for tick in range(ticks):
        mono = tick * SECOND
        wall = WALL + mono + (step_ns if tick > 2 * ticks // 3 else 0)
        journal.append("clock_samples", [{"ts_mono_ns": mono, "wall_ns": wall, "kernel_error_us": error_us}])
        journal.append("host_samples", [{"ts_mono_ns": mono, "memory_available_bytes": tick, "load_1m": tick / 3}])
    for rank in ranks:
        row = {"rank": rank, "world_size": world_size, "job_id": "42", "env": environment, "event": "start"}
        journal.append("processes", [{"ts_mono_ns": rank, **row}])
    journal.close()
    return out / node


def record_counts(node_dir: Path, tmp_path: Path) -> dict[str, int]:
    """Rows of one node directory by table."""
    return merge([node_dir], tmp_path / "alone").rows_in


@pytest.fixture
def nodes(tmp_path: Path) -> list[Path]:
    return [record(tmp_path / "out", "n0"), record(tmp_path / "out", "n1", ranks=(2,))]


def test_rows_come_out_sorted_and_aligned(nodes: list[Path], tmp_path: Path) -> None:
    report = merge(nodes, tmp_path / "J.inquest")
    store = BundleStore(tmp_path / "J.inquest")
    host = store.scan("host_samples").collect()
    assert host["node"].to_list() == ["n0"] * 50 + ["n1"] * 50
    assert host["memory_available_bytes"].to_list() == [*range(50)] * 2
    assert host["ts_ns"].to_list() == [WALL + tick * SECOND for tick in range(50)] * 2
    assert report.rows_in["host_samples"] == report.rows_out["host_samples"] == 100
    assert report.duplicates == {}
    assert report.rows_in == report.rows_out
    assert store.info.nodes == report.nodes == ("n0", "n1")
    assert store.info.job_id == "42"
    assert store.info.simulated
    assert store.info.offline_bound_ns == {"n0": 100_000, "n1": 100_000}
    assert (store.info.start_ns, store.info.end_ns) == (WALL, WALL + 49 * SECOND)
    assert "host_samples" in store.tables()
    assert "kernel_log" not in store.tables()
    assert store.scan("kernel_log").collect().height == 0


def test_missing_nodes_and_ranks_are_named(nodes: list[Path], tmp_path: Path) -> None:
    report = merge(nodes, tmp_path / "J.inquest")
    assert report.ranks == (0, 1, 2)
    assert report.missing_ranks == (3,)
    assert report.missing_nodes == ("n2",)
    info = BundleStore(tmp_path / "J.inquest").info
    assert (info.missing_nodes, info.missing_ranks) == (("n2",), (3,))


def test_order_and_copies_of_inputs_change_nothing(nodes: list[Path], tmp_path: Path) -> None:
    first = merge(nodes, tmp_path / "a")
    second = merge(nodes[::-1], tmp_path / "b")
    third = merge([tmp_path / "out"], tmp_path / "c")
    shutil.copytree(nodes[0], tmp_path / "copy")
    fourth = merge([*nodes, tmp_path / "copy", nodes[0]], tmp_path / "d")
    again = merge([tmp_path / "a"], tmp_path / "e")
    both = merge([tmp_path / "a", *nodes], tmp_path / "f")
    digests = {r.content_digest for r in (first, second, third, fourth, again, both)}
    assert len(digests) == 1
    assert fourth.duplicates == {table: rows for table, rows in record_counts(nodes[0], tmp_path).items() if rows}
    assert fourth.conflicts == {}
    for report in (first, second, third, fourth, again, both):
        for table, rows in report.rows_in.items():
            assert rows == report.rows_out[table] + report.duplicates.get(table, 0)
        assert report.rows_out == first.rows_out


def test_two_states_of_one_recording_merge_to_one_of_them(tmp_path: Path) -> None:
    whole = record(tmp_path / "out", "n0")
    older = tmp_path / "older" / "n0"
    shutil.copytree(whole, older)
    capture = next(older.iterdir())
    (capture / "processes.0.journal").unlink()
    journal = Journal(capture, capture.name, "n0", "b0", fsync=False)
    journal.append("processes", [{"ts_mono_ns": 0, "rank": 0, "world_size": 4, "job_id": "42", "event": "exit"}])
    journal.close()
    one = merge([whole, older], tmp_path / "a")
    two = merge([older, whole], tmp_path / "b")
    assert one.content_digest == two.content_digest
    assert one.conflicts == {"processes": 1}
    assert one.duplicates["processes"] == 1
    assert one.rows_out["processes"] == 2


def test_a_step_of_the_wall_clock_does_not_reorder_a_node(tmp_path: Path) -> None:
    merge([record(tmp_path / "out", "n0", step_ns=-30 * SECOND)], tmp_path / "a")
    store = BundleStore(tmp_path / "a")
    times = store.scan("host_samples").collect()["ts_ns"].to_list()
    assert times == sorted(times)
    assert store.info.offline_bound_ns == {"n0": 30 * SECOND + 100_000}
    assert store.scan("clock_alignment").collect()["offset_ns"].drop_nulls().to_list() == [WALL]


def test_an_unknown_clock_error_leaves_no_bound(tmp_path: Path) -> None:
    merge([record(tmp_path / "out", "n0", error_us=None)], tmp_path / "a")
    assert BundleStore(tmp_path / "a").info.offline_bound_ns == {"n0": None}


def test_large_tables_get_a_member_a_node_and_small_ones_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dirs = [record(tmp_path / "out", "n0"), record(tmp_path / "out", "n1", ticks=5)]
    merge(dirs, tmp_path / "small")
    monkeypatch.setattr(members, "OWN_MEMBER_ROWS", 10)
    merge(dirs, tmp_path / "large")
    found = {
        name: {m["name"]: m["node"] for m in BundleStore(tmp_path / name).info.manifest["members"]}
        for name in ("small", "large")
    }
    assert found["small"]["host_samples.parquet"] is None
    assert found["large"]["host_samples/node=n0.parquet"] == "n0"
    assert found["large"]["host_samples.parquet"] is None
    assert found["large"]["processes.parquet"] is None
    small, large = (BundleStore(tmp_path / n).scan("host_samples").collect() for n in ("small", "large"))
    assert small.equals(large.sort("node"))


def test_rows_out_of_order_and_doubled_within_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node_dir = record(tmp_path / "out", "n0")
    schema = parquet.plain_schema("stacks")
    rows = [{"node": "n0", "capture": "c", "boot_id": "b", "seq": i % 40, "stack_id": i % 40} for i in range(60)]
    shuffled = random.Random(7).sample(rows, len(rows))
    monkeypatch.setattr(
        nodedir,
        "recover_files",
        lambda *_, **__: iter([("stacks", pa.RecordBatch.from_pylist(shuffled, schema=schema))]),
    )
    report = merge([node_dir], tmp_path / "a")
    assert (report.rows_in["stacks"], report.rows_out["stacks"], report.duplicates["stacks"]) == (60, 40, 20)
    frame = BundleStore(tmp_path / "a").scan("stacks").collect()
    assert frame["stack_id"].to_list() == list(range(40))


def test_recordings_of_different_jobs_are_refused(tmp_path: Path) -> None:
    first = record(tmp_path / "out", "n0")
    second = nodedir.create_capture(tmp_path / "out", "n1", fsync=False)
    journal = Journal(second, "c", "n1", "b", fsync=False)
    journal.append("processes", [{"job_id": "43"}])
    journal.close()
    with pytest.raises(InputError, match="different jobs \\(42, 43\\)"):
        merge([first.parent], tmp_path / "a")
    assert {p.name for p in tmp_path.iterdir()} == {"out"}
    assert merge([first.parent], tmp_path / "a", job_id="both").nodes == ("n0", "n1")


def test_bad_inputs_and_outputs_are_named(nodes: list[Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("no bundle")
    for path, words in (
        ("empty", "holds no recording"),
        ("text", "not an inquest bundle"),
        ("absent", "does not exist"),
    ):
        with pytest.raises(InputError, match=words):
            merge([tmp_path / path], tmp_path / "a")
    with pytest.raises(UsageError, match="no directory"):
        merge(nodes, tmp_path / "no" / "a")
    merge(nodes, tmp_path / "a")
    with pytest.raises(UsageError, match="--force"):
        merge(nodes, tmp_path / "a")
    merge(nodes, tmp_path / "a", force=True)
    assert {p.name for p in tmp_path.iterdir()} == {"empty", "text", "out", "a"}


def test_rows_from_anywhere_merge_like_recordings(nodes: list[Path], tmp_path: Path) -> None:
    recorded = merge(nodes, tmp_path / "a")
    given = merge_rows([(node.name, nodedir.recover(node)) for node in reversed(nodes)], tmp_path / "b")
    assert given.content_digest == recorded.content_digest
    assert given.rows_in == recorded.rows_in
    assert BundleStore(tmp_path / "b").info.manifest["provenance"]["sources"] == ("n1", "n0")


def test_a_node_of_any_name_gets_a_member_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "OWN_MEMBER_ROWS", 0)
    names = ["../../etc", "a b", "n" * 250, "n" * 249 + "m", "..", "ünï"]
    schema = parquet.plain_schema("kernel_log")
    rows = [{"node": name, "capture": "c", "seq": 0, "text": name} for name in names]
    monkeypatch.setattr(
        nodedir,
        "recover_files",
        lambda *_, **__: iter([("kernel_log", pa.RecordBatch.from_pylist(rows, schema=schema))]),
    )
    merge([record(tmp_path / "out", "n0")], tmp_path / "a")
    store = BundleStore(tmp_path / "a")
    for name in names:
        assert store.scan("kernel_log").filter(pl.col("node") == name).collect()["text"].to_list() == [name]


def test_a_full_disk_and_a_bundle_of_misfits_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node_dir = record(tmp_path / "out", "n0")
    misfit = pa.RecordBatch.from_pydict({"node": [None], "capture": ["c"], "seq": [0]})
    monkeypatch.setattr(nodedir, "recover_files", lambda *_, **__: iter([("stacks", misfit)]))
    with pytest.raises(InputError, match="do not fit their table"):
        merge([node_dir], tmp_path / "a")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(nodedir, "recover_files", full)
    with pytest.raises(UsageError, match="No space left"):
        merge([node_dir], tmp_path / "a")
    assert {p.name for p in tmp_path.iterdir()} == {"out"}


def test_what_a_killed_merge_left_goes_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    node = record(tmp_path / "rec", "n1", ticks=3)
    out = tmp_path / "job.inquest"
    killed = subprocess.Popen(
        [sys.executable, "-c", _HANG, str(node), str(out)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert killed.stdout is not None
    killed.stdout.readline()
    (left,) = tmp_path.glob(".job.inquest.*.merge")
    other = tmp_path / ".job.inquest.mine.merge"
    other.mkdir()
    link = tmp_path / ".job.inquest.abcdefgh.merge"
    link.symlink_to(other)
    with killed:
        merge([node], out)
        assert left.is_dir()  # its owner is alive
        killed.kill()
    merge([node], out, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [link.name, other.name, "job.inquest", "rec"]


_HANG = """
import sys, time, pathlib
from inquest.bundle import container
from inquest.bundle.merge import merge, merge_rows
def hang(*_, **__):
    print("here", flush=True)
    time.sleep(600)
container.write = hang
merge([pathlib.Path(sys.argv[1])], pathlib.Path(sys.argv[2]))
"""


def test_many_small_batches_are_each_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: Counter[str] = Counter()
    for name in ("cost", "cost_at_most"):

        def counted(name: str, real: Callable[..., Any], rows: pa.RecordBatch) -> Any:
            looks[name] += rows.num_rows
            return real(rows)

        monkeypatch.setattr(parquet, name, partial(counted, name, getattr(parquet, name)))
    rows = [{"node": "n0", "capture": "c", "seq": seq, "sizes": "x" * 100} for seq in range(500)]
    schema = parquet.plain_schema("flight_recorder")
    batches = [pa.RecordBatch.from_pylist([row], schema=schema) for row in rows]
    exact = sum(parquet.cost(batch)[0].as_py() for batch in batches)
    looks.clear()
    monkeypatch.setattr(members, "OWN_MEMBER_BYTES", exact)
    few = members._Few()
    assert [few.add(batch) for batch in batches] == [False] * 499 + [True], "decided by values, whatever the bound"
    assert looks == {"cost_at_most": 500, "cost": 500}
