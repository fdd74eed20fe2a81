"""What the thirty-second unseen set showed (ranks named in a line, what is made good, services, loaders), each with a near miss."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def told(tmp_path: Path, text: str, status: int | None = None) -> Verdict:
    """The verdict on one log."""
    (tmp_path / "train.log").write_text(text)
    return analyze(import_logs([str(tmp_path)], exit_code=status), strict=True)[0]


def loss(n: float) -> float:
    return 0.1 + 0.5 * math.exp(-n / 8) + 0.004 * math.sin(n)


# --- ranks that speak in turn behind a clock, of something that nobody calls a loss -----------------------------------

_ORDER = (1, 3, 0, 2)


def _in_turn(word: str, rounds: int = 14) -> str:
    lines = [
        f"14:{50 + n // 4}:{15 * (n % 4):02} {word} {_ORDER[(at + n) % 4]} step {20 * n} misfit {loss(n + at / 9):.5f} gnorm 0.773 5.6 shots/s"
        for n in range(1, rounds + 1)
        for at in range(4)
    ]
    return "\n".join([*lines, ""])


def test_ranks_behind_a_clock_are_no_epochs(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(_in_turn("rank"))
    facts = parse_logs(import_logs([str(tmp_path)]))
    steps = facts["fact_steps"]
    assert steps["rank"].unique().sort().to_list() == [0, 1, 2, 3]
    assert steps["step"].max() == 280
    assert steps["epoch"].null_count() == steps.height
    assert facts["fact_attempts"]["attempt"].max() == 0


def test_a_rank_that_grows_is_no_process(tmp_path: Path) -> None:
    """Of a matrix, say: nobody speaks among others."""
    lines = [
        f"14:{10 + r}:{n:02} rank {r} step {20 * n} misfit {loss(14 * r + n):.5f} gnorm 0.773"
        for r in range(4)
        for n in range(1, 15)
    ]
    (tmp_path / "train.log").write_text("\n".join([*lines, ""]))
    assert parse_logs(import_logs([str(tmp_path)]))["fact_steps"]["rank"].null_count() == len(lines)


# --- what failed is made good by a value of the program's own ---------------------------------------------------------

_CAUGHT = """station {'wind': 'gauge/week46.csv', 'timesteps': 400000}
Traceback (most recent call last):
  File "/home/u/train.py", line 58, in %s
    wind = load_wind(args.wind)
  File "/home/u/train.py", line 45, in load_wind
    with open(path) as f:
