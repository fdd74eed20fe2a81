"""What scontrol, squeue, sinfo, sacctmgr, sdiag and the log of finished jobs print, recorded and ugly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle.errors import UnsafeInput
from inquest.bundle.imports import (
    kinds,
    slurm_jobcomp,
    slurm_json,
    slurm_scontrol,
    slurm_sdiag,
    slurm_sinfo,
    slurm_squeue,
)
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source
from tests.bundle.imports.kit import REFERENCE, rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.bundle.imports.kind import Kind

SLURM = REFERENCE / "slurm"
reference = pytest.mark.skipif(not SLURM.is_dir(), reason=f"Slurm records are not here: {SLURM}")
SECOND = 1_000_000_000


def read(kind: Kind, path: Path, text: str, context: Context | None = None) -> dict[str, list[dict[str, Any]]]:
    path.write_text(text, newline="")
    return rows_of(kind, path, context)


def claimed(path: Path) -> str:
    source = Source(path.name, path)
    return next(kind.name for kind in kinds() if kind.fits(source))


# --- who claims what ------------------------------------------------------------------------------------------------

_BY_NAME = {
    "sacct.psv": "sacct",
    "sacct_brief.txt": "sacct",
    "sacct.running.psv": "sacct",
    "seff_like.txt": "sacct",
    "sacct.json": "slurm-json",
    "squeue.json": "slurm-json",
    "squeue.running.json": "slurm-json",
    "sinfo.json": "slurm-json",
    "scontrol_show_node.json": "slurm-json",
    "sdiag.json": "slurm-json",
    "jobcomp.log": "jobcomp",
    "sdiag.txt": "sdiag",
    "sinfo.txt": "sinfo",
    "sinfo.down.txt": "sinfo",
    "sacctmgr_show_event.psv": "sinfo",
    "squeue.txt": "squeue",
    "squeue.pending.txt": "squeue",
    "squeue_all.txt": "squeue",
    "scontrol_show_step.running.txt": "scontrol",
    "scontrol_show_node.txt": "scontrol",
}
_SLURM = {"sacct", "slurm-json", "jobcomp", "sdiag", "sinfo", "squeue", "scontrol"}


@reference
def test_every_record_of_a_real_cluster_is_claimed_by_its_kind_and_no_log_is() -> None:
    seen = set()
    for path in sorted(SLURM.rglob("*")):
        if not path.is_file():
            continue
        kind = claimed(path)
        expected = "scontrol" if path.match("scontrol_show_job*.txt") else _BY_NAME.get(path.name)
        if expected is not None:
            assert kind == expected, path
            seen.add(path.name)
        elif path.suffix in {".log", ".out", ".err", ".env", ".sh", ".conf", ".py"} or path.name == "transcript.txt":
            assert kind not in _SLURM, path
    assert set(_BY_NAME) <= seen


@reference
def test_what_is_left_out_of_real_records_is_known() -> None:
    left: dict[str, set[str]] = {}
    for path in sorted(SLURM.rglob("*")):
        kind = next(
            (k for k in kinds() if k.name in _SLURM and path.is_file() and k.fits(Source(path.name, path))), None
        )
        if kind is not None:
            context = Context()
            for _ in kind.read(Source(path.name, path), context):
                pass
            assert not context.warnings, path
            if context.refused:
                left.setdefault(path.name, set()).update(context.refused)
    assert left == {
        # sprio's and squeue -s's tables stand in the same file as squeue's
        "squeue.txt": {"a line that is no record of its table, nor a part of one"},
        "squeue.running.txt": {"a line that is no record of its table, nor a part of one"},
        # partitions without a node in that state
        "sinfo.txt": {"a record whose nodes are cut or missing"},
        "sinfo.down.txt": {"a record whose nodes are cut or missing"},
        "scontrol_show_partition.txt": {"a reservation or a partition: it is of no job"},
        "sacctmgr_show_event.psv": {"an event of the cluster, not of a node"},
        "sacctmgr_show_event.json": {"an event of the cluster, not of a node"},
    }


# --- scontrol -------------------------------------------------------------------------------------------------------

JOB = """\
JobId=71 JobName=a b JobState=COMPLETED c
   UserId=ann(2001) GroupId=ann(2001) MCS_label=N/A
   Priority=11000 Nice=0 Account=mlteam QOS=normal
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=2 BatchFlag=1 Reboot=0 ExitCode=137:0
   DerivedExitCode=0:9
   RunTime=1-00:00:07 TimeLimit=UNLIMITED TimeMin=N/A
   SubmitTime=2026-11-20T19:25:01 EligibleTime=2026-11-20T19:25:01
   StartTime=2026-11-20T19:25:01 EndTime=2026-11-21T19:25:08 Deadline=N/A
   PreemptEligibleTime=2026-11-20T19:25:01 PreemptTime=2026-11-21T19:25:00
   SuspendTime=None SecsPreSuspend=0
   NodeList=node[01-02]
   BatchHost=node01
   NumNodes=2 NumCPUs=8 NumTasks=4 CPUs/Task=2 ReqB:S:C:T=0:0:*:*
   ReqTRES=cpu=8,mem=800M,node=2,gres/gpu=4
   AllocTRES=cpu=8,mem=800M,node=2,gres/gpu=4
   JOB_GRES=gpu:h100:4
     Nodes=node[01-02] CPU_IDs=0-3 Mem=400 GRES=gpu:h100:2(IDX:0-1)
   Command=/x/train.sh --mode Reason=fun
   WorkDir=/workspace/run
   Comment=first ExitCode=0:0
