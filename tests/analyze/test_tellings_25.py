"""Freezes of pairs, restarts that only a count tells, words between JSON lines, and readings written as JSON lines."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.imports.bundle import write
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.own_gpu_objects import as_table
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import BundleStore

from .builders import Run, at

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

GIB = 1 << 30
SHOWN = """\
JobId=71 JobName=train
   UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A
   JobState={state} Reason=None Dependency=(null)
   Requeue=1 Restarts={restarts} BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime=01:00:00 TimeLimit=12:00:00 TimeMin=N/A
   StartTime=2026-03-01T11:00:00 EndTime=2026-03-01T12:00:00 Deadline=N/A
"""


def judged(folder: Path, **files: str) -> Verdict:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    write(import_paths(sorted(folder.iterdir())), folder.parent / "job.inquest")
    return analyze(BundleStore(folder.parent / "job.inquest"), strict=True)[0]


# --- one of two GPUs spins, the other is cold -------------------------------------------------------------------------


def pair(*, asked: int = 2, second_until: int = 1200, spin_sm: float = 0.006, held: float = 40 * GIB) -> Verdict:
    job = {"job_id": "7", "state": "CANCELLED", "start_ns": at(0), "end_ns": at(3000), "node_list": "n1"}
    run = Run(logs=False).row("slurm_jobs", ts_ns=at(3000), gpus_requested=asked, **job)
    for second in range(0, 3000, 15):
        for gpu, until in enumerate((1200, second_until)):
            works = 60 <= second < until
            engine = 0.97 if works else 0.0 if gpu and second >= 60 else 1.0 if second >= 60 else 0.0
            sm = 0.6 if works else spin_sm if engine else 0.0
            memory = held if gpu and second >= until else 40 * GIB
            told = {"engine_active": engine, "sm_active": sm, "fb_used_bytes": int(memory), "power_w": 350.0 * sm + 70}
            run.row("gpu_samples", node="n1", gpu_uuid=f"GPU-{gpu}", gpu_index=gpu, ts_ns=at(second), **told)
    words = {"framework": "slurm", "pattern": "slurm.accounting", "subject": "7"}
    return judge(run.event(Kind.CANCELLED, "Slurm: job 7 CANCELLED", t=3000, **words).evidence(), strict=True)


def test_one_of_a_pair_waits_for_the_other() -> None:
    verdict = pair()
    assert (verdict.family, verdict.sub_mode) == ("C2", "silent")
    assert verdict.culprit_gpus == ("GPU-1",)


@pytest.mark.parametrize(
    "near",
    [
        {"asked": 4},  # more GPUs than are told of
        {"second_until": 600},  # one left long before the other
        {"held": 0.0},  # it left, and gave its memory back
        {"spin_sm": 0.4},  # the other goes on with its work
    ],
)
def test_near_miss_two_programs_of_a_job(near: dict[str, Any]) -> None:
    assert pair(**near).family != "C2"


# --- restarts that the scheduler counts -------------------------------------------------------------------------------


def epochs(first: int, last: int) -> str:
    lines = [
        f"[train] epoch {n}/40 loss {2.4 * math.exp(-n / 20) + 0.3:.4f} lr 1.0e-04" for n in range(first, last + 1)
    ]
    return "\n".join([*lines, "training complete", ""])


def test_a_count_of_restarts_and_a_run_that_went_on(tmp_path: Path) -> None:
    log = f"Resumed from out/ckpt_0020.pth (epoch 20)\n{epochs(21, 40)}"
    verdict = judged_in(tmp_path, "COMPLETED", 1, log)
    assert (verdict.family, verdict.sub_mode, verdict.severity) == ("F2", "recovered", "low")


def judged_in(tmp_path: Path, state: str, restarts: int, log: str) -> Verdict:
    (tmp_path / "in").mkdir()
    return judged(tmp_path / "in", scontrol__txt=SHOWN.format(state=state, restarts=restarts), train__log=log)


@pytest.mark.parametrize(
    ("state", "restarts", "log"),
    [
        ("COMPLETED", 1, epochs(1, 40)),  # put back before it had done anything
        ("COMPLETED", 0, f"Resumed from out/ckpt_0020.pth (epoch 20)\n{epochs(21, 40)}"),
        ("FAILED", 1, "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'lr'\n"),
    ],
)
def test_near_miss_what_no_restart_explains(tmp_path: Path, state: str, restarts: int, log: str) -> None:
    assert judged_in(tmp_path, state, restarts, log).family != "F2"


# --- words in a file of JSON lines ------------------------------------------------------------------------------------


def reports(count: int) -> list[str]:
    return [
        json.dumps({"kind": "train", "step": n * 20, "loss": round(8 * math.exp(-n / 40), 4)}) for n in range(count)
    ]


OOM = [
    "Traceback (most recent call last):",
    '  File "/home/ann/train.py", line 212, in <module>',
    "    loss.backward()",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.12 GiB. GPU 0 has a total capacity of 23.64 GiB",
]


@pytest.mark.parametrize(
    ("above", "below", "family"),
    [
        ([], OOM, "B1"),
        (["Loading cuda/12.4"], OOM, "B1"),
        (["Loading cuda/12.4", "x.py:11: FutureWarning: CUDA error handling will change"], [], None),
        ([], ["slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-03-01T12:00:00 DUE TO PREEMPTION ***"], "F2"),
    ],
)
def test_words_between_json_lines(tmp_path: Path, above: list[str], below: list[str], family: str | None) -> None:
    (tmp_path / "in").mkdir()
    verdict = judged(tmp_path / "in", run__jsonl="\n".join([*above, *reports(60), *below, ""]))
    assert verdict.family == family
    assert "no training progress" not in verdict.headline


def test_a_refused_request_of_xla(tmp_path: Path) -> None:
    steps = [f"completed step: {n}, seconds: 8.3, loss: {10 - n / 10:.3f}" for n in range(60)]
    error = "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Failed to allocate request for 2.31GiB (2480340992B) on "
    (tmp_path / "run.log").write_text("\n".join([*steps, f"{error}device ordinal 0", ""]))
    assert analyze(import_logs([tmp_path], exit_code=1), strict=True)[0].family == "B1"
    (tmp_path / "run.log").write_text("\n".join([*steps, "RESOURCE_EXHAUSTED: gRPC message larger than max", ""]))
    assert analyze(import_logs([tmp_path], exit_code=1), strict=True)[0].family != "B1"


# --- GPU readings as JSON lines ---------------------------------------------------------------------------------------


def test_an_object_of_each_gpu_or_a_list_of_them() -> None:
    one = '{"ts": 1747040254.2, "host": "n1", "gpu": 0, "util": 98, "power_w": 61.5, "ok": true}'
    assert list(as_table([one, '{"ts": 17470'])) == [
        "ts\thost\tgpu\tgpu_util\tpower_w",
        "1747040254.200000\tn1\t0\t98\t61.500000",
    ]
    several = '{"time": "2026-01-01T00:00:00Z", "gpus": [{"util": 98}, {"util": 3}]}'
    assert list(as_table([several]))[1:] == ["2026-01-01T00:00:00Z\t0\t98", "2026-01-01T00:00:00Z\t1\t3"]
    assert list(as_table(["zeit;gpu", "1;2"])) == ["zeit;gpu", "1;2"]


@pytest.mark.parametrize(("more", "read"), [({}, True), ({"step": 3}, False), ({"cpu_pct": 40}, False)])
def test_readings_of_gpus_as_json_lines(tmp_path: Path, more: dict[str, int], read: bool) -> None:
    told = [
        {"ts": 1747040254.2 + n // 2 * 15, "gpu": n % 2, "util": 97, "mem_used_mb": 9000, "power_w": 300.5, **more}
        for n in range(80)
    ]
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "gpumon.jsonl").write_text("\n".join(map(json.dumps, told)) + "\n")
    (folder / "run.log").write_text("step 1 loss 3.2\nstep 2 loss 3.1\n")
    write(import_paths([folder]), tmp_path / "gpus.inquest")
    store = BundleStore(tmp_path / "gpus.inquest")
    assert ("gpu_samples" in store.tables()) is read
