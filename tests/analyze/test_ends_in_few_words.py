"""Ends that are told in few words, or in words of no log: each with a near miss that tells no end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def told(folder: Path, files: dict[str, str], exit_code: int | None = None) -> Verdict:
    for name, text in files.items():
        (folder / name).write_text(text)
    return analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]


def answer(folder: Path, files: dict[str, str], exit_code: int | None = None) -> str:
    verdict = told(folder, files, exit_code)
    return str(verdict.family or verdict.outcome)


# --- a text in a language that no sign of a log knows, which ends in a traceback --------------------------------------
NORSK = "".join(f"leser mappe {name}, alt i orden\n" for name in "abcdefghijklmnopqrstuvwxyzæøå" * 3)
RAISED = (
    "Traceback (most recent call last):\n"
    '  File "/w/tren.py", line 41, in <module>\n    tren(modell)\n'
    '  File "/w/tren.py", line 17, in tren\n    ut = modell(x)\n'
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x1280 and 1024x256)\n"
)
CURVE = "".join(f"epoch {n}/20 loss {2.0 / n:.4f}\n" for n in range(1, 21)) + "training finished\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"utskrift.txt": NORSK + RAISED}, "A1"),
        ({"utskrift": NORSK + RAISED}, "A1"),
        ({"utskrift.txt": NORSK + RAISED + "jobben er over\n"}, "A1"),
        ({"notat.txt": NORSK + RAISED, "train.log": CURVE}, "G1"),  # notes quote what once happened
    ],
)
def test_what_ends_in_a_traceback_is_a_log_where_no_better_one_is(
    tmp_path: Path, files: dict[str, str], expected: str
) -> None:
    assert answer(tmp_path, files) == expected


@pytest.mark.parametrize(
    "text",
    [
        RAISED + NORSK,  # it went on
        NORSK + "".join(f"   | {line}\n" for line in RAISED.splitlines()) + NORSK,
        NORSK + "RuntimeError: mat1 and mat2 shapes cannot be multiplied\n",
    ],
)
def test_a_text_that_quotes_a_traceback_is_no_log(tmp_path: Path, text: str) -> None:
    (tmp_path / "notat.txt").write_text(text)
    (tmp_path / "sacct.txt").write_text(
        "JobID|JobName|State|ExitCode|Start|End\n5|tren|FAILED|1:0|2026-11-04T10:41:07|2026-11-04T10:44:52\n"
    )
    assert told(tmp_path, {}).family is None


# --- stacks of a process that stood still, without a clock on any line ------------------------------------------------
FRAMES = (
    "Thread 0x00007f1b7dffb640 (most recent call first):\n"
    '  File "/w/metrics.py", line 44 in flush\n  File "/w/ckpt.py", line 66 in _write\n'
    '  File "/usr/lib/python3.10/threading.py", line 953 in run\n'
    '  File "/usr/lib/python3.10/threading.py", line 973 in _bootstrap\n\n'
    "Thread 0x00007f1d0a5c3000 (most recent call first):\n"
    '  File "/w/ckpt.py", line {line} in lock\n  File "/w/train.py", line 158 in main\n'
    '  File "/w/train.py", line 190 in <module>\n'
)


def stacks(
    pace: str = "steps/s 6.40", watch: str = "W no step for {s} s", timer: str = "Timeout (0:30:00)!\n", times: int = 4
) -> str:
    out = "".join(f"I step {n * 100:6}  loss {7 - n / 10:.4f}  {pace}\n" for n in range(40))
    for n in range(1, times + 1):
        out += (watch.format(s=1800 * n) + "\n" if watch else "") + timer + FRAMES.replace("{line}", "39")
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (stacks(), "C3"),
        (stacks(pace="6.4 it/s"), "C3"),
        (stacks(pace="0.156 s/step"), "C3"),
        (stacks(timer="stacks:\n", watch="W no step for {s} seconds"), "C3"),  # the watch's own count alone
        (stacks(watch=""), "C3"),  # the timer's alone
        (stacks(pace=""), "cannot_decide"),  # how often a report was due is not told
        (stacks(pace="steps/s 0.05"), "cannot_decide"),  # few were
        (stacks(watch="W evaluated {s} pages"), "cannot_decide"),  # it works
        (stacks() + "I step   4000  loss 2.9  steps/s 6.40\n", "cannot_decide"),  # it went on
        (stacks().replace("line 39", "line 40", 1), "cannot_decide"),  # it moved
    ],
)
def test_stacks_without_a_clock(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, {"train.log": text}) == expected


# --- a task of JAX's that fell silent, and the service that missed it -------------------------------------------------
LOST = "/job:jax_worker/replica:0/task:5"
SET = f"{LOST} has been set to ERROR in coordination service: UNAVAILABLE: Task {LOST} heartbeat timeout."
UNHEALTHY = (
    f"UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats): {LOST}. The tasks have crashed."
)
FATAL = "Terminating process because the JAX distributed service detected fatal errors. absl::Status: " + UNHEALTHY
STUCK = (
    "E1104 06:1{m}:22.5 791508 rendezvous.cc:98] This thread has been waiting for `acquire clique for rank {r}; clique="
    "devices=64` for {s} seconds and may be stuck. Expected 8 threads to join the rendezvous, but not all arrived."
)
OTHERS = (0, 1, 2, 3, 4, 6, 7)


def jax(
    *, waits: int = 9, before_end: str = "", steps: int = 200, srun: str = "", later: str = "", apart: bool = False
) -> str:
    out = [f"{rank}: Jax distributed system initialized on GPU!" for rank in range(8)]
    out += [f"0: completed step: {n}, seconds: 1.918, loss: {8 / (1 + n / 50):.3f}" for n in range(steps)]
    out += [f"{rank}: {STUCK.format(m=k // 3, r=8 * rank, s=20 * k)}" for k in range(1, waits) for rank in OTHERS]
    out += [before_end] if before_end else []
    fatal = FATAL.replace(f": {LOST}. ", f":\n{LOST}\n") if apart else FATAL
    out += [] if apart else [f"0: E1104 06:15:23.9 791476 coordination_service.cc:678] {SET}"]
    out += [f"{rank}: F1104 06:15:23.9 791479 client.h:77] {fatal}" for rank in OTHERS]
    out += [later] if later else []
    out += [srun] if srun else []
    out += [f"srun: error: h100-04{rank}: task {rank}: Aborted (core dumped)" for rank in OTHERS]
    return "\n".join(out) + "\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (jax(), "C2"),
        (jax(apart=True), "C2"),  # one task a line, as newer versions tell it
        (jax(waits=0), "cannot_decide"),  # that anybody waited is not shown
        (jax(steps=0), "C1"),  # they had not met yet
        (jax(before_end="5: CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure"), "cannot_decide"),  # it said why
        (jax(later="0: completed step: 200, seconds: 1.9, loss: 1.6"), "cannot_decide"),  # it went on
    ],
)
def test_a_task_whose_heartbeats_were_missed(tmp_path: Path, text: str, expected: str) -> None:
    verdict = told(tmp_path, {"slurm-7.out": text})
    assert str(verdict.family or verdict.outcome) == expected
    if expected == "C2":
        assert verdict.culprit_ranks == (5,)


@pytest.mark.parametrize("end", ["Out Of Memory", "Exited with exit code 1", "Segmentation fault"])
def test_a_task_whose_own_end_is_told_is_the_cause_of_what_its_peers_say(tmp_path: Path, end: str) -> None:
    assert answer(tmp_path, {"slurm-7.out": jax(srun=f"srun: error: h100-046: task 5: {end}")}) != "C2"


# --- a single GPU that holds memory and does nothing, by a table of somebody's own ------------------------------------
def watched(busy_until: int = 60, *, held: int = 63118, after: int = 0) -> dict[str, str]:
    """An hour of steps, and readings that go on for three."""
    log = "".join(f"2026-11-07 08:{n:02}:10 step:{n} - loss:{2 / (n + 1):.3f} - lr:1e-06\n" for n in range(60))
    rows = ["timestamp,util_pct,mem_used_mib,power_w,temp_c"]
    for n in range(240):
        load, memory = (97, 63118) if n < busy_until else (after, held)
        rows.append(f"2026-11-07 {8 + n // 60:02}:{n % 60:02}:00,{load},{memory},{480 if load else 120},55")
    return {"train.log": log, "gpu.csv": "\n".join(rows) + "\n"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (watched(), "C3"),
        (watched(held=4), "cannot_decide"),  # the process had gone
        (watched(after=95), "cannot_decide"),  # it still worked
    ],
)
def test_a_gpu_that_a_script_of_ones_own_read(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    assert answer(tmp_path, files) == expected


# --- a recipe of speech: training, the mean of its last checkpoints, decoding, an error rate --------------------------
RATE = (
    "=====\n\nOverall -> {rate} % N=104765 C=99749 S=4817 D=199 I=86\n"
    "Mandarin -> 4.87 % N=104762 C=99749 S=4814 D=199 I=86\n"
)


def wenet(below: str, *, first: int = 70, last: int = 100, falls: float = 0.6) -> str:
    out = []
    for epoch in range(first, last):
        level = 3.4 - falls * (epoch - first) / 30
        noise = [0.3 * ((7 * epoch + 3 * batch) % 5 - 2) / 2 for batch in range(1, 12)]
        out += [
            f"2026-11-03 DEBUG TRAIN Batch {epoch}/{100 * batch} loss {level + noise[batch - 1]:.6f} lr 0.1"
            for batch in range(1, 12)
        ]
        out += [f"2026-11-03 DEBUG CV Batch {epoch}/{100 * batch} loss {4.1 + batch:.4f} rank 0" for batch in (1, 2, 3)]
        out += [f"2026-11-03 INFO Epoch {epoch} CV info cv_loss {5.9 - 0.2 * (epoch - first) / 30:.6f} rank 0"]
    return "\n".join(out) + "\n" + below


MEAN = "do model average and final checkpoint is exp/avg_10.pt\nSaving to exp/avg_10.pt\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (wenet(MEAN + RATE.format(rate="4.87")), "G1"),
        (wenet(MEAN + "%WER 4.87 [ 5102 / 104765, 86 ins, 199 del, 4817 sub ] exp/avg_10/wer_9\n"), "G1"),
        (wenet(""), "cannot_decide"),  # nothing came after it
        (wenet(MEAN + RATE.format(rate="99.2")), "cannot_decide"),  # it wrote down next to nothing
        (wenet(RATE.format(rate="9.1") + wenet("", first=100, last=104)), "cannot_decide"),  # it trained on
        (wenet("run.sh: line 9: 512 Killed python train.py\n" + MEAN + RATE.format(rate="9.1")), "A2"),
    ],
)
def test_an_error_rate_below_training_is_the_end_of_a_recipe(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, {"run.log": text}) == expected
