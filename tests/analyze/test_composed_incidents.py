"""What incidents with two changes laid over them showed: each with a near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.families._stall import stall
from inquest.analyze.families._telling import tell
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import import_logs
from tests.analyze.builders import Run, at, gpu_samples

if TYPE_CHECKING:
    from pathlib import Path

HOUR = 3600.0


def _timed_out(zone_s: float) -> Run:
    """Four ranks that were silent for 1300 s when their job came to its limit, by a clock so far off."""
    run = Run()
    for number in range(60):
        for rank in range(4):
            loss, when = 4.0 - number / 20, at(10 + 5 * number + zone_s)
            run.fact("fact_steps", step=number, loss=loss, ts_ns=when, rank=rank, kind="step")
    run.row("log_lines", ts_ns=at(1605), text="slurmstepd: cancelled", source="job.log")
    run.row("slurm_jobs", job_id="7", state="TIMEOUT", start_ns=at(0), end_ns=at(1605))
    return run.event(Kind.TIME_LIMIT, "DUE TO TIME LIMIT", framework="slurm", line_seq=None, t=1605)


@pytest.mark.parametrize(("zone_s", "silent_s"), [(0, 1300), (-200, 1500), (-7 * HOUR, None), (2 * HOUR, None)])
def test_a_silence_is_not_measured_by_the_clock_of_another_zone(zone_s: float, silent_s: int | None) -> None:
    ev = _timed_out(zone_s).evidence()
    pause = stall(ev, tell(ev))
    assert (pause and pause.silent_ns // 10**9) == silent_s


@pytest.mark.parametrize(("every", "family"), [(7, None), (None, "C3"), (150, "C3")])
def test_a_gpu_that_works_now_and_then_does_not_hang(every: int | None, family: str | None) -> None:
    """Without a log: kernels in each seventh sample, in none, and twice at all."""
    run = Run(logs=False)
    for second in range(300):
        works = every is not None and second % every == 0
        busy = {"engine_active": 0.03 if works else 0.0, "fb_used_bytes": 60 * 2**30}
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(10 * second), **busy)
    assert judge(run.evidence()).family == family


def _throttled(traffic: float) -> Run:
    """Four GPUs: one at a third of its clock and half of its power from some time on, the others wait for it."""
    run = Run(logs=False)
    for second in range(0, 3600, 15):
        for gpu in range(4):
            late = second > 1500
            slow = late and gpu == 2
            run.row(
                "gpu_samples",
                gpu_uuid=f"GPU-{gpu}",
                ts_ns=at(second),
                engine_active=0.99,
                fb_used_bytes=60 * 2**30,
                power_w=290.0 if slow else 220.0 if late else 600.0,
                sm_clock_mhz=690 if slow else 1755,
                mem_util=traffic if slow else 0.01 if late else 0.62,
            )
    return run


@pytest.mark.parametrize(("traffic", "frozen"), [(0.36, False), (0.01, True)])
def test_a_gpu_whose_clock_is_held_down_computes_at_less_power(traffic: float, frozen: bool) -> None:
    assert (judge(_throttled(traffic).evidence()).family == "C2") is frozen


@pytest.mark.parametrize(("ended_s", "family"), [(100, "D2"), (400, None)])
def test_what_gpus_do_for_the_next_job_is_not_of_this_one(ended_s: float, family: str | None) -> None:
    """A log without times; GPUs spin for 100 s, and work for 300 s more: the job had ended, or it had not."""
    run = Run().steps([4.0 - n / 20 for n in range(60)], total_steps=60)
    for row in run._facts["fact_steps"]:
        row["ts_ns"] = None
    run.row("slurm_jobs", job_id="7", state="COMPLETED", start_ns=at(9), end_ns=at(10 + ended_s))
    gpu_samples(run, gpus=4, seconds=400, engine=0.99, sm=None)
    for sample in run._tables["gpu_samples"]:
        busy = sample["ts_ns"] > at(110)
        sample.update(tensor_active=0.4 if busy else 0.01, dram_active=0.4 if busy else 0.01)
    verdict = judge(run.ended(0, t=10 + ended_s).evidence())
    assert (verdict.family == "D2") is (family == "D2")


HEAD = "JobID|JobName|State|ExitCode|Start|End|NodeList\n"
OURS = "77|train|COMPLETED|0:0|2026-11-20T08:00:00|2026-11-20T08:30:00|gpu01\n"


@pytest.mark.parametrize(("day", "left"), [(19, {"train.log"}), (20, {"train.log", "slurm-70.out"})])
def test_the_log_of_another_job_of_another_day_is_left_out(tmp_path: Path, day: int, left: set[str]) -> None:
    def text(day: int) -> str:
        return "".join(f"2026-11-{day} 08:{k:02d}:00 INFO step {k}/20 loss {3 / k:.3f}\n" for k in range(1, 21))

    (tmp_path / "train.log").write_text(text(20))
    (tmp_path / "slurm-70.out").write_text(text(day))
    (tmp_path / "sacct.txt").write_text(HEAD + OURS)
    found = import_paths([tmp_path])
    read = {file.name for file in found.report.files if file.kind == "log"}
    assert read == left


@pytest.mark.parametrize(
    ("steps", "place", "last", "healthy"),
    [
        (30, "run_a/train.log", "", False),  # cut off
        (6, "run_a/train.log", "training complete", False),  # a trial, or what is meant
        (300, "run_a/train.log", "training complete", True),
        (30, "train_eval.log", "", True),  # beside it: of the same run
        (30, "seed_1/train.log", "", True),  # of a sweep, which stops what is no good
    ],
)
def test_another_training_that_came_to_nothing_keeps_one_from_being_healthy(
    tmp_path: Path, steps: int, place: str, last: str, healthy: bool
) -> None:
    def text(steps: int, last: str) -> str:
        return "".join(f"step {k} loss {2 + 6 / (1 + k / 9):.4f} lr 3e-4\n" for k in range(1, steps + 1)) + last + "\n"

    for name, content in ((place, text(steps, last)), ("run_b/train.log", text(400, "training complete"))):
        path = tmp_path / name if "/" in name else tmp_path / "run_b" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    verdict, _ = analyze(import_logs([tmp_path]))
    assert (verdict.family == "G1") is healthy


@pytest.mark.parametrize(
    ("rows", "log", "healthy"),
    [
        (900, "run_b/train.log", False),  # another training's goodbye
        (400, "run_b/train.log", True),  # the tracker of the same run
        (900, "run_a/train.log", True),
    ],
)
def test_the_end_of_another_training_is_not_taken_for_that_of_the_curve(
    tmp_path: Path, rows: int, log: str, healthy: bool
) -> None:
    def losses(count: int) -> list[tuple[int, float]]:
        return [(k, 2 + 6 / (1 + k / 9)) for k in range(1, count + 1)]

    (tmp_path / "run_a").mkdir()
    (tmp_path / "run_b").mkdir()
    table = "".join(f"{k},{loss:.4f}\n" for k, loss in losses(rows))
    (tmp_path / "run_a" / "metrics.csv").write_text("step,train_loss\n" + table)
    text = "".join(f"step {k} loss {loss:.4f} lr 3e-4\n" for k, loss in losses(400))
    (tmp_path / log).write_text(text + "training complete\n")
    verdict, _ = analyze(import_logs([tmp_path]))
    assert (verdict.family == "G1") is healthy
