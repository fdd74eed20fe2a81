"""What the thirty-fourth set found wrong or open at first contact, in short texts of our own with near misses."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.bundle.logs_import import import_logs

from .builders import Run, at, gpu_samples

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

_CHANCE = random.Random(34)
_BEGIN = datetime(2026, 3, 3, 8, tzinfo=UTC)


def _of(folder: Path, text: str, **others: str) -> Verdict:
    (folder / "train.log").write_text(text)
    for name, told in others.items():
        (folder / name.replace("__", ".")).write_text(told)
    return analyze(import_logs([folder]), strict=True)[0]


def _fell(step: int, of: int) -> float:
    return 0.2 + 3 / (1 + 6 * step / of) + _CHANCE.uniform(0, 0.02)


def _clock(seconds: float) -> str:
    return f"{_BEGIN + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}"


# --- what reports tell of their time, beside GPUs that told no work of their SMs ---
def _readings(seconds: int, *, engine: float, watts: float) -> str:
    head = "timestamp, index, name, uuid, utilization.gpu [%], memory.used [MiB], power.draw [W], power.limit [W], clocks.current.sm [MHz]"
    rows = [
        f"{_BEGIN + timedelta(seconds=second):%Y/%m/%d %H:%M:%S}.000, {gpu}, NVIDIA L40S, GPU-{gpu}0c41f6e-8f5b-7a64-2f0f-7f1d0e9b6a5{gpu},"
        f" {100 if second // 5 % 20 < engine * 20 else 0} %, 21406 MiB, {watts:.2f} W, 350.00 W, 2520 MHz"
        for second in range(0, seconds, 5)
        for gpu in (0, 1)
    ]
    return "\n".join([head, *rows, ""])


def _of_parts(part: str, took: float, *, ranks: int = 1, steps: int = 60) -> str:
    said = ["world size 2, 60 steps"]
    for step in range(1, steps + 1):
        said += [
            f"{_clock(step * (took + 0.8))} [rank {rank}] step {step}/{steps} loss {_fell(step, steps):.4f} |"
            f" data 0.02s fwd 0.24s bwd 0.47s {part} {took + _CHANCE.uniform(0, 0.1):.2f}s opt 0.05s"
            for rank in range(ranks)
        ]
    return "\n".join([*said, f"{_clock(steps * (took + 0.8) + 2)} training finished, {steps} steps done", ""])


@pytest.mark.parametrize(
    ("part", "ranks", "engine", "watts", "family"),
    [
        ("allreduce", 1, 1.0, 92.0, "D2"),
        ("allreduce", 1, 1.0, 310.0, None),  # who draws its board's power computes, whatever its timers say
        ("save", 2, 0.2, 70.0, "D2"),
        ("save", 2, 1.0, 310.0, None),  # who saves idles
    ],
)
def test_reports_tell_of_exchange_or_saves_where_no_sm_was_sampled(
    tmp_path: Path, part: str, ranks: int, engine: float, watts: float, family: str | None
) -> None:
    took = 8.0
    text = _of_parts(part, took, ranks=ranks)
    verdict = _of(tmp_path, text, smi__csv=_readings(int(60 * (took + 0.8)) + 5, engine=engine, watts=watts))
    assert verdict.family == family
    if family is None:
        healthy = next(each for each in verdict.families if each.family == "G1")
        assert "of its own reports" in healthy.because


# --- one of several tells more of its own work -------------------------------------------------------------------------
def _of_ranks(slow: float, *, seldom: bool) -> str:
    said = ["world size 3, 120 steps"]
    for step in range(10, 130, 10):
        held = slow if not (seldom and step in (60, 90)) else 1.8
        for rank in range(3):
            forward = (held if rank == 1 else 1.8) + _CHANCE.uniform(0, 0.05)
            rest = 9.0 - forward + _CHANCE.uniform(0, 0.05)
            said.append(
                f"[rank{rank}] step {step}: 10 steps 9.0s  forward {forward:.2f}s  backward+allreduce+opt {rest:.2f}s"
            )
        said.append(f"{{'loss': '{_fell(step, 120):.3f}', 'learning_rate': '5e-05', 'epoch': '{step / 60:.3f}'}}")
    return "\n".join([*said, "{'train_runtime': '108.2', 'train_loss': '1.2', 'epoch': '2.0'}", ""])


def test_others_that_wait_longer_by_what_one_works_longer_show_the_slow_one(tmp_path: Path) -> None:
    verdict = _of(tmp_path, _of_ranks(4.5, seldom=False))
    assert (verdict.family, verdict.culprit_ranks) == ("D3", (1,))


def test_one_that_works_longer_in_most_rounds_leaves_health_open(tmp_path: Path) -> None:
    verdict = _of(tmp_path, _of_ranks(4.5, seldom=True))
    assert verdict.outcome == "cannot_decide"
    assert "rank 1 tells" in verdict.headline


def test_ranks_that_work_as_long_as_each_other_are_healthy(tmp_path: Path) -> None:
    assert _of(tmp_path, _of_ranks(1.9, seldom=False)).family == "G1"


# --- an error that Hydra shows, beside a bar that stands ---------------------------------------------------------------
_REFUSED = """{head}Traceback (most recent call last):
  File "/opt/spk/schnetpack/cli.py", line 162, in train
    trainer.fit(model=task, datamodule=datamodule)
  File "/opt/spk/schnetpack/task.py", line 163, in training_step
    pred = self.predict_without_postprocessing(batch)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.62 GiB. GPU 0 has a total capacity of 44.39 GiB of which 1.27 GiB is free.

Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.
"""


@pytest.mark.parametrize(("head", "family"), [("Error executing job with overrides: ['seed=3']\n", "B1"), ("", None)])
def test_what_hydra_shows_ended_its_job(tmp_path: Path, head: str, family: str | None) -> None:
    bars = [
        f"Epoch {epoch}:  {at}%|███| {at}/100 [00:{at // 2:02d}<00:30,  6.7it/s, v_num=0, val_loss={_fell(epoch, 8):.4f}]"
        for epoch in range(8)
        for at in range(0, 101, 10)
    ]
    assert _of(tmp_path, "\n".join(bars[:-5]) + "\n", train__err=_REFUSED.format(head=head)).family == family


# --- reports below a clock that is not theirs --------------------------------------------------------------------------
def test_a_bar_drawn_now_and_then_below_an_old_clock_tells_of_no_silence(tmp_path: Path) -> None:
    from inquest.analyze.families._pace import clocked
    from inquest.analyze.families._telling import tell

    said = ["[INFO|trainer.py:2134] 2026-03-03 08:00:00,871 >> ***** Running training *****"]
    for step in range(10, 960, 10):
        took = step * 2.38
        if step == 500:
            said.append(
                "[INFO|trainer.py:3478] 2026-03-03 08:20:01,204 >> Saving model checkpoint to out/checkpoint-500"
            )
        said += [
            f" {step // 54}%|█         | {step}/5400 [{int(took) // 60:02d}:{int(took) % 60:02d}<2:56:48,  2.38s/it]",
            f"{{'loss': {_fell(step, 5400):.4f}, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': {step / 5400:.2f}}}",
        ]
    said.append(
        "W0303 08:38:03.210000 77051 torch/distributed/elastic/agent.py:858] Sending process 77120 closing signal SIGTERM"
    )
    (tmp_path / "train.log").write_text("\n".join([*said, ""]))
    verdict, evidence = analyze(import_logs([tmp_path]), strict=True)
    assert clocked(tell(evidence)).is_empty()
    assert verdict.family != "C2"


# --- a GPU that another job had used before ----------------------------------------------------------------------------
@pytest.mark.parametrize(("ran", "hangs"), [(0.0, True), (0.9, False)])
def test_a_hang_before_the_first_step_is_judged_by_the_samples_of_its_own_job(ran: float, *, hangs: bool) -> None:
    run = Run()
    for second in range(0, 1200, 10):
        own = second >= 800
        engine = ran if own else 0.95
        run.row(
            "gpu_samples",
            gpu_uuid="GPU-0",
            ts_ns=at(second),
            engine_active=engine,
            sm_active=engine / 2,
            fb_used_bytes=7 * 2**30,
        )
    run.row("slurm_jobs", job_id="7", state="TIMEOUT", start_ns=at(800), end_ns=at(1190), time_limit_s=380)
    finding = next(each for each in judge(run.evidence(), strict=True).families if each.family == "C3")
    assert (finding.status == "ruled_in") == hangs


# --- what is no restart, and no score ----------------------------------------------------------------------------------
def _of_trials(heading: str) -> str:
    said = []
    for trial, until in ((2, 10), (3, 10), (4, 4), (5, 3)):
        said += [
            f"{heading.format(trial)} epoch {epoch:2}/10 train_mse {_fell(epoch, 10):.4f} val_rmse {_fell(epoch, 10):.4f}"
            for epoch in range(1, until + 1)
        ]
    return "\n".join([*said, ""])


def test_reports_that_name_another_trial_are_no_restart(tmp_path: Path) -> None:
    assert _of(tmp_path, _of_trials("trial {:3}")).family != "E2"


def test_the_loss_of_a_policy_tells_of_no_loss_of_weights(tmp_path: Path) -> None:
    said = []
    for step in range(50):
        loss = _CHANCE.uniform(-0.01, 0.01) if step not in (0, 1, 2, 23, 24, 25) else 0.0065
        kept = {"train/loss": round(loss, 6), "train/grad_norm": 0.14, "train/step": step}
        said.append(f"(Actor pid=314) [{_clock(60 * step)}] model.py:466 - step {step}: {kept}")
        if step == 22:
            said.append(
                f"(Manager pid=308) [{_clock(60 * step + 5)}] rollout.py:118 - restarting 1 rollout engine(s): [2]"
            )
    assert _of(tmp_path, "\n".join([*said, ""])).family != "E2"


def test_at_which_overlap_a_precision_is_measured_is_no_score(tmp_path: Path) -> None:
    said = []
    for epoch in range(1, 13):
        said += [
            f"{_clock(60 * epoch + part)} | epoch: {epoch}/12, iter: {part}/160, total_loss: {_fell(4 * epoch + part // 40, 48):.2f}, lr: 1e-3"
            for part in (40, 80, 120, 160)
        ]
        said += [
            f" Average Precision  (AP) @[ IoU={overlap} | area=   all | maxDets=100 ] = {0.3 + epoch / 50:.3f}"
            for overlap in ("0.50:0.95", "0.50     ", "0.75     ")
        ]
    verdict = _of(
        tmp_path, "\n".join([*said, f"{_clock(800)} | Training of experiment is done and the best AP is 54.0", ""])
    )
    assert "IoU" not in json.dumps([each.because for each in verdict.families])


def test_a_submitter_tells_of_the_end_behind_its_own_head(tmp_path: Path) -> None:
    said = [f"{_clock(10 * step)} step {step} loss {_fell(step, 40):.4f}" for step in range(1, 41)]
    end = f"{_clock(420)},248\tSUCC cli.py:66 -- Job 'raysubmit_wNq4YbHk2sT7cVdR' succeeded"
    assert _of(tmp_path, "\n".join([*said, end, ""])).family == "G1"


def test_sampled_sms_leave_no_doubt_by_words() -> None:
    run = gpu_samples(Run(), gpus=2, sm=0.6)
    from inquest.analyze.families._gpu import work_sampled

    assert work_sampled(run.evidence())
    assert not work_sampled(gpu_samples(Run(), gpus=2, sm=None).evidence())
