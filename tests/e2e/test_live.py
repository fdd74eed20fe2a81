"""A job recorded now: `inquest run` on two node names, merge, analyze. No torch; the job is a real process tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from .test_recorded import inquest

if TYPE_CHECKING:
    from pathlib import Path

JOB = textwrap.dedent(
    """
    import os, signal, sys, time
    rank, end = int(os.environ["RANK"]), sys.argv[1]
    print(f"rank {rank}: process group ready", flush=True)
    for step in range(1, 41):
        if rank == 0:
            print(f"step {step}/40 | loss {3.0 / step ** 0.5:.4f} | lr 1.0e-03", flush=True)
        if rank == 1 and step == 15 and end == "raise":
            shard = {"path": "shard-00001"}
            shard["offset"]
        if rank == 1 and step == 15 and end == "segv":
            os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(0.05 if end != "slow" else 60)
    if rank == 0:
        print("training complete: 40 steps", flush=True)
    """
)


def record(tmp_path: Path, end: str, prefix: tuple[str, ...] = ()) -> tuple[list[int], dict[str, Any]]:
    """Exit codes of both nodes, and the verdict."""
    (tmp_path / "job.py").write_text(JOB)
    nodes = [
        subprocess.Popen(
            [
                *prefix,
                *(sys.executable, "-m", "inquest", "run", "--out", str(tmp_path / "rec"), "--node", f"node{rank}"),
                *("--job-id", "77", "--", sys.executable, "job.py", end),
            ],
            cwd=tmp_path,
            env={**os.environ, "RANK": str(rank), "LOCAL_RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for rank in range(2)
    ]
    codes = [node.wait(120) for node in nodes]
    inquest("merge", tmp_path / "rec", "-o", tmp_path / "job.inquest", cwd=tmp_path)
    inquest("verify", tmp_path / "job.inquest", cwd=tmp_path)
    inquest("analyze", tmp_path / "job.inquest", "-o", tmp_path / "out", cwd=tmp_path, codes=(0, 3, 4, 6))
    verdict: dict[str, Any] = json.loads((tmp_path / "out" / "verdict.json").read_text())
    assert verdict["bundle"]["nodes"] == ["node0", "node1"]
    assert verdict["bundle"]["ranks"] == [0, 1]
    assert verdict["bundle"]["job_id"] == "77"
    return codes, verdict


@pytest.mark.parametrize("end", ["well"])
def test_a_good_end(tmp_path: Path, end: str) -> None:
    codes, verdict = record(tmp_path, end)
    assert codes == [0, 0]
    assert verdict["family"] == "G1"
    assert verdict["confidence"] <= 0.7  # stores are missing: no GPU was seen


def test_a_crash_in_mid_run(tmp_path: Path) -> None:
    codes, verdict = record(tmp_path, "raise")
    assert codes == [0, 1]
    assert (verdict["family"], verdict["sub_mode"], verdict["culprit_ranks"]) == ("A1", "mid_run", [1])
    assert verdict["first_failing"]["node"] == "node1"
    assert "KeyError" in verdict["headline"]


def test_a_native_crash(tmp_path: Path) -> None:
    codes, verdict = record(tmp_path, "segv")
    assert codes == [0, -11]
    assert (verdict["family"], verdict["culprit_ranks"]) == ("A2", [1])
    assert verdict["first_failing"]["node"] == "node1"


def test_a_time_limit(tmp_path: Path) -> None:
    codes, verdict = record(tmp_path, "slow", ("timeout", "--foreground", "4"))
    assert codes == [124, 124]
    assert verdict["family"] in ("F3", None), verdict["headline"]
    assert "timeout" in json.dumps(verdict["shows"])