second line
   StdOut=/workspace/run/logs/a b.out
"""


def test_a_job_whose_texts_imitate_keys(tmp_path: Path) -> None:
    found = read(slurm_scontrol.KIND, tmp_path / "j", JOB)
    (job,) = found["slurm_jobs"]
    assert job["job_name"] == "a b JobState=COMPLETED c"
    assert (job["state"], job["reason"], job["exit_code"], job["term_signal"]) == (
        "FAILED",
        "NonZeroExitCode",
        137,
        None,
    )
    assert (job["derived_exit_code"], job["derived_signal"], job["restarts"]) == (None, 9, 2)
    assert job["batch_command"] == "/x/train.sh --mode Reason=fun"
    assert job["comment"] == "first ExitCode=0:0\nsecond line"
    assert job["stdout_path"] == "/workspace/run/logs/a b.out"
    assert (job["elapsed_s"], job["time_limit_s"], job["gpus_allocated"]) == (86407, None, 4)
    assert job["gres_detail"] == "node[01-02]=gpu:h100:2(IDX:0-1)"
    assert [event["event"] for event in found["slurm_events"]] == ["preempted"]


def test_a_name_over_two_lines(tmp_path: Path) -> None:
    (job,) = read(slurm_scontrol.KIND, tmp_path / "j", JOB.replace("a b Job", "a\nJobState=FAILED\n b Job"))[
        "slurm_jobs"
    ]
    assert (job["job_id"], job["job_name"]) == ("71", "a\nJobState=FAILED\n b JobState=COMPLETED c")


def test_a_job_on_one_line(tmp_path: Path) -> None:
    line = " ".join(line.strip() for line in JOB.splitlines() if "second" not in line)
    (job,) = read(slurm_scontrol.KIND, tmp_path / "j", line + "\n")["slurm_jobs"]
    assert (job["job_name"], job["state"], job["nodes"]) == ("a b JobState=COMPLETED c", "FAILED", 2)


@pytest.mark.parametrize(
    ("state", "start", "end"),
    [("RUNNING", True, False), ("SUSPENDED", True, False), ("COMPLETING", True, True), ("PENDING", False, False)],
)
def test_times_that_are_forecasts_are_no_evidence(tmp_path: Path, state: str, start: bool, end: bool) -> None:
    (job,) = read(slurm_scontrol.KIND, tmp_path / "j", JOB.replace("=FAILED", f"={state}"))["slurm_jobs"]
    assert ((job["start_ns"] is not None), (job["end_ns"] is not None)) == (start, end)
    assert (job["exit_code"] is None) == (state != "COMPLETING")


def test_a_requeued_run_that_is_cleared_up_has_no_times_of_the_next(tmp_path: Path) -> None:
    text = JOB.replace("=FAILED", "=COMPLETING").replace("RunTime=1-00:00:07", "RunTime=00:00:00")
    (job,) = read(slurm_scontrol.KIND, tmp_path / "j", text)["slurm_jobs"]
    assert (job["start_ns"], job["end_ns"]) == (None, None)


@pytest.mark.parametrize(
    ("ids", "job_id", "raw"),
    [
        ("JobId=55 ArrayJobId=53 ArrayTaskId=1 ArrayTaskThrottle=2", "53_1", "55"),
        ("JobId=53 ArrayJobId=53 ArrayTaskId=2-5%2 ArrayTaskThrottle=2", "53_[2-5%2]", "53"),
        ("JobId=60 HetJobId=59 HetJobOffset=1", "59+1", "60"),
        ("JobId=60", "60", None),
    ],
)
def test_arrays_and_heterogeneous_jobs(tmp_path: Path, ids: str, job_id: str, raw: str | None) -> None:
    (job,) = read(slurm_scontrol.KIND, tmp_path / "j", JOB.replace("JobId=71", ids, 1))["slurm_jobs"]
    assert (job["job_id"], job["job_id_raw"], job["state"]) == (job_id, raw, "FAILED")


def test_a_suspended_job_tells_when(tmp_path: Path) -> None:
    text = JOB.replace("=FAILED", "=SUSPENDED").replace("SuspendTime=None", "SuspendTime=1795202999")
    events = read(slurm_scontrol.KIND, tmp_path / "j", text)["slurm_events"]
    assert ("suspended", 1795202999 * SECOND) in [(event["event"], event["ts_ns"]) for event in events]


def test_a_cut_record_is_refused_and_rubbish_counted(tmp_path: Path) -> None:
    context = Context()
    found = read(
        slurm_scontrol.KIND, tmp_path / "j", "JobId=9 JobName=x\n   UserId=a(1)\n\nsome rubbish\n" + JOB, context
    )
    assert [job["job_id"] for job in found["slurm_jobs"]] == ["71"]
    assert sum(context.refused.values()) == 2


@reference
def test_the_reason_of_a_lost_node_is_found_below_an_empty_line() -> None:
    rows = rows_of(slurm_scontrol.KIND, SLURM / "24.11/16-node-fail/scontrol_show_node.down.txt")["slurm_nodes"]
    (lost,) = [row for row in rows if row["reason"]]
    assert (lost["slurm_node_name"], lost["reason"], lost["reason_by"]) == ("node02", "Not responding", "root")
    assert "DOWN" in lost["state"]
    assert lost["ts_ns"] == lost["reason_ns"]


@reference
def test_steps_that_run() -> None:
    rows = rows_of(slurm_scontrol.KIND, SLURM / "22.05/01-completed/scontrol_show_step.running.txt")["slurm_steps"]
    assert [(row["step_id"], row["state"], row["tasks"]) for row in rows] == [
        ("extern", "RUNNING", 2),
        ("batch", "RUNNING", 1),
        ("1", "RUNNING", 4),
    ]
    assert rows[2]["step_name"] == "train"


@pytest.mark.parametrize(
    "text",
    [
        "NodeName=node[01-04] CPUs=16 State=UNKNOWN\n",
        "error: JobId=7 JobName=x failed\n",
        "JobId=7 done\n",
        "log line\nJobId=7 JobName=x\n",
    ],
)
def test_settings_and_logs_are_no_records(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x"
    path.write_text(text)
    assert not slurm_scontrol.KIND.fits(Source("x", path))


# --- the log of finished jobs ---------------------------------------------------------------------------------------


def test_names_and_paths_with_blanks_in_the_log_of_finished_jobs(tmp_path: Path) -> None:
    context = Context(utc_offset_minutes=60)
    line = (
        "JobId=55 UserId=ann(2001) GroupId=ann(2001) Name=a JobState=FAILED\nb JobState=TIMEOUT Partition=train "
        "TimeLimit=30 StartTime=2026-11-20T19:25:01 EndTime=2026-11-20T19:55:03 NodeList=node[01-02] NodeCnt=2 "
        "ProcCnt=8 WorkDir=/w x/ExitCode=0:0 ReservationName= Tres=cpu=8,mem=800M,gres/gpu=4 Account=ml QOS=normal "
        "WcKey= Cluster=c SubmitTime=2026-11-20T19:25:01 EligibleTime=2026-11-20T19:25:01 ArrayJobId=53 ArrayTaskId=1 "
        "DerivedExitCode=0:9 ExitCode=137:0 \n"
    )
    (row,) = read(slurm_jobcomp.KIND, tmp_path / "l", line + "JobId=56 UserId=cut", context)["slurm_jobs"]
    assert (row["job_id"], row["job_id_raw"]) == ("53_1", "55")
    assert (row["job_name"], row["state"]) == ("a JobState=FAILED\nb", "TIMEOUT")
    assert (row["work_dir"], row["exit_code"], row["time_limit_s"]) == ("/w x/ExitCode=0:0", 137, 1800)
    assert row["end_ns"] == 1795200903 * SECOND
    assert row["elapsed_s"] == 1802
    assert context.refused == {"a line that is no record": 1}


# --- the controller -------------------------------------------------------------------------------------------------


@reference
def test_text_and_json_of_the_controller_use_the_same_names_and_values() -> None:
    folder = SLURM / "24.11/00-cluster"
    text = rows_of(slurm_sdiag.KIND, folder / "sdiag.txt")["slurm_controller"]
    json = rows_of(slurm_json.KIND, folder / "sdiag.json")["slurm_controller"]
    by_name = {row["name"]: row for row in json}
    own = [row for row in text if not row["name"].startswith("rpcs_")]
    assert len(own) > 45
    known = [row for row in own if row["name"] in by_name]
    assert {row["name"] for row in own} - by_name.keys() == {"rpc_queue_enabled"}
    for row in known:
        same = by_name[row["name"]]
        assert (row["unit"], row["ts_ns"]) == (same["unit"], same["ts_ns"])
        # Text rounds the mean size of the table up, JSON down.
        assert abs(row["value"] - same["value"]) <= (row["name"] == "bf_table_size_mean"), row["name"]
    calls = {row["name"]: row["value"] for row in text}
    assert calls["rpcs_by_message_type.REQUEST_BUILD_INFO.total_time"] == 245.0
    assert calls["rpcs_by_user.root.count"] == 9442.0


# --- the queue ------------------------------------------------------------------------------------------------------


@reference
def test_the_queue_under_its_names() -> None:
    rows = rows_of(slurm_squeue.KIND, SLURM / "22.05/26-pending-reasons/squeue.txt")["slurm_jobs"]
    reasons = {row["job_id"]: row["reason"] for row in rows[:12]}
    assert reasons["1043"] == "ReqNodeNotAvail, UnavailableNo"
    assert reasons["1036"] == "BeginTime"
    running = [row for row in rows if row["job_id"] == "1030"]
    assert {row["state"] for row in running} == {"RUNNING"}
    assert running[0]["node_list"] == "node[01-04]"
    assert all(row["start_ns"] is None for row in rows if row["state"] == "PENDING")


def test_the_queue_by_default_and_with_a_name_of_several_words(tmp_path: Path) -> None:
    text = (
        "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
        "       71_[4-9%2]     train  two wds      ann PD       0:00      1 (Resources)\n"
        "              72_3     train gpt-125m      bob  R 1-02:03:04      2 node[01-02]\n"
    )
    one, two = read(slurm_squeue.KIND, tmp_path / "q", text.replace("       71_[4-9%2]", "        71_[4-9%2]"))[
        "slurm_jobs"
    ]
    assert (one["job_id"], one["job_name"], one["state"], one["reason"]) == (
        "71_[4-9%2]",
        "two wds",
        "PENDING",
        "Resources",
    )
    assert (two["elapsed_s"], two["node_list"], two["nodes"], two["user"]) == (93784, "node[01-02]", 2, "bob")


def test_both_ids_of_a_task(tmp_path: Path) -> None:
    text = "JOBID|JOBID|STATE|START_TIME|NAME\n1002_0|1005|RUNNING|1795219881|a|b\n"
    (row,) = read(slurm_squeue.KIND, tmp_path / "q", text)["slurm_jobs"]
    assert (row["job_id"], row["job_id_raw"], row["job_name"]) == ("1002_0", "1005", "a|b")
    assert row["start_ns"] == 1795219881 * SECOND


# --- states of nodes ------------------------------------------------------------------------------------------------


@reference
def test_a_node_that_is_down_with_its_reason() -> None:
    rows = rows_of(slurm_sinfo.KIND, SLURM / "22.05/16-node-fail/sinfo.down.txt")["slurm_nodes"]
    told = {(row["slurm_node_name"], row["state"], row["reason"]) for row in rows}
    assert {("node01", "idle", None), ("node02", "down*", "Not responding")} <= told
    (dated,) = [row for row in rows if row["reason_ns"] is not None and row["state"] is None]
    assert dated["reason_by"] == "root"
    assert {row["seen_ns"] for row in rows if row["state"] == "idle"} == {1795202940 * SECOND}


def test_reasons_of_many_words_and_lists_of_nodes(tmp_path: Path) -> None:
    text = (
        "REASON               USER      TIMESTAMP           NODELIST\n"
        "XID 79 GPU 2 fell of root      2026-11-20T19:28:59 gpu[001-003,7]\n"
        "Not responding       slurm     2026-11-20T19:29:59 login1\n"
    )
    rows = read(slurm_sinfo.KIND, tmp_path / "s", text, Context(utc_offset_minutes=60))["slurm_nodes"]
    assert [row["slurm_node_name"] for row in rows] == ["gpu001", "gpu002", "gpu003", "gpu7", "login1"]
    assert [rows[0]["reason"], rows[4]["reason"]] == ["XID 79 GPU 2 fell of", "Not responding"]
    assert rows[0]["reason_ns"] == (1795202939 - 3600) * SECOND


def test_short_states_are_told_in_full_once_a_node(tmp_path: Path) -> None:
    text = (
        "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
        "train*       up 7-00:00:00      2   drng n[1-2]\n"
        "low          up 7-00:00:00      2   drng n[1-2]\n"
        "low          up   infinite      1  down* n3\n"
    )
    rows = read(slurm_sinfo.KIND, tmp_path / "s", text)["slurm_nodes"]
    assert [(row["slurm_node_name"], row["state"]) for row in rows] == [
        ("n1", "draining"),
        ("n2", "draining"),
        ("n3", "down*"),
    ]


@reference
def test_the_history_of_nodes_in_both_forms() -> None:
    folder = SLURM / "24.11/00-cluster"
    full = rows_of(slurm_sinfo.KIND, folder / "sacctmgr_show_event.psv")["slurm_nodes"]
    wide = rows_of(slurm_sinfo.KIND, folder / "sacctmgr_show_event.json")["slurm_nodes"]
    assert len(full) == 11
    assert [dict(row) for row in full] == [dict(row) for row in wide]
    assert ("node02", "DRAIN", "XID 79 GPU 2 fell off the bus") in [
        (row["slurm_node_name"], row["state"], row["reason"]) for row in full
    ]


def test_a_list_of_more_nodes_than_any_cluster_has_is_refused(tmp_path: Path) -> None:
    lines = "".join(f"train up 1 {n} idle x{n}[1-90000]\n" for n in range(4))
    with pytest.raises(UnsafeInput, match="nodes"):
        read(slurm_sinfo.KIND, tmp_path / "s", "PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\n" + lines)
