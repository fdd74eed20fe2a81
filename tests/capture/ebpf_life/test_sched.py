"""Waits for a CPU, of real processes that share one, held against the kernel's own account of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.capture.collectors.process_life import ProcessLife
from inquest.capture.collectors.sched import Sched
from tests.capture.ebpf_life.kit import PYTHON, watched

if TYPE_CHECKING:
    from collections.abc import Iterator

CPU = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
SPIN = "while True: pass"
DOZE = """
import os, time
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))  # takes the CPU from nobody when it wakes
os.nice(10)
while True:
    time.sleep(0.002)
    for _ in range(1000): pass
"""


@pytest.fixture
def hog() -> Iterator[subprocess.Popen[bytes]]:
    """Somebody else's process that keeps the CPU busy."""
    process = subprocess.Popen(["taskset", "-c", str(CPU), *PYTHON, SPIN])
    yield process
    process.kill()
    process.wait()


def waited_ns(pid: int) -> int:
    """Time a process has waited for a CPU by the kernel's account (second field of /proc/PID/schedstat)."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1])


def on_one_cpu(code: str) -> list[str]:
    return ["taskset", "-c", str(CPU), *PYTHON, code]


@pytest.mark.parametrize(
    ("backend", "code", "before"),
    [("object", SPIN, "runnable"), ("object", DOZE, "sleeping"), ("bcc", SPIN, "runnable")],
    ids=["preempted", "woken", "preempted, by bcc"],
    indirect=["backend"],
)
def test_waits_add_up_to_what_the_kernel_accounts_for(
    tmp_path: Path, hog: subprocess.Popen[bytes], backend: str, code: str, before: str
) -> None:
    if not Path("/proc/self/schedstat").exists():
        pytest.skip("this kernel keeps no account (CONFIG_SCHED_INFO)")
    with watched(tmp_path, *on_one_cpu(code)) as job:
        job.start(ProcessLife(), sched := Sched())
        job.go()
        job.wait_for("sched_samples", lambda rows: sum(row["total_ns"] for row in rows) > 100_000_000)
        told_0, kept_0 = sum(row["total_ns"] for row in job.rows["sched_samples"]), waited_ns(job.pid)
        job.wait_for("sched_samples", lambda rows: sum(row["total_ns"] for row in rows) > told_0 + 300_000_000)
        told, kept = sum(row["total_ns"] for row in job.rows["sched_samples"]) - told_0, waited_ns(job.pid) - kept_0
        named = job.wait_for(
            "sched_samples",
            lambda rows: any((row["prev_state"], row["preemptor_pid"]) == (before, hog.pid) for row in rows),
        )
    # A wait counts when it ends, so one may fall on the other side of each reading; small ones have no row.
    longest = max(row["max_ns"] for row in job.rows["sched_samples"])
    assert abs(told - kept) < 2 * longest + kept // 4, (told, kept, longest)
    assert sched.drops == 0
    assert all(row["preemptor"].startswith("python") for row in named if row["preemptor_pid"] == hog.pid)
    for row in named:
        assert row["max_ns"] <= row["total_ns"]
        assert row["count"] > 0
        assert 0 < (row["preemptor_ns"] or 1) <= row["total_ns"]


def test_others_are_not_told_of(tmp_path: Path, hog: subprocess.Popen[bytes]) -> None:
    with watched(tmp_path, *on_one_cpu(SPIN)) as job:
        job.start(ProcessLife(), Sched())
        job.go()
        job.wait_for("sched_samples", lambda rows: len(rows) >= 3)
        assert {row["pid"] for row in job.rows["sched_samples"]} == {job.pid}


def test_sums_start_anew_at_every_look(tmp_path: Path, hog: subprocess.Popen[bytes]) -> None:
    with watched(tmp_path, *on_one_cpu(SPIN)) as job:
        job.start(ProcessLife(), sched := Sched())
        job.go()
        job.wait_for("sched_samples", lambda rows: len(rows) >= 4)
        assert all(row["duration_ns"] > 0 for row in job.rows["sched_samples"])
        # Both halves are emptied once read.
        list(sched.tick(job.ctx))
        assert len(list(sched._sums.items())) < 32
