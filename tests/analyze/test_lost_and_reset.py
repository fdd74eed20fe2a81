"""A GPU that is sampled no more as a process meets CUDA's error, and again after its reset; each with near misses."""

from __future__ import annotations

import pytest

from inquest.analyze.families._gone_silent import gone_silent
from inquest.analyze.families._telling import tell
from inquest.analyze.families.b2_gpu_hardware import FAMILY as B2
from inquest.analyze.families.base import RuledIn, RuledOut
from tests.analyze.builders import Run, at

Hole = tuple[int, int]
UNNAMED = "CUDA error: unspecified launch failure"
JOB = (600, 1200)


def _sampled(holes: dict[int, Hole], *, logs: bool = True, accounted: bool = True) -> Run:
    """Four GPUs of a node, each sampled every 15 s but in its hole, and a job that ran from 600 to 1200 s."""
    run = Run(logs=logs)
    for second in range(0, 2400, 15):
        for gpu in range(4):
            gone, back = holes.get(gpu, (0, 0))
            if gone <= second < back:
                continue
            work = {"engine_active": 0.9, "fb_used_bytes": 30 << 30} if JOB[0] <= second < JOB[1] else {}
            given = {"engine_active": 0.0, "fb_used_bytes": 0, "fb_total_bytes": 80 << 30, **work}
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), **given)
    if accounted:
        job = {"job_id": "7", "state": "FAILED", "start_ns": at(JOB[0]), "end_ns": at(JOB[1])}
        run.row("slurm_jobs", **job)
    return run


def _crashed(run: Run, message: str = UNNAMED, t: float | None = 1195) -> Run:
    run.steps([4.0 - n / 20 for n in range(40)], every=29)
    return run.raised("RuntimeError", message, rank=2, t=t).ended(1, t=1200)


@pytest.mark.parametrize(
    "message",
    [
        UNNAMED,
        "CUDA error: no CUDA-capable device is detected",
        "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx(handle)`",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR",
        "INTERNAL: Failed to launch CUDA kernel: CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure",
    ],
)
@pytest.mark.parametrize("t", [1195, None])
def test_a_gpu_that_was_away_when_the_job_ended_was_lost(message: str, t: float | None) -> None:
    found = B2.judge(_crashed(_sampled({2: (1190, 1600)}), message, t).evidence())
    assert isinstance(found, RuledIn)
    assert (found.culprit_gpus, found.culprit_nodes) == (("GPU-2",), ("node01",))
    assert "was not sampled for 420 s" in found.headline


def test_it_is_so_without_the_jobs_output() -> None:
    run = _sampled({2: (1190, 1600)}, logs=False).ended(1, t=1200, said_by="slurm", role="job")
    found = B2.judge(run.evidence())
    assert isinstance(found, RuledIn)
    assert found.culprit_gpus == ("GPU-2",)


def test_without_accounting_the_end_is_when_gpus_stopped_work() -> None:
    run = Run().raised("RuntimeError", UNNAMED, rank=2)
    for second in range(0, 1500, 15):
        for gpu in range(4):
            if gpu != 2 or not 1190 <= second < 1400:
                busy = 0.9 if 600 <= second < 1200 else 0.0
                run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), engine_active=busy)
    ev = run.evidence()
    silent = gone_silent(ev, tell(ev))
    assert silent is not None
    assert silent.gpu_uuid == "GPU-2"


@pytest.mark.parametrize(
    ("holes", "message"),
    [
        (dict.fromkeys(range(4), (1190, 1600)), UNNAMED),  # the exporter of the node was away
        ({1: (1190, 1600), 2: (1190, 1600)}, UNNAMED),  # two at once
        ({2: (700, 1000)}, UNNAMED),  # long before the end
        ({2: (1195, 1225)}, UNNAMED),  # two samples
        ({2: (1290, 1600)}, UNNAMED),  # it was there when the job was over
        ({2: (1190, 1600)}, "CUDA error: an illegal memory access was encountered"),
        ({2: (1190, 1600)}, "too many values to unpack (expected 2)"),
    ],
)
def test_a_hole_in_samples_is_no_lost_gpu_by_itself(holes: dict[int, Hole], message: str) -> None:
    assert isinstance(B2.judge(_crashed(_sampled(holes), message).evidence()), RuledOut)


def _with(run: Run, gpu: int, seconds: range, **columns: int | float) -> Run:
    """``run`` with more samples of one GPU."""
    for second in seconds:
        run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), **columns)
    return run


def test_a_gpu_that_was_divided_after_the_job_was_not_lost() -> None:
    run = _with(_sampled({2: (1205, 9000)}), 2, range(1500, 2400, 15), fb_total_bytes=40 << 30, engine_active=0.0)
    assert isinstance(B2.judge(_crashed(run).evidence()), RuledOut)


@pytest.mark.parametrize(("held", "lost"), [(True, False), (False, True)])
def test_a_gpu_that_another_job_held_before_is_no_matter(held: bool, lost: bool) -> None:
    run = _sampled({2: (-1, 9000)})
    used = (30 << 30) if held else 0
    for second in (*range(0, 1190, 15), *range(1600, 2400, 15)):
        mine = 600 <= second < 1200
        busy = 0.9 if held or mine else 0.0
        _with(run, 2, range(second, second + 1), engine_active=busy, fb_used_bytes=30 << 30 if mine else used)
    found = B2.judge(_crashed(run).evidence())
    assert isinstance(found, RuledIn) is lost


def test_a_rank_of_another_node_did_not_meet_it() -> None:
    run = _sampled({2: (1190, 1600)})
    run.row("gpu_samples", gpu_uuid="GPU-9", ts_ns=at(0), node="node02")
    run.steps([4.0, 3.9], rank=5, node="node02")
    run.raised("RuntimeError", UNNAMED, rank=5, node="node02", t=1195).ended(1, t=1200)
    ev = run.evidence()
    assert gone_silent(ev, tell(ev)) is None
