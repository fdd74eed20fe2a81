"""Attached to a job on a real Slurm: two nodes with two tasks each, while it runs and to its end."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from tests.host.slurm import Slurm, cluster, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.root, pytest.mark.slow]

RANK = """
import os, sys, time
rank, step = int(os.environ["SLURM_PROCID"]), 0
while not os.path.exists(sys.argv[1] + "/enough"):
    step += 1
    print(f"step {step} loss {5 / step:.4f}", flush=True)
    time.sleep(0.1)
if rank == 3:
    raise RuntimeError("rank 3 fails")
time.sleep(1)
"""


EPILOG = """#!/bin/sh
exec > {log}.$$
echo "said by the site"
sleep 1
"""


@pytest.fixture
def slurm(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Slurm]:
    """A cluster whose site runs a script of its own, which prints, after each task."""
    slurm = cluster(request)
    hook = slurm.state / "hooks" / "task_epilog.d" / "50-says"
    hook.write_text(EPILOG.format(log=tmp_path / "said"))
    hook.chmod(0o755)
    yield slurm
    hook.unlink()


def test_a_running_job_of_slurm(slurm: Slurm, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "rank.py").write_text(RANK)
    script, out, rec = tmp_path / "job.sh", tmp_path / "out", tmp_path / "rec"
    script.write_text(f"#!/bin/bash\nexec srun {sys.executable} {tmp_path}/rank.py {tmp_path}\n")
    job = slurm.submit("-N2", "--ntasks-per-node=2", "--mem=1200M", "-J", "att", "-o", str(out), script)
    wait_for(lambda: out.exists() and b"step 3 " in out.read_bytes(), "steps")

    def attach(node: str, where: Path) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "inquest", "attach", "--job", job, "--node", node, "--out", str(where)]
        return subprocess.Popen(argv, env={**os.environ, **slurm.env}, stderr=subprocess.DEVNULL)

    both = subprocess.run(
        [sys.executable, "-m", "inquest", "attach", "--job", job], capture_output=True, env={**os.environ, **slurm.env}
    )
    assert both.returncode == 2, "here two nodes are one machine"
    assert b"say which with --node" in both.stderr
    brief = attach(slurm.nodes[0], tmp_path / "brief")
    wait_for(lambda: list((tmp_path / "brief").glob("*/*/log_lines.*")), "lines of the one that leaves")
    brief.terminate()
    assert brief.wait(60) == 0
    recordings = [attach(node, rec) for node in slurm.nodes]
    wait_for(lambda: len(list(rec.glob("*/*/log_lines.*"))) >= 5, "lines of the job script and of four ranks")
    assert slurm.run("squeue", "-h", "-j", job, "-o", "%T").strip() == "RUNNING", "nothing has happened to it"
    (tmp_path / "enough").touch()
    assert [recording.wait(120) for recording in recordings] == [0, 0]
    assert slurm.accounted(job).startswith("FAILED")

    merge([rec], tmp_path / "job.inquest")
    store = BundleStore(tmp_path / "job.inquest")
    processes = store.scan("processes").collect().to_dicts()
    ends = {row["rank"]: row["exit_code"] for row in processes if row["event"] == "exit" and row["command"] == "python"}
    assert {rank: ends.get(rank) for rank in range(4)} == {0: 0, 1: 0, 2: 0, 3: 1}
    lines = store.scan("log_lines").collect().to_dicts()
    assert {row["rank"] for row in lines if row["rank_by"] == "ebpf"} == {0, 1, 2, 3}
    assert len(list(tmp_path.glob("said.*"))) >= 4
    followed = [row for row in lines if row["stream"] == "file"]
    assert [row["text"] for row in followed] == [line for line in out.read_text().splitlines() if line]
    verdict, _ = analyze(store)
    assert verdict.family == "A1"
    assert verdict.first_failing is not None
    assert (verdict.first_failing.rank, verdict.first_failing.node) == (3, slurm.nodes[1])
