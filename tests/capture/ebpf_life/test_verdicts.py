"""Real jobs ended by real causes, recorded by the real recorder: the verdict names who did it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from tests.capture.ebpf_life.kit import PATIENCE_S, PYTHON
from tests.capture.recorder_kit import Recording, record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict


@contextlib.contextmanager
def recorded(tmp_path: Path, *command: str, **env: str) -> Iterator[tuple[subprocess.Popen[bytes], Recording]]:
    """A job that has not begun yet, and a recorder whose probes stand."""
    gate = ["sh", "-c", 'read -r _ && exec "$@"', "job", *command]
    job = subprocess.Popen(gate, stdin=subprocess.PIPE, env=os.environ | env, start_new_session=True)
    try:
        recording = record(tmp_path / "out", job.pid)
        recording.wait_for(
            "collection", lambda rows: {"process_life", "processes"} <= {row["collector"] for row in rows}
        )
        yield job, recording
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
        job.wait()


def go(job: subprocess.Popen[bytes]) -> None:
    assert job.stdin is not None
    job.stdin.write(b"\n")
    job.stdin.close()


def verdict_on(tmp_path: Path, job: subprocess.Popen[bytes], recording: Recording) -> tuple[Verdict, Evidence]:
    """What the desk says, once the job has ended and the recorder after it."""
    job.wait(PATIENCE_S)
    recording.wait()
    assert recording.last("process_life")["outcome"] in ("ok", "empty")
    merge([tmp_path / "out" / "node-a"], tmp_path / "job.inquest")
    return analyze(BundleStore(tmp_path / "job.inquest"))


def test_who_killed_it_is_named(tmp_path: Path) -> None:
    code = "import time\nwhile True: time.sleep(0.1)"
    with recorded(tmp_path, *PYTHON, code, RANK="0", WORLD_SIZE="1") as (job, recording):
        go(job)
        recording.wait_for("processes", lambda rows: any(row["role"] == "rank" for row in rows))
        kill = f"import os; open('/proc/self/comm', 'w').write('node-janitor'); os.kill({job.pid}, 9)"
        killer = subprocess.Popen([*PYTHON, kill])
        killer.wait(PATIENCE_S)
        verdict, _ = verdict_on(tmp_path, job, recording)
    assert (verdict.family, verdict.sub_mode) == ("A2", "external_signal")
    assert f"node-janitor (pid {killer.pid}, user id {os.geteuid()})" in verdict.headline
    assert verdict.first_failing is not None
    assert (verdict.first_failing.rank, verdict.first_failing.pid) == (0, job.pid)


@pytest.mark.root
def test_a_kill_at_the_cgroups_limit_is_named(tmp_path: Path, memory_cgroup: Path) -> None:
    eat = f"open({str(memory_cgroup)!r}, 'w').write('0'); held = []\nwhile True: held.append(bytearray(1 << 20))"
    with recorded(tmp_path, *PYTHON, eat, RANK="0", WORLD_SIZE="1") as (job, recording):
        go(job)
        verdict, evidence = verdict_on(tmp_path, job, recording)
    assert (verdict.family, verdict.sub_mode) == ("A2", "cgroup_oom")
    told = [row for row in evidence.facts("fact_events").iter_rows(named=True) if row["framework"] == "kernel"]
    (ours,) = [row for row in told if row["pattern"] == "processes.oom_kill"]
    assert (ours["kind"], ours["num"]) == ("cgroup_oom", float(job.pid))
    assert "at the limit of its memory cgroup; it held anonymous" in ours["text"]


LAUNCHER = """
import os, subprocess, sys
ranks = [
    subprocess.Popen([sys.executable, "-I", "-S", "-c", f"raise SystemExit({3 if rank == 1 else 0})"],
                     env=os.environ | {"RANK": str(rank), "WORLD_SIZE": "2"}, stderr=subprocess.DEVNULL)
    for rank in range(2)
]
raise SystemExit(any(rank.wait() for rank in ranks))
"""


def test_a_rank_that_ends_at_once_is_named(tmp_path: Path) -> None:
    with recorded(tmp_path, "sh", "-c", '"$@"; exit 1', "sh", *PYTHON, LAUNCHER) as (job, recording):
        go(job)
        verdict, _ = verdict_on(tmp_path, job, recording)
        ends = [row for row in recording.rows("processes") if row["exit_code"] == 3]
    assert len(ends) == 1  # no look a second apart sees it: it lives for milliseconds
    if ends[0]["rank"] is None:  # the machine was too busy to read its environment in time
        assert verdict.family is None or verdict.family == "A1"
        return
    assert (ends[0]["rank"], ends[0]["role"]) == (1, "rank")
    assert verdict.family == "A1"
    assert verdict.first_failing is not None
    assert verdict.first_failing.rank == 1
    assert "exit code 3" in verdict.headline
