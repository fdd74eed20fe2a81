"""One row a run, whoever tells of it: accounting in three forms, the controller, the log of finished jobs."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from inquest.bundle.imports import slurm_jobcomp, slurm_json, slurm_sacct, slurm_scontrol, slurm_squeue
from inquest.bundle.imports._slurm_runs import one_row_a_run
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source
from tests.bundle.imports.kit import REFERENCE

SLURM = REFERENCE / "slurm"
KINDS = (slurm_json.KIND, slurm_sacct.KIND, slurm_scontrol.KIND, slurm_jobcomp.KIND, slurm_squeue.KIND)
Row = dict[str, Any]
MINUTE = 60_000_000_000


def job(state: str, start: int | None = None, end: int | None = None, **more: Any) -> Row:
    """A row of a run, times in minutes."""
    times = {"start_ns": start and start * MINUTE, "end_ns": end and end * MINUTE}
    return {"job_id": "7", "state": state, **times, **more}


@pytest.mark.skipif(not SLURM.is_dir(), reason=f"Slurm records are not here: {SLURM}")
@pytest.mark.parametrize(
    "folder", sorted(SLURM.glob("*/[0-4][0-9]-*")), ids=lambda folder: f"{folder.parent.name}/{folder.name[:2]}"
)
def test_many_records_of_one_job_are_as_many_runs_as_it_had(folder: Any) -> None:
    rows: dict[str, list[Row]] = {"slurm_jobs": [], "slurm_steps": []}
    truth: dict[str, list[Row]] = {"slurm_jobs": [], "slurm_steps": []}
    for path in sorted(folder.iterdir()):
        if not path.is_file() or folder.name.startswith("00"):
            continue
        source = Source(path.name, path)
        kind = next((kind for kind in KINDS if kind.fits(source)), None)
        # What squeue and scontrol list of a whole cluster tells of other jobs too.
        if kind is None or "squeue" in path.name:
            continue
        for table, found in kind.read(source, Context()):
            rows.get(table, []).extend(found)
            if path.name == "sacct.psv":
                truth.get(table, []).extend(found)
    for table in rows:
        runs = one_row_a_run(rows[table])
        told = {row["job_id"] for row in truth[table]}
        own = [row for row in runs if row["job_id"] in told]
        assert sorted(_key(row) for row in own) == sorted(_key(row) for row in truth[table])


def _key(row: Row) -> tuple[str, str, str]:
    return str(row["job_id"]), str(row.get("step_id")), str(row["state"])


def test_a_running_record_and_the_final_one_are_one_run() -> None:
    running = job("RUNNING", 5, restarts=1, batch_host="n1")
    final = job("FAILED", 5, 9, exit_code=9)
    for rows in ([running, final], [final, running]):
        (row,) = one_row_a_run(rows)
        assert (row["state"], row["end_ns"], row["restarts"], row["batch_host"]) == ("FAILED", 9 * MINUTE, 1, "n1")


def test_starts_that_lie_together_are_one_run_in_any_order() -> None:
    starts = [5 * MINUTE + tenths * 100_000_000 for tenths in (0, 15, 30, 49, 70)]
    rows = [job("FAILED", start_ns=start) for start in starts]
    for order in itertools.permutations(rows):
        assert sorted(row["start_ns"] in starts[:4] for row in one_row_a_run(list(order))) == [False, True]


def test_a_state_of_nothing_but_blanks_is_no_state_we_know() -> None:
    assert len(one_row_a_run([job("  ", 5, 9)])) == 1


def test_the_exit_code_that_kept_its_128_counts() -> None:
    (row,) = one_row_a_run([job("FAILED", 5, 9, exit_code=9), job("FAILED", 5, 9, exit_code=137)])
    assert row["exit_code"] == 137
    (row,) = one_row_a_run([job("FAILED", 5, 9, exit_code=9), job("FAILED", 5, 9, exit_code=9)])
    assert row["exit_code"] == 9


def test_who_cancelled_is_kept() -> None:
    (row,) = one_row_a_run([job("CANCELLED", 5, 9), job("CANCELLED by 2001", 5, 9)])
    assert row["state"] == "CANCELLED by 2001"


def test_a_job_that_waits_to_run_again_is_a_run_of_its_own() -> None:
    rows = [job("REQUEUED", 5, 9, restarts=0), job("PENDING", restarts=1)]
    assert [row["state"] for row in one_row_a_run(rows)] == ["REQUEUED", "PENDING"]
    rows = [job("COMPLETED", 5, 9, restarts=0), job("PENDING", restarts=0)]
    assert [row["state"] for row in one_row_a_run(rows)] == ["COMPLETED"]


def test_a_table_without_times_adds_no_runs() -> None:
    rows = [job("REQUEUED", 5, 9), job("COMPLETED", 20, 30), job("REQUEUED", node_list="n1"), job("COMPLETED", nodes=2)]
    first, second = one_row_a_run(rows)
    assert (first["node_list"], second["nodes"]) == ("n1", 2)
    assert len(one_row_a_run([job("REQUEUED"), job("COMPLETED")])) == 2


def test_the_controller_s_number_and_the_name_of_a_task_are_one_job() -> None:
    named = job("FAILED", 5, 9) | {"job_id": "53_1", "job_id_raw": "55"}
    plain = job("FAILED", 5, 9, nodes=3) | {"job_id": "55"}
    (row,) = one_row_a_run([plain, named])
    assert (row["job_id"], row["job_id_raw"], row["nodes"]) == ("53_1", "55", 3)


def test_steps_of_two_runs_stay_apart() -> None:
    rows = [
        job("FAILED", 5, 9, step_id="0"),
        job("COMPLETED", 20, 30, step_id="0"),
        job("FAILED", 5, 9, step_id="batch"),
    ]
    assert len(one_row_a_run(rows)) == 3