FileNotFoundError: [Errno 2] No such file or directory: 'gauge/week46.csv'
%s
checking the environment
6 envs, obs (6,), act (1,)
Using cpu device
ActorPolicy(
  (net): Linear(in_features=6, out_features=64, bias=True)
)
made the buffer
warming up the environments
learning for 400,000 timesteps
"""


@pytest.mark.parametrize(
    ("bottom", "below", "family"),
    [
        ("main", "no gauge export, taking the nominal value 0.35 m/s", None),
        ("main", "no gauge export, giving up, taking the next job", "A1"),
        ("<module>", "no gauge export, taking the nominal value 0.35 m/s", "A1"),
    ],
)
def test_a_value_is_taken_in_its_place(tmp_path: Path, bottom: str, below: str, family: str | None) -> None:
    assert told(tmp_path, _CAUGHT % (bottom, below)).family == family


# --- a service that ended without an error ----------------------------------------------------------------------------


def _service(before_end: str = "", end: str = "tagger.service: Deactivated successfully.", steps: int = 8) -> str:
    head = "2026-11-29T17:46:46+01:00 ws3"
    bar = "\r".join(
        f"train (30 epochs): {100 * n // 8:3}%|###| {n}/8 [00:{n:02}<00:00,  1.00it/s, epoch={n / 64:.2f}, loss={4.877 - 0.014 * n:.3f}, lr={n}.0e-06]"
        for n in range(steps + 1)
    )
    return (
        f"2026-11-29T17:45:55+01:00 ws3 systemd[1]: Started tagger.service - Encoders.\n{head} python[29523]: {bar}\n"
        f"{before_end}2026-11-29T17:46:54+01:00 ws3 systemd[1]: {end}\n"
    )


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (_service(), "E3"),
        (_service(end="tagger.service: Succeeded."), "E3"),
        # A service that was told to stop deactivates as well, and a scope whatever its command left with.
        (_service("2026-11-29T17:46:53+01:00 ws3 systemd[1]: Stopping tagger.service - Encoders...\n", steps=5), None),
        (_service(end="run-r1f3.scope: Deactivated successfully.", steps=5), None),
        (_service(steps=5), None),
    ],
)
def test_a_service_that_left_by_itself(tmp_path: Path, text: str, family: str | None) -> None:
    assert told(tmp_path, text).family == family


# --- a GPU that a table in the log shows at rest ----------------------------------------------------------------------


def _table(busy: int, held: int, frames: tuple[str, ...]) -> str:
    head = (
        "timestamp, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu"
    )
    lines = [head, "2024/07/30 21:59:00.114, NVIDIA A40, 0 %, 4 MiB, 46068 MiB, 21.70 W, 29", "FSDP -- preparing model"]
    for n in range(1, 61):
        lines.append(
            f"I20240730 22:{n // 4:02}:{n % 4 * 15:02} 3316 train.py:103] iter: {10 * n} loss: {8 + loss(n / 9):.4f} lr: 0.0007"
        )
        if n % 20 == 0:
            lines.append(f"2024/07/30 22:{n // 4:02}:50.114, NVIDIA A40, 88 %, 34911 MiB, 46068 MiB, 289.53 W, 57")
    for n in range(1, 60):
        at = 20 + 5 * n
        lines.append(
            f"2024/07/{30 + (22 + at // 60) // 24} {(22 + at // 60) % 24:02}:{at % 60:02}:19.114, NVIDIA A40, {busy} %, {held} MiB, 46068 MiB, {72 + n % 3}.80 W, {35 + n % 2}"
        )
    stack = [f"    {frame}" for frame in frames]
    return "\n".join(
        [
            *lines,
            "$ py-spy dump --pid 3316",
            "Process 3316: python train.py",
            'Thread 3316 (idle): "MainThread"',
            *stack,
            "",
        ]
    )


_LOADER = (
    "wait (threading.py:312)",
    "get (queue.py:171)",
    "_get_data (torch/utils/data/dataloader.py:1283)",
    "do_train (train.py:234)",
)
_PEERS = ("all_reduce (torch/distributed/distributed_c10d.py:2050)", "do_train (train.py:234)")


@pytest.mark.parametrize(
    ("busy", "held", "frames", "family"),
    [
        (0, 34911, _LOADER, "C3"),
        (0, 34911, _PEERS, None),
        (37, 34911, _LOADER, None),
        (0, 4, _LOADER, None),
    ],
)
def test_rows_of_a_table_show_a_gpu_at_rest(
    tmp_path: Path, busy: int, held: int, frames: tuple[str, ...], family: str | None
) -> None:
    assert told(tmp_path, _table(busy, held, frames)).family == family


# --- a silence ends with the job, however long its telemetry or its epilogue go on ------------------------------------


@pytest.mark.parametrize(("after_s", "family"), [(20, "F2"), (1500, "C2")])
def test_a_silence_ends_where_the_scheduler_took_the_job(tmp_path: Path, after_s: int, family: str) -> None:
    def at(second: int) -> str:
        return f"2026-02-27T{14 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"

    lines = [
        f"{at(5 * n)} rank {rank} step {20 * n} loss {loss(n + rank / 9):.5f} gnorm 0.773"
        for n in range(1, 41)
        for rank in range(4)
    ]
    taken = 200 + after_s
    lines.append(f"slurmstepd-lq14: error: *** JOB 58811 ON lq14 CANCELLED AT {at(taken)} DUE TO PREEMPTION ***")
    lines += [f"{at(taken + 60 * n)} epilog: cleaning /scratch, part {n}" for n in range(1, 9)]
    assert told(tmp_path, "\n".join([*lines, ""])).family == family
