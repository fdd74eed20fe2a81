"""What incidents of telemetry showed, in words and numbers of our own, each beside its near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs

from .builders import Run, at
from .proof_kinds import went_dark

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

LIMIT = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-10-10T17:00:00 DUE TO TIME LIMIT ***"


def decide(run: Run) -> Verdict:
    return judge(run.evidence(), strict=True)


# --- what ended a job that had long stood still does not name it ------------------------------------------------------


def held(*, reports: int, every: float, until: float, nodes: int = 1, state: str = "TIMEOUT") -> Run:
    run = Run().steps([9.0 - 0.01 * number for number in range(reports)], every=every)
    job = {"job_id": "7", "state": state, "start_ns": at(0), "end_ns": at(until), "nodes": nodes}
    run.row("slurm_jobs", ts_ns=at(until), node_list=f"n[1-{nodes}]", **job)
    kind = Kind.TIME_LIMIT if state == "TIMEOUT" else Kind.CANCELLED
    words = {"framework": "slurm", "pattern": "slurm.accounting", "subject": "7"}
    return run.event(kind, LIMIT if kind == Kind.TIME_LIMIT else "Slurm: job 7 CANCELLED", t=until, **words)


@pytest.mark.parametrize(
    ("state", "nodes", "outcome", "family"),
    [
        ("TIMEOUT", 1, "decided", "C3"),
        ("CANCELLED", 1, "decided", "C3"),  # whatever reasons whoever ended it had, it had stood for hours by then
        ("TIMEOUT", 2, "decided", "C2"),
        ("CANCELLED", 2, "decided", "C2"),
    ],
)
def test_a_silence_of_hours_before_the_end(state: str, nodes: int, outcome: str, family: str | None) -> None:
    verdict = decide(held(reports=200, every=20, until=18_000, nodes=nodes, state=state))
    assert (verdict.outcome, verdict.family) == (outcome, family)
    if family is None:
        assert "its last report came 3.9 h before, 700 times what lies between two" in verdict.headline


@pytest.mark.parametrize(
    ("state", "outcome"),
    [("TIMEOUT", "decided"), ("CANCELLED", "outside_families")],
)
@pytest.mark.parametrize("until", [4_020.0, 4_200.0])  # a report or some are due, and may lie in a buffer
def test_near_miss_the_end_came_soon_after_the_last_report(state: str, outcome: str, until: float) -> None:
    verdict = decide(held(reports=200, every=20, until=until, nodes=2, state=state))
    assert verdict.outcome == outcome
    assert verdict.family in ("F3", None)


def test_near_miss_a_job_that_runs_still_did_not_freeze() -> None:
    run = Run().steps([9.0 - 0.01 * number for number in range(200)], every=20)
    run.row("slurm_jobs", ts_ns=at(0), job_id="7", state="RUNNING", start_ns=at(0), nodes=2, node_list="n[1-2]")
    run.row("log_lines", ts_ns=at(90_000), text="Reservation begins\n", source="resv.txt")
    assert decide(run).outcome == "cannot_decide"


# --- a node that fell silent, where no scheduler was asked ------------------------------------------------------------


def test_a_node_that_went_dark_in_mid_work() -> None:
    verdict = decide(went_dark())
    assert (verdict.family, verdict.culprit_nodes, verdict.confidence >= 0.6) == ("F1", ("n2",), True)
    assert decide(went_dark(host=False)).confidence < verdict.confidence


@pytest.mark.parametrize(
    "told",
    [
        {"until": 3600},  # the others work on: its exporter was lost
        {"answers": True},  # its host answers
        {"until": 600, "job": 600},  # it was let go after the job had ended
    ],
)
def test_near_miss_a_node_that_is_sampled_no_more(told: dict[str, int | bool]) -> None:
    assert decide(went_dark(**told)).family != "F1"  # type: ignore[arg-type]


def test_near_miss_a_node_that_a_cloud_took_back_when_all_was_done() -> None:
    assert decide(went_dark().event(Kind.MODEL_SAVED, "saved final model", t=1195)).family != "F1"


# --- whose session it was ---------------------------------------------------------------------------------------------

OOM = (
    "[Wed Oct 14 04:01:40 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),mems_allowed=0-7,"
    "oom_memcg=/user.slice/user-20117.slice,task_memcg={cgroup},task={task},pid=77111,uid=20117\n"
    "[Wed Oct 14 04:01:40 2026] Memory cgroup out of memory: Killed process 77111 ({task}) total-vm:21022220kB,"
    " anon-rss:16511111kB, file-rss:1200kB, shmem-rss:0kB, UID:20117 pgtables:41000kB oom_score_adj:0\n"
)
SESSION = "/user.slice/user-20117.slice/session-41.scope"


@pytest.mark.parametrize(
    ("cgroup", "task", "family"),
    [
        (SESSION, "rsession", None),
        ("/system.slice/grafana.service", "grafana", None),
        (SESSION, "python3", "A2"),  # a training on a workstation
        ("/slurm/uid_1/job_7/step_0", "rsession", "A2"),
    ],
)
def test_a_kernel_log_alone(tmp_path: Path, cgroup: str, task: str, family: str | None) -> None:
    (tmp_path / "dmesg.txt").write_text(OOM.format(cgroup=cgroup, task=task))
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family


# --- GPUs of two models -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("models", "family"), [(("V100", "A100"), None), (("A100", "A100"), "D3")])
def test_the_slower_model_is_no_straggler(models: tuple[str, str], family: str | None) -> None:
    run = Run().steps([9.0 - 0.1 * number for number in range(60)], every=10)
    for node, model, sm in zip(("n1", "n2"), models, (0.6, 0.2), strict=True):
        uuids = [f"{node}-{gpu}" for gpu in range(4)]
        run.row("node_info", node=node, ts_ns=at(0), gpu_uuids=",".join(uuids), gpu_models=",".join([model] * 4))
        for second in range(0, 610, 15):
            for uuid in uuids:
                busy = {"engine_active": 0.99, "sm_active": sm, "fb_used_bytes": 2**34}
                run.row("gpu_samples", node=node, gpu_uuid=uuid, ts_ns=at(second), **busy)
    assert decide(run).family == family
