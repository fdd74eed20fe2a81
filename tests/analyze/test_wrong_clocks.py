"""A node whose clock, or its zone, was wrong: what its kernel said, each beside what it said of others."""

from __future__ import annotations

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.logs.kinds import Kind
from tests.analyze.builders import Run, at

HOUR = 3600.0


def _crashed(late_s: float, pid: int, host: str = "node01", message: str = "unspecified launch failure") -> Run:
    """A rank that CUDA failed at 600 s, its process 4242 by the launcher, and an XID 79 of a kernel so much later."""
    run = Run().steps([4.0 - n / 20 for n in range(40)], every=14, node="unknown")
    run.row("slurm_jobs", job_id="7", state="FAILED", start_ns=at(0), end_ns=at(605), node_list="node[01-02]")
    run.row("kernel_log", ts_ns=at(500), text="nfs: server nas01 OK")
    text = f"NVRM: Xid (PCI:0000:4f:00): 79, pid={pid}, name=python, GPU has fallen off the bus."
    given = {"num": 79.0, "subject": "PCI:0000:4f:00", "framework": "kernel", "source": "kernel_log"}
    run.event(Kind.XID, text, t=600 + late_s, **given)
    run.raised("RuntimeError", f"CUDA error: {message}", rank=2, t=602, node="unknown")
    torchrun = {"said_by": "torchrun", "role": "rank", "rank": 2, "pid": 4242, "host": host, "node": "unknown"}
    return run.ended(1, t=603, **torchrun).ended(1, t=605)


@pytest.mark.parametrize("late_s", [-8 * HOUR, -1300, -2, 1300, HOUR, 9 * HOUR])
def test_a_fault_of_the_process_that_the_launcher_names_is_the_jobs(late_s: float) -> None:
    verdict = judge(_crashed(late_s, 4242).evidence())
    assert (verdict.family, verdict.culprit_nodes) == ("B2", ("node01",))


@pytest.mark.parametrize(
    ("late_s", "pid", "host"),
    [
        (HOUR, 777, "node01"),  # another process
        (HOUR, 4242, "node02"),  # the same number on another node
        (-30 * HOUR, 4242, "node01"),  # yesterday's
    ],
)
def test_a_fault_of_another_hour_is_nobodys(late_s: float, pid: int, host: str) -> None:
    assert judge(_crashed(late_s, pid, host).evidence()).family == "A1"


@pytest.mark.parametrize(
    ("late_s", "message", "sure"),
    [
        (HOUR, "unspecified launch failure", False),  # its clock, or another job's: nobody can tell
        (-30 * HOUR, "unspecified launch failure", True),
        (HOUR, "an illegal memory access was encountered", True),
    ],
)
def test_a_fault_that_may_be_of_this_hour_makes_a_crash_less_sure(late_s: float, message: str, sure: bool) -> None:
    verdict = judge(_crashed(late_s, 777, message=message).evidence())
    assert verdict.family == "A1"
    assert (verdict.confidence > 0.7) is sure
    assert any("Whether the GPU itself failed" in lack.text for lack in verdict.cannot_decide) is not sure
