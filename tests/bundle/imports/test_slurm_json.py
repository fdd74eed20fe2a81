"""Slurm's own JSON, in the shapes of three versions; broken, deep and large."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports import slurm_sacct
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.slurm_json import KIND
from inquest.bundle.imports.source import Source
from tests.bundle.imports.kit import REFERENCE, rows_of

if TYPE_CHECKING:
    from pathlib import Path

SLURM = REFERENCE / "slurm"
reference = pytest.mark.skipif(not SLURM.is_dir(), reason=f"Slurm records are not here: {SLURM}")
META: dict[str, Any] = {"plugin": {"type": "openapi/dbv0.0.38"}, "Slurm": {"version": {"major": 22}}}


def read(path: Path, value: object, context: Context | None = None) -> dict[str, list[dict[str, Any]]]:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return rows_of(KIND, path, context)


def number(value: int) -> dict[str, Any]:
    return {"set": True, "infinite": False, "number": value}


UNSET = {"set": False, "infinite": False, "number": 0}


@reference
@pytest.mark.parametrize(
    "path", sorted(SLURM.glob("*/*/sacct.json")), ids=lambda path: f"{path.parts[-3]}/{path.parts[-2]}"
)
def test_json_and_text_of_one_job_tell_the_same(path: Path) -> None:
    """Where they differ it is by what is known of Slurm: 22.05's JSON lost exit codes, text loses 128."""
    ours = rows_of(KIND, path)
    text = rows_of(slurm_sacct.KIND, path.with_suffix(".psv"))
    for table in ("slurm_jobs", "slurm_steps"):
        known = {_key(row): row for row in text.get(table, [])}
        found = {_key(row): row for row in ours.get(table, [])}
        assert set(found) == set(known)
        for name, row in found.items():
            other = known[name]
            assert row["state"] == other["state"].split()[0]
            assert row["job_id_raw"] == other["job_id_raw"]
            assert row["node_list"] == other["node_list"]
            assert row["gpus_allocated"] == other["gpus_allocated"]
            assert row["term_signal"] == other["term_signal"]
            if row["exit_code"] is not None:
                assert row["exit_code"] in {other["exit_code"], (other["exit_code"] or 0) + 128}
            elif "22.05" not in path.parts:
                assert other["exit_code"] is None
            if table == "slurm_jobs":
                assert row["time_limit_s"] == other["time_limit_s"]
                assert row["submit_ns"] == other["submit_ns"]
                assert row["tres_allocated"] is None or other["memory_allocated_bytes"] == row["memory_allocated_bytes"]
            else:
                assert row["tasks"] == other["tasks"]
                assert row["rss_peak_node"] == other["rss_peak_node"]


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["job_id"], row.get("step_id"), row.get("submit_ns", row["start_ns"]), row["end_ns"]


def collect(path: Path, into: list[dict[str, Any]]) -> None:
    for _, rows in KIND.read(Source("j", path), Context()):
        into += rows


@pytest.mark.parametrize("version", ["bare", "numbers", "lists"])
def test_the_shape_of_every_version(tmp_path: Path, version: str) -> None:
    bare = version == "bare"
    n = (lambda value: value) if bare else number
    words = (lambda word: [word]) if version == "lists" else (lambda word: word)
    exit_code = {"status": words("ERROR"), "return_code": n(137), "signal": {"signal_id": 0} if bare else {"id": UNSET}}
    job = {
        "job_id": 55,
        "array": {"job_id": 53, "task_id": n(1), "task": None},
        "het": {"job_id": 0, "job_offset": None if bare else UNSET},
        "state": {"current": words("FAILED"), "reason": "None"},
        "time": {"start": 1795202711, "end": 1795202713, "submission": 1795202711, "elapsed": 2, "limit": n(30)},
        "exit_code": exit_code,
        "derived_exit_code": {"status": words("SIGNALED"), "return_code": None, "signal": {"id": n(9), "name": "KILL"}},
        "steps": [
            {
                "step": {"id": "53_1.0" if not bare else 0, "name": "train"},
                "state": words("OUT_OF_MEMORY"),
                "time": {"start": n(1795202711), "end": n(1795202713)},
                "exit_code": {"status": words("SIGNALED"), "return_code": None, "signal": {"id": n(125), "name": ""}},
                "nodes": {"range": "node01"},
                "tasks": {"count": 4},
                "tres": {"requested": {"max": [{"type": "mem", "count": 4096, "node": "node01", "task": 2}]}},
            }
        ],
    }
    found = read(tmp_path / "j", {"meta": META, "errors": [], "jobs": [job]})
    (row,) = found["slurm_jobs"]
    assert (row["job_id"], row["job_id_raw"], row["state"], row["exit_code"]) == ("53_1", "55", "FAILED", 137)
    assert (row["derived_exit_code"], row["derived_signal"], row["time_limit_s"]) == (None, 9, 1800)
    (step,) = found["slurm_steps"]
    assert (step["job_id"], step["step_id"], step["state"], step["term_signal"]) == ("53_1", "0", "OUT_OF_MEMORY", 125)
    assert (step["rss_peak_bytes"], step["rss_peak_node"], step["rss_peak_task"], step["tasks"]) == (
        4096,
        "node01",
        2,
        4,
    )
    assert step["end_ns"] == 1795202713_000_000_000


