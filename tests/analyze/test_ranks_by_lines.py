"""A rank that is slower than the others, told by a line of each; saves told as keys and values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, text: str) -> Verdict:
    path = folder / "job.log"
    path.write_text(text)
    return analyze(import_logs([path]), strict=True)[0]


def below(times: Callable[[int, int], tuple[float, float]], last: int = 16) -> str:
    """A report of all, and below it what each of three ranks took of a step, in ms: its own part, and its waits."""
    lines = []
    for report in range(1, last + 1):
        lines.append(f"step {10 * report}/160 loss {2.8 * math.exp(-report / 5) + 0.1:.4f}")
        for rank in range(3):
            own, wait = times(report, rank)
            lines.append(f"    rank {rank}: compute {own:6.1f} ms, sync {wait:6.1f} ms, {400 + 97 * rank} nodes")
    return "\n".join([*lines, "finished\n"])


def in_front(times: Callable[[int, int], tuple[float, float]]) -> str:
    """The same where each rank reports for itself, and two wrote a line at the same time."""
    text = "".join(
        f"r{rank} step {10 * report}/160 loss {2.8 * math.exp(-report / 5) + 0.1 + rank / 100:.4f}"
        f" fwd+bwd {times(report, rank)[0]:.0f} ms/step  all_reduce {times(report, rank)[1]:.0f} ms/step\n"
        for report in range(1, 17)
        for rank in range(3)
    )
    return text.replace("ms/step\nr1 step 50/160", "ms/stepr1 step 50/160") + "finished\n"


def slow(report: int, rank: int) -> tuple[float, float]:
    return (77.0 + report, 10.0) if rank == 2 else (10.0 + 9 * rank + report % 3, 80.0 - 9 * rank)


@pytest.mark.parametrize("told", [below, in_front])
def test_who_takes_the_longest_and_waits_the_least_slows_all(
    tmp_path: Path, told: Callable[[Callable[[int, int], tuple[float, float]]], str]
) -> None:
    verdict = judged(tmp_path, told(slow))
    assert (verdict.family, verdict.culprit_ranks) == ("D3", (2,))
    later = judged(tmp_path, told(lambda report, rank: slow(report, rank) if report > 7 else (15.0 + rank, 20.0)))
    assert later.family == "D3"  # it became slow in mid-run


@pytest.mark.parametrize(
    "times",
    [
        lambda report, rank: (20.0 + rank, 15.0 - rank),  # alike
        lambda report, rank: slow(report, (rank + report) % 3),  # now this one, now that one
        lambda report, rank: slow(report, rank) if report < 3 else (20.0 + rank, 15.0 - rank),  # while warming up
        lambda report, rank: (slow(report, rank)[0], 60.0),  # who waits as long as the others holds nobody up
    ],
)
def test_ranks_that_hold_nobody_up(tmp_path: Path, times: Callable[[int, int], tuple[float, float]]) -> None:
    assert judged(tmp_path, below(times)).family != "D3"


def test_a_few_reports_of_ranks_tell_nothing(tmp_path: Path) -> None:
    assert judged(tmp_path, below(slow, last=5)).family != "D3"


def saves(took_s: float, event: str = "checkpoint") -> str:
    """Steps of some hundredths of a second, and an event after every second one, for less than a minute in all."""
    lines, clock = ["17:04:25 INFO event=start steps=40 save_every=2"], 25.0
    for step in range(1, 41):
        clock += 0.05
        stamp = f"17:{4 + int(clock) // 60:02d}:{int(clock) % 60:02d}"
        lines.append(f"{stamp} INFO step={step} loss={0.5 * math.exp(-step / 9) + 0.04:.5f} compute_s=0.040")
        if step % 2 == 0:
            clock += took_s
            lines.append(f"{stamp} INFO event={event} step={step} bytes=13413291 took_s={took_s:.2f} mb_s=5.6")
    return "\n".join([*lines, "17:06:59 INFO event=end steps=40\n"])


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (saves(2.5), "D2"),
        (saves(0.05), None),  # seconds in all
        (saves(2.5, event="evaluation"), None),
    ],
)
def test_saves_that_a_short_run_did_little_else_than(tmp_path: Path, text: str, family: str | None) -> None:
    verdict = judged(tmp_path, text)
    assert (verdict.family == "D2") is (family == "D2"), verdict.headline
