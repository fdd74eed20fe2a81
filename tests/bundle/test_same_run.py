"""What witnesses told of one run: merging keeps every telling, reading makes one row of them, in whatever order."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle import parquet, same_run
from inquest.bundle.merge import merge, merge_rows
from inquest.bundle.scan import frame_schema, stored_schema
from inquest.bundle.store import BundleStore
from inquest.bundle.verify import verify

if TYPE_CHECKING:
    import pytest

SECOND = 1_000_000_000
Row = dict[str, Any]


def batch(table: str, rows: list[Row]) -> pa.RecordBatch:
    full = [{"node": "n0", "boot_id": "b0", **row} for row in rows]
    return pa.RecordBatch.from_pylist(full, schema=parquet.plain_schema(table))


def bundle(path: Path, rows: list[Row], table: str = "slurm_jobs") -> Path:
    merge_rows([("s", [(table, batch(table, rows))])], path, one_job=False)
    return path


def read(path: Path, table: str = "slurm_jobs") -> pl.DataFrame:
    return BundleStore(path).scan(table).collect()


def numbered(rows: list[Row]) -> list[Row]:
    """``rows`` with a number each within their recording."""
    counts: dict[str, itertools.count[int]] = {}
    return [{**row, "seq": next(counts.setdefault(row["capture"], itertools.count()))} for row in rows]


def job(capture: str, state: str, start: float | None = None, **more: Any) -> Row:
    start_ns = None if start is None else round(start * SECOND)
    return {"capture": capture, "job_id": "7", "state": state, "start_ns": start_ns, **more}


def test_three_witnesses_whose_starts_form_a_chain_are_one_run_whoever_met_first(tmp_path: Path) -> None:
    # Of these, the first and the last are too far apart to be known as one run without the one between them.
    told = [
        job("a", "RUNNING", 100, elapsed_s=5, user="ann"),
        job("b", "COMPLETED", 102, elapsed_s=9, partition="p"),
        job("import-c", "COMPLETED", 104, elapsed_s=8, partition="q", account="acc"),
    ]
    rows = numbered(told)
    whole = merge_rows([("s", [("slurm_jobs", batch("slurm_jobs", rows))])], tmp_path / "whole")
    for number, row in enumerate(rows):
        bundle(tmp_path / f"part{number}", [row])
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        first, second, third = (tmp_path / f"part{number}" for number in order)
        pair, both = tmp_path / f"pair{order}", tmp_path / f"both{order}"
        merge([first, second], pair)
        assert merge([third, pair], both).content_digest == whole.content_digest
        (row,) = read(both).to_dicts()
        assert (row["capture"], row["user"], row["partition"], row["account"]) == ("b", "ann", "p", "acc")
    assert whole.duplicates == {}, "every telling stays"
    assert verify(tmp_path / "whole").problems == ()


_ROW = st.builds(
    job,
    st.sampled_from(["a", "b", "import-c", "import-d"]),
    st.sampled_from(["RUNNING", "COMPLETED", "FAILED", "REQUEUED", "PENDING"]),
    st.sampled_from([None, 100, 101.5, 102, 103, 104, 106, 500]),
    elapsed_s=st.sampled_from([None, 3, 9]),
    restarts=st.sampled_from([None, 0, 1]),
    user=st.sampled_from([None, "ann", "bob"]),
    job_id=st.sampled_from(["7", "5_1", "8"]),
    job_id_raw=st.sampled_from([None, "7"]),
)


@settings(max_examples=6, deadline=None)
@given(st.lists(st.lists(_ROW, min_size=1, max_size=4), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_merges_of_merges_in_any_grouping_read_as_the_merge_of_all(parts: list[list[Row]], random: Any) -> None:
    rows = numbered([row for part in parts for row in part])
    taken = iter(rows)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        left = [bundle(out / f"p{n}", [next(taken) for _ in part]) for n, part in enumerate(parts)]
        whole = bundle(out / "whole", rows)
        while len(left) > 1:
            random.shuffle(left)
            made = out / f"of{len(left)}-{left[0].name}"
            merge([left.pop(), left.pop()], made, job_id="j")
            left.append(made)
        assert BundleStore(left[0]).info.content_digest == BundleStore(whole).info.content_digest
        told = read(whole)
        assert told.equals(read(left[0]))
        assert told.height <= len(rows)


@settings(max_examples=30, deadline=None)
@given(st.lists(_ROW, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_tellings_says_nothing(told: list[Row], random: Any) -> None:
    rows = [{**row, "node": "n"} for row in numbered(told)]
    found = []
    for _ in range(3):
        random.shuffle(rows)
        frames = [pl.DataFrame([row], schema=stored_schema("slurm_jobs")) for row in rows]
        once = same_run.ToldOnce(lambda columns, mine=frames: [f.select(columns) for f in mine], frames[0].schema)
        found.append(once.runs)
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])


def test_steps_are_joined_by_their_number_too(tmp_path: Path) -> None:
    rows = [
        {"capture": "a", "seq": 0, "job_id": "7", "step_id": "0", "state": "RUNNING", "start_ns": 5, "tasks": 4},
        {"capture": "a", "seq": 1, "job_id": "7", "step_id": "1", "state": "RUNNING", "start_ns": 5},
        {"capture": "b", "seq": 0, "job_id": "7", "step_id": "0", "state": "FAILED", "start_ns": 6, "elapsed_s": 2},
    ]
    told = read(bundle(tmp_path / "a", rows, "slurm_steps"), "slurm_steps")
    assert told.select("capture", "step_id", "state", "tasks").rows() == [
        ("a", "1", "RUNNING", None),
        ("b", "0", "FAILED", 4),
    ]


def test_an_import_of_a_whole_cluster_is_not_joined_again_but_for_jobs_that_others_tell_of(tmp_path: Path) -> None:
    cluster = [job("import-c", "COMPLETED", 100 + n, job_id=str(n // 2), elapsed_s=1) for n in range(10)]
    alone = bundle(tmp_path / "a", numbered(cluster))
    assert read(alone).height == 10
    rows = numbered([*cluster, job("r", "RUNNING", 105, job_id="2", user="ann")])
    both = read(bundle(tmp_path / "b", rows))
    assert both.filter(job_id="2")["user"].to_list() == ["ann"]
    assert both.height == 9


def test_a_scan_gives_what_it_is_asked_for(tmp_path: Path) -> None:
    rows = [job("r", "RUNNING", 5, user="ann"), job("r", "FAILED", 5, elapsed_s=4), job("import-c", "X", 9, job_id="8")]
    path = bundle(tmp_path / "a", numbered(rows))
    scan = BundleStore(path).scan("slurm_jobs")
    assert scan.collect().schema == frame_schema("slurm_jobs")
    assert scan.filter(user="ann").select("state").collect().rows() == [("FAILED",)]
    assert scan.filter(pl.col("start_ns") > 6 * SECOND).select("ts", "job_id").collect()["job_id"].to_list() == ["8"]
    assert scan.head(1).collect().height == 1
    assert scan.select(pl.len()).collect().item() == 2


def test_a_job_without_a_number_is_left_alone(tmp_path: Path) -> None:
    rows = numbered([job("r", "RUNNING", 5, job_id=None), job("r", "RUNNING", 5, job_id=None), job("r", "FAILED", 5)])
    assert read(bundle(tmp_path / "a", rows)).height == 3


def test_more_rows_than_any_job_has_all_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_run, "_MOST_ROWS", 2)
    rows = pl.DataFrame(
        [{**row, "node": "n"} for row in numbered([job("r", "RUNNING", 5)] * 3)], schema=stored_schema("slurm_jobs")
    )
    once = same_run.ToldOnce(lambda columns: [rows.select(columns)], stored_schema("slurm_jobs"))
    assert once.runs.is_empty()
    assert pl.concat(once.others([rows])).height == 3