def test_what_is_not_set_is_none(tmp_path: Path) -> None:
    when = {"start": 4294967294, "end": 0, "submission": None, "limit": {"set": True, "infinite": True, "number": 0}}
    job = {"job_id": 5, "state": {"current": ["CANCELLED"]}, "time": when, "priority": number(4294967294), "user": ""}
    (row,) = read(tmp_path / "j", {"meta": META, "jobs": [job]})["slurm_jobs"]
    assert {name: value for name, value in row.items() if value is not None} == {"job_id": "5", "state": "CANCELLED"}


@pytest.mark.parametrize(
    ("state", "status", "expected"),
    [
        ("FAILED", 0x100, (1, None)),
        ("FAILED", 9, (None, 9)),
        ("FAILED", 0x8900, (137, None)),
        ("RUNNING", 0, (None, None)),
    ],
)
def test_the_raw_status_of_an_old_queue(tmp_path: Path, state: str, status: int, expected: tuple[Any, Any]) -> None:
    job = {"job_id": 5, "job_state": state, "accrue_time": 1, "start_time": 1795202711, "exit_code": status}
    (row,) = read(tmp_path / "j", {"meta": META, "jobs": [job]})["slurm_jobs"]
    assert (row["exit_code"], row["term_signal"]) == expected


def test_states_of_nodes_with_their_flags(tmp_path: Path) -> None:
    old = {"name": "n1", "state": "idle", "state_flags": ["DRAIN"], "reason": "bad", "reason_changed_at": 1795202711}
    new = {"name": "n2", "state": ["DOWN", "NOT_RESPONDING"], "boot_time": number(1795202711), "cpu_load": 250}
    rows = read(tmp_path / "n", {"nodes": [old | {"slurmd_start_time": 0}, new]}, Context(collected_at_ns=7))[
        "slurm_nodes"
    ]
    assert [(row["slurm_node_name"], row["state"]) for row in rows] == [
        ("n1", "IDLE+DRAIN"),
        ("n2", "DOWN+NOT_RESPONDING"),
    ]
    assert (rows[0]["ts_ns"], rows[1]["ts_ns"], rows[1]["cpu_load"]) == (1795202711_000_000_000, 7, 2.5)


def test_a_file_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    jobs = [{"job_id": number, "association": {}, "state": {"current": "FAILED"}, "time": {}} for number in range(1, 4)]
    text = json.dumps({"meta": META, "jobs": jobs})
    path = tmp_path / "j"
    path.write_text(text[:-20])
    rows: list[dict[str, Any]] = []
    with pytest.raises(InputError, match="what came before is kept"):
        collect(path, rows)
    assert rows == []  # lists are handed on when they are full, or at the end
    path.write_text(json.dumps({"meta": META, "jobs": jobs * 2000})[:-20])
    with pytest.raises(InputError):
        collect(path, rows)
    assert len(rows) >= 4096


def test_records_over_many_chunks(tmp_path: Path) -> None:
    jobs = [
        {"job_id": number, "association": {}, "name": "é" * 3000, "state": {"current": "FAILED"}, "time": {}}
        for number in range(1, 2001)
    ]
    path = tmp_path / "j"
    path.write_text(json.dumps({"meta": META, "jobs": jobs}, ensure_ascii=False))
    assert path.stat().st_size > 8 << 20
    rows = rows_of(KIND, path)["slurm_jobs"]
    assert [row["job_id"] for row in rows] == [str(number) for number in range(1, 2001)]
    assert {row["job_name"] for row in rows} == {"é" * 3000}


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000])
def test_deep_nesting_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "j"
    path.write_text('{"meta": {"Slurm": {"version": 1}}, "jobs": [{"job_id": 1, "accrue_time": ' + text)
    with pytest.raises(UnsafeInput, match="nested"):
        list(KIND.read(Source("j", path), Context()))


@pytest.mark.parametrize("value", [None, 3, "x", [], [[]], {"job_id": "x"}, {"job_id": None}, {"job_id": True}])
def test_items_that_are_no_jobs_are_counted(tmp_path: Path, value: object) -> None:
    context = Context()
    assert read(tmp_path / "j", {"meta": META, "jobs": [value]}, context) == {}
    assert sum(context.refused.values()) == 1


@pytest.mark.parametrize("value", [None, 3, "x", [], [3], {"number": "x"}, {"set": True}, 1e300, -5, 1 << 70])
def test_no_value_of_any_type_breaks_a_record(tmp_path: Path, value: object) -> None:
    names = [
        "array",
        "het",
        "state",
        "exit_code",
        "derived_exit_code",
        "tres",
        "comment",
        "flags",
        "steps",
        "user",
        "nodes",
    ]
    job = {"job_id": 7, "time": dict.fromkeys(["start", "end", "limit", "total"], value)} | dict.fromkeys(names, value)
    step = dict.fromkeys(["time", "state", "exit_code", "tres", "nodes", "tasks"], value) | {"step": {"id": 0}}
    found = read(tmp_path / "j", {"meta": META, "jobs": [job, {"job_id": 8, "time": {}, "steps": [step, value]}]})
    assert [row["job_id"] for row in found["slurm_jobs"]] == ["7", "8"]


@pytest.mark.parametrize("text", ['{"jobs": []}', '{"jobs": [1]}', '{"nodes": [{"id": 1}], "links": []}', "{}", "[]"])
def test_other_json_is_not_claimed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "j"
    path.write_text(text)
    assert not KIND.fits(Source("j", path))
