"""What operators' folders tell by one store when the others are missing, each with a near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._gone_silent import gone_silent
from inquest.analyze.families._telling import tell
from inquest.analyze.families.b2_gpu_hardware import FAMILY as B2
from inquest.analyze.families.base import RuledIn, RuledOut
from inquest.analyze.families.d2_throughput_bound import save_storm
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs
from tests.analyze.builders import Run, at

if TYPE_CHECKING:
    from pathlib import Path


def _sampled(gone: tuple[int, ...] = (2,), lasts: int = 585, *, logs: bool = False) -> Run:
    """Four GPUs of a node, of which some give no more samples from some second on; accounting tells of 590 s."""
    run = Run(logs=logs)
    for second in range(0, 720, 15):
        for gpu in range(4):
            if gpu not in gone or second <= lasts:
                busy = 0.9 if second < 590 else 0.0
                run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), engine_active=busy, power_w=600.0)
    job = {"job_id": "7", "state": "FAILED", "start_ns": at(0), "end_ns": at(590)}
    return run.row("slurm_jobs", **job)


def _failed(run: Run, code: int | None = 1, term: int | None = None) -> Run:
    return run.ended(code, term=term, t=590, said_by="slurm", role="job")


def test_one_gpu_that_falls_silent_as_the_job_fails_is_a_fault_without_its_output() -> None:
    found = B2.judge(_failed(_sampled()).evidence())
    assert isinstance(found, RuledIn)
    assert (found.culprit_gpus, found.culprit_nodes, found.sub_mode) == (("GPU-2",), ("node01",), "fallen_off_bus")


@pytest.mark.parametrize(
    "run",
    [
        _failed(_sampled(gone=())),  # nobody fell silent
        _failed(_sampled(gone=(1, 2))),  # who drops several at once is the exporter
        _failed(_sampled(lasts=300)),  # long before: the job went on without it
        _failed(_sampled(lasts=645)),  # after the end: taken out for repair
        _failed(_sampled(), 0),  # ended well
        _failed(_sampled(), None, 15),  # somebody ended it
        _failed(_sampled().event(Kind.CANCELLED, "CANCELLED", t=590)),
        _failed(_sampled(logs=True)),  # its output is there, and tells of no error of CUDA's
    ],
)
def test_a_gpu_that_is_sampled_no_more_is_no_fault_by_itself(run: Run) -> None:
    ev = run.evidence()
    assert gone_silent(ev, tell(ev)) is None
    assert isinstance(B2.judge(ev), RuledOut)


@pytest.mark.parametrize("prefix", ["[Rank {}]", "[PG ID 0 PG GUID 0(default_pg) Rank {}]"])
def test_the_watchdog_names_its_group_or_does_not(tmp_path: Path, prefix: str) -> None:
    text = "".join(f"step {i} loss {4 - i / 20:.3f}\n" for i in range(1, 41))
    for rank in (0, 1, 3):
        text += (
            f"[rank{rank}]:[E1123 10:00:0{rank}.912 ProcessGroupNCCL.cpp:632] {prefix.format(rank)} Watchdog caught"
            " collective operation timeout: WorkNCCL(SeqNum=160, OpType=ALLREDUCE, NumelIn=8, NumelOut=8,"
            " Timeout(ms)=600000) ran for 600012 milliseconds before timing out.\n"
        )
    path = tmp_path / "job.log"
    path.write_text(text)
    verdict = analyze(import_logs([path], exit_code=1), strict=True)[0]
    assert verdict.family == "C2"


@pytest.mark.parametrize(("every", "storm"), [(1, True), (20, False)])
def test_saves_that_only_begin_are_counted(tmp_path: Path, every: int, storm: bool) -> None:
    text, second = "", 0
    for step in range(1, 81):
        second += 2
        stamp = f"2026-03-04 10:{second // 60:02d}:{second % 60:02d},100"
        text += f"steps: {step} loss: {9 - step / 20:.4f} iter time (s): 1.500 samples/sec: 170.667\n"
        if step % every == 0:
            for part in range(2):
                text += f"[{stamp}] [INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving"
                text += f" /ckpt/global_step{step}/mp_rank_{part:02d}_model_states.pt...\n"
            second += 14
    path = tmp_path / "job.log"
    path.write_text(text)
    ev = analyze(import_logs([path], exit_code=0), strict=True)[1]
    told = save_storm(ev, tell(ev))
    assert told == ((80, 80) if storm else None)


@pytest.mark.parametrize(("rank", "node"), [(5, "dgx35"), (4, None)])
def test_a_fault_that_only_the_log_tells_is_on_the_host_that_the_launcher_names(rank: int, node: str | None) -> None:
    run = Run().steps([4.0 - n / 20 for n in range(40)])
    run.raised("RuntimeError", "CUDA error: uncorrectable ECC error encountered", rank=5, t=60, node="unknown")
    run.ended(1, t=61, said_by="torchrun", role="rank", rank=rank, host="dgx35", node="unknown")
    found = B2.judge(run.ended(1, t=62).evidence())
    assert isinstance(found, RuledIn)
    assert (found.culprit_ranks, found.culprit_nodes) == ((5,), () if node is None else (node,))


@pytest.mark.parametrize(
    ("warned", "error", "family"),
    [
        ("Connect to 10.1.0.3<43121> failed : Connection refused", "unhandled system error", "C1"),
        ("Connect to 10.1.0.3<43121> ok", "unhandled system error", "A1"),
        ("Connect to 10.1.0.3<43121> failed : Connection refused", "invalid argument", "A1"),
    ],
)
def test_a_system_error_of_nccl_is_the_connection_that_it_warned_of(
    tmp_path: Path, warned: str, error: str, family: str
) -> None:
    path = tmp_path / "job.log"
    path.write_text(
        f"dgx04:5001:5088 [1] misc/socket.cc:484 NCCL WARN socketStartConnect: {warned}\n"
        "[rank9]: Traceback (most recent call last):\n"
        '[rank9]:   File "/home/u/train.py", line 33, in <module>\n'
        "[rank9]:     dist.barrier()\n"
        "[rank9]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/"
        f"ProcessGroupNCCL.cpp:1970, {error} (run with NCCL_DEBUG=INFO for details), NCCL version 2.19.3\n"
    )
    assert analyze(import_logs([path], exit_code=1), strict=True)[0].family == family
