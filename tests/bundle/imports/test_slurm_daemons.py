"""Logs of slurmctld and slurmd, and ``scontrol show config``: recorded ones, and the forms of other sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle.imports import kinds, slurm_config, slurm_daemons, slurm_sacct
from inquest.bundle.imports._slurm_runs import one_row_a_run
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source
from tests.bundle.imports.kit import REFERENCE, rows_of

if TYPE_CHECKING:
    from pathlib import Path

SLURM = REFERENCE / "slurm"
reference = pytest.mark.skipif(not SLURM.is_dir(), reason=f"Slurm records are not here: {SLURM}")
T0 = 1_795_192_114_000_000_000  # 2026-11-20T16:28:34Z


def read(path: Path, text: str, context: Context | None = None) -> dict[str, list[dict[str, Any]]]:
    path.write_text(text)
    return rows_of(slurm_daemons.KIND, path, context)


def told(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(row["event"], row["state"], row["reason"]) for row in rows]


@reference
@pytest.mark.parametrize("version", ["22.05", "24.11"])
def test_a_recorded_cluster_tells_how_each_job_ended(version: str) -> None:
    """Held to what accounting says of the same jobs: each scenario records one."""
    ends: dict[str, set[str]] = {}
    for path in sorted((SLURM / version).glob("*/slurmctld.log")):
        found = rows_of(slurm_daemons.KIND, path)
        for row in found.get("slurm_events", ()):
            if row["event"] == "terminal":
                ends.setdefault(path.parent.name, set()).add(row["state"])
            elif row["event"] in {"preempted", "requeued"}:
                ends.setdefault(path.parent.name, set()).add(row["event"])
    expected = {
        "01-completed": {"COMPLETED"},
        "02-failed-exception": {"FAILED"},
        "09-oom-batch-step": {"OUT_OF_MEMORY"},
        "14-timeout": {"TIMEOUT"},
        "16-node-fail": {"NODE_FAIL"},
        "22-requeue": {"requeued", "COMPLETED"},
        "39-deadline": {"DEADLINE"},
    }
    assert {name: ends[name] for name in expected} == expected
    assert "preempted" in ends["24-preempted-requeued"]


@reference
def test_a_recorded_node_goes_down_and_comes_back() -> None:
    found = rows_of(slurm_daemons.KIND, SLURM / "22.05" / "16-node-fail" / "slurmctld.log")
    states = [(row["slurm_node_name"], row["state"], row["reason"]) for row in found["slurm_nodes"]]
    assert states == [
        ("node02", None, "REQUEST_PING : Communication connection failure"),
        ("node02", "NOT_RESPONDING", "not responding"),
        ("node02", "DOWN+NOT_RESPONDING", "not responding"),
        ("node02", None, "now responding"),
        ("node02", "IDLE", "returned to service"),
    ]


@reference
def test_a_recorded_slurmd_tells_of_its_node_and_its_steps() -> None:
    found = rows_of(slurm_daemons.KIND, SLURM / "24.11" / "07-oom-host-memory" / "slurmd-node01.log")
    events = [(row["node"], row["job_id"], row["event"], row["reason"]) for row in found["slurm_events"]]
    assert any(why.startswith("task 1 (") and why.endswith("Killed by signal 9") for *_, why in events)
    assert any("oom_kill event in StepId=1007.0" in why for *_, why in events)
    assert {(node, job) for node, job, *_ in events} == {("node01", "1007")}


@reference
def test_every_recorded_log_of_a_daemon_is_known_for_one() -> None:
    paths = sorted(SLURM.glob("*/*/slurm[cd]*.log"))
    assert paths
    for path in paths:
        source = Source(path.name, path)
        assert next(kind.name for kind in kinds() if kind.fits(source)) == "slurm-daemons", path


def runs(kind: Any, path: Path) -> list[dict[str, Any]]:
    return [dict(row) for row in rows_of(kind, path).get("slurm_jobs", ())]


@reference
def test_runs_told_by_the_controller_are_those_of_accounting() -> None:
    """Over all recorded scenarios: none is told twice when both are there, and nearly all end alike."""
    alike = told_runs = 0
    others = []
    for log in sorted(SLURM.glob("2*/*/slurmctld.log")):
        accounting = log.with_name("sacct.psv")
        if not accounting.exists():
            continue
        known = one_row_a_run(runs(slurm_sacct.KIND, accounting))
        jobs = {row["job_id"] for row in known}
        mine = [row for row in runs(slurm_daemons.KIND, log) if row["job_id"] in jobs]
        both = one_row_a_run([dict(row) for row in [*known, *mine]])
        assert len(both) == len(known), log
        for row in (row for row in mine if row["start_ns"] is not None):
            (same,) = (
                run
                for run in known
                if run["job_id"] == row["job_id"] and abs((run["start_ns"] or 0) - row["start_ns"]) <= 2 * 10**9
            )
            assert row["node_list"] == same["node_list"]
            told_runs += 1
            state = same["state"].split()[0]
            alike += row["state"] == state
            others += [(row["state"], state)] if row["state"] != state else []
    assert told_runs >= 162
    assert alike >= 159
    assert set(others) <= {("REQUEUED", "PREEMPTED")}, "within its grace time; the log says requeued"


@reference
@pytest.mark.parametrize("version", ["22.05", "24.11"])
def test_an_out_of_memory_kill_that_slurmd_saw_is_the_steps_state(version: str) -> None:
    found = rows_of(slurm_daemons.KIND, SLURM / version / "07-oom-host-memory" / "slurmd-node01.log")
    assert [(row["job_id"], row["step_id"], row["state"]) for row in found["slurm_steps"]] == [
        ("1007", "0", "OUT_OF_MEMORY")
    ]


def test_a_run_is_told_when_nothing_more_can_be_said_of_it(tmp_path: Path) -> None:
    at = "[2026-11-20T16:28:3{}.900] {}\n"
    found = read(
        tmp_path / "slurmctld.log",
        at.format(0, "_job_complete: JobId=6 WEXITSTATUS 0")  # its begin is in an earlier log
        + at.format(1, "_slurm_rpc_submit_batch_job: JobId=7 InitPrio=1 usec=1")
        + at.format(2, "sched: Allocate JobId=7_1(9) NodeList=gpu[01-02] #CPUs=8 Partition=train")
        + at.format(3, "_job_complete: JobId=7_1(9) WEXITSTATUS 3")
        + at.format(4, "_job_complete: requeue JobId=7_1(9) per user/system request")
        + at.format(5, "sched/backfill: _start_job: Started JobId=7_1(9) in train on gpu03")
        + at.format(6, "_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=7_1 uid 2001")
        + at.format(7, "job_signal: 9 of running JobId=7_1(9) successful 0x8004")
        + at.format(8, "sched: Allocate JobId=8 NodeList=gpu01 #CPUs=8 Partition=train")
        + at.format(9, "Requeuing JobId=8"),
    )
    told_runs = [
        tuple(
            row[name] for name in ("job_id", "job_id_raw", "state", "node_list", "nodes", "exit_code", "cancelled_by")
        )
        for row in found["slurm_jobs"]
    ]
    assert told_runs == [
        ("7_1", "9", "REQUEUED", "gpu[01-02]", 2, 3, None),
        ("7_1", "9", "CANCELLED", "gpu03", 1, None, "2001"),
        ("8", None, "REQUEUED", "gpu01", 1, None, None),
        ("8", None, "PENDING", None, None, None, None),
    ]
    first = found["slurm_jobs"][0]
    assert (first["start_ns"], first["end_ns"], first["elapsed_s"]) == (T0 - 2 * 10**9, T0 - 10**9, 1)


def test_reason_and_state_of_an_update_stand_together(tmp_path: Path) -> None:
    found = read(
        tmp_path / "slurmctld.log",
        "[2026-11-20T16:28:34.000] update_node: node gpu[01-02] reason set to: XID 79\n"
        "[2026-11-20T16:28:34.000] update_node: node gpu[01-02] state set to DRAINING*\n"
        "[2026-11-20T16:29:34.000] update_node: node gpu01 state set to IDLE\n",
    )
    states = [(row["slurm_node_name"], row["state"], row["reason"]) for row in found["slurm_nodes"]]
    assert states == [
        ("gpu01", None, "XID 79"),
        ("gpu02", None, "XID 79"),
        ("gpu01", "DRAINING+NOT_RESPONDING", "XID 79"),
        ("gpu02", "DRAINING+NOT_RESPONDING", "XID 79"),
        ("gpu01", "IDLE", None),
    ]


@pytest.mark.parametrize(
    ("stamp", "minutes"),
    [
        ("2026-11-20T16:28:34", 0),
        ("2026-11-20T17:28:34.000", 60),
        ("2026-11-20T17:28:34+01:00", 0),
        ("2026-11-20T16:28:34Z", 300),
        ("Nov 20 16:28:34", 0),
        ("Nov 20 16:28:34 123456", 0),
        ("Fri Nov 20 16:28:34 2026 12345 bckfl", 0),
    ],
)
def test_every_form_of_the_daemons_clock_is_read(tmp_path: Path, stamp: str, minutes: int) -> None:
    context = Context(utc_offset_minutes=minutes, year=2026)
    found = read(tmp_path / "slurmctld.log", f"[{stamp}] Time limit exhausted for JobId=7\n", context)
    (row,) = found["slurm_events"]
    assert (row["job_id"], row["state"], row["ts_ns"]) == ("7", "TIMEOUT", T0)


def test_what_tells_of_no_job_and_no_node_is_counted(tmp_path: Path) -> None:
    context = Context()
    found = read(
        tmp_path / "slurmctld.log",
        "[2026-11-20T16:28:34] slurmctld version 24.11.5 started on cluster x\n"
        "[2026-11-20T16:28:34] job_signal: 998 of running JobId=7 successful 0x1\n"
        "not stamped\n"
        "[2026-11-20T16:28:34] job_signal: 10 of running JobId=7 successful 0x1\n"
        "[2026-11-20T16:28:35] error: slurmd error running JobId=7+1(8) on node(s)=gpu01: Kill task failed\n",
        context,
    )
    assert told(found["slurm_events"]) == [
        ("signalled", None, "10"),
        ("error", None, "slurmd error running JobId=7+1(8) on node(s)=gpu01: Kill task failed"),
    ]
    assert found["slurm_events"][1]["job_id"] == "7+1"
    assert context.refused == {
        "lines without the daemons' clock": 1,
        "lines that tell nothing of a job's or a node's fate": 2,
    }


def test_a_jobs_log_that_quotes_a_daemon_stays_a_log(tmp_path: Path) -> None:
    path = tmp_path / "slurm-7.out"
    path.write_text(
        "".join(f"[2026-11-20T16:28:{second:02}] INFO step {second} loss 0.1\n" for second in range(20))
        + "[2026-11-20T16:29:00] error: Nodes gpu01 not responding\n"
    )
    assert not slurm_daemons.KIND.fits(Source(path.name, path))


def test_a_million_nodes_in_one_line_are_bounded(tmp_path: Path) -> None:
    found = read(
        tmp_path / "slurmctld.log", "[2026-11-20T16:28:34] error: Nodes n[1-99999999] not responding, setting DOWN\n"
    )
    assert len(found["slurm_nodes"]) <= slurm_daemons.MAX_NODES


def test_one_job_of_a_clusters_log_is_taken(tmp_path: Path) -> None:
    (tmp_path / "slurmctld.log").write_text(
        "[2026-11-20T16:28:33] sched: Allocate JobId=6 NodeList=gpu01 #CPUs=8 Partition=train\n"
        "[2026-11-20T16:28:34] preempted JobId=6 has been requeued to reclaim resources for JobId=7\n"
        "[2026-11-20T16:28:35] sched: Allocate JobId=7 NodeList=gpu01 #CPUs=8 Partition=train\n"
        "[2026-11-20T16:29:35] _job_complete: JobId=7 WEXITSTATUS 3\n"
    )
    unsaid = import_paths([tmp_path])
    assert unsaid.report.job_id is None
    assert any("2 jobs (6, 7)" in note for note in unsaid.report.notes)
    said = import_paths([tmp_path], job_id="7")
    events = [row for frame in said.rows.frames("slurm_events") for row in frame.to_dicts()]
    assert [(row["job_id"], row["event"]) for row in events] == [("7", "started"), ("7", "terminal")]


def test_a_nodes_daemon_speaks_of_the_task_of_an_array_that_others_name(tmp_path: Path) -> None:
    (tmp_path / "slurmctld.log").write_text(
        "[2026-11-20T16:28:33] sched: Allocate JobId=7_1(9) NodeList=n1 #CPUs=8 Partition=train\n"
        "[2026-11-20T16:28:36] _job_complete: JobId=7_1(9) WEXITSTATUS 3\n"
    )
    (tmp_path / "slurmd-n1.log").write_text(
        "[2026-11-20T16:28:34] [9.0] task 0 (4711) exited. Killed by signal 9.\n"
        "[2026-11-20T16:28:35] [9.0] error: Detected 1 oom_kill event in StepId=9.0. Some of the step tasks\n"
    )
    rows = import_paths([tmp_path], job_id="7_1").rows
    events = [row for frame in rows.frames("slurm_events") for row in frame.to_dicts()]
    assert [(row["job_id"], row["event"]) for row in events if row["node"] == "n1"] == [
        ("7_1", "task_ended"),
        ("7_1", "error"),
    ]
    (step,) = (row for frame in rows.frames("slurm_steps") for row in frame.to_dicts())
    assert (step["job_id"], step["job_id_raw"], step["state"]) == ("7_1", "9", "OUT_OF_MEMORY")


# --- scontrol show config ---------------------------------------------------------------------------------------------


@reference
@pytest.mark.parametrize(("version", "grace"), [("22.05", 20.0), ("24.11", 60.0)])
def test_recorded_settings_that_end_jobs(version: str, grace: float) -> None:
    context = Context()
    path = SLURM / version / "00-cluster" / "scontrol_show_config.txt"
    found = {row["name"]: row for row in rows_of(slurm_config.KIND, path, context)["slurm_controller"]}
    values = {name: (row["value"], row["unit"], row["setting"]) for name, row in found.items()}
    assert values["config.KillWait"] == (3.0, "s", "3 sec")
    assert values["config.OverTimeLimit"] == (0.0, "s", "0 min")
    assert values["config.UnkillableStepTimeout"] == (grace, "s", f"{grace:.0f} sec")
    assert values["config.PreemptMode"] == (None, None, "REQUEUE")
    assert values["config.JobRequeue"] == (1.0, "1", "1")
    assert values["config.PrologEpilogTimeout"] == (None, None, "65534")
    assert not any("Host" in name or "Path" in name or "Port" in name for name in found)
    assert set(context.refused) == {"settings that do not bear on how jobs end"}


@pytest.mark.parametrize(
    ("text", "value"),
    [("5 min", 300.0), ("UNLIMITED", None), ("1-00:00:00", 86400.0), ("INFINITE", None), ("1000 ms", 1.0)],
)
def test_a_time_limit_in_any_form(tmp_path: Path, text: str, value: float | None) -> None:
    path = tmp_path / "config.txt"
    path.write_text(f"$ scontrol show config\nConfiguration data as of 1795192114\nOverTimeLimit           = {text}\n")
    (row,) = rows_of(slurm_config.KIND, path)["slurm_controller"]
    assert (row["value"], row["setting"], row["ts_ns"]) == (value, text, T0)
