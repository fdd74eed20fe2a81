"""Attached by somebody who is not root: to a job of one's own, and to another user's."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.bundle import nodedir
from inquest.capture import proc
from inquest.capture.attach import TasksOfJob
from tests.host.slurm import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.root

OWNER, OTHER = 65534, 65533
NUMBER = str(900_000_000 + os.getpid())
"""Of a job; no other process of this machine bears it."""
TRAIN = """
import os, time
step = 0
while not os.path.exists("enough"):
    step += 1
    print(f"step {step} loss {5 / step:.4f}", flush=True)
    time.sleep(0.1)
"""


def as_user(uid: int) -> list[str]:
    """Words that start a program as a user without any right over others; it may read what lies in root's home."""
    caps = "-all,+dac_read_search"  # the Python of a checkout may be root's own
    ids = (f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
    return ["setpriv", *ids, f"--inh-caps={caps}", "--ambient-caps=+dac_read_search", f"--bounding-set={caps}"]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder everybody may write, with a job of the owner in it that runs."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("becoming another user needs root and setpriv (util-linux)")
    tmp_path.chmod(0o777)
    env = {"PATH": os.environ["PATH"], "SLURM_JOB_ID": NUMBER}
    with (tmp_path / "out").open("wb") as out:
        argv = [*as_user(OWNER), sys.executable, "-c", TRAIN]
        job = subprocess.Popen(argv, env=env, stdout=out, stderr=out, cwd=tmp_path)
    try:
        wait_for(lambda: job.poll() is not None or b"step 2 " in (tmp_path / "out").read_bytes(), "the job")
        if job.poll() is not None:
            pytest.skip(f"no job can run as another user here: {(tmp_path / 'out').read_text()[-200:]}")
        yield tmp_path
    finally:
        (tmp_path / "enough").touch()
        job.wait(60)


def attach(uid: int, place: Path, *target: str) -> subprocess.Popen[bytes]:
    where = ("--out", str(place / "rec"), "--node", "n1")
    argv = [*as_user(uid), sys.executable, "-m", "inquest", "attach", *target, *where]
    return subprocess.Popen(argv, env={"PATH": os.environ["PATH"]}, stderr=subprocess.PIPE)


def test_the_owner_sees_processes_and_output_and_is_told_what_is_denied(place: Path) -> None:
    with attach(OWNER, place, "--job", NUMBER) as recording:
        wait_for(lambda: list((place / "rec").glob("*/*/log_lines.*")), "lines")
        wait_for(lambda: list((place / "rec").glob("*/*/processes.*")), "processes")
        (place / "enough").touch()
        assert recording.wait(120) == 0
    rows: dict[str, list[dict[str, object]]] = {}
    for table, batch in nodedir.recover(place / "rec" / "n1"):
        rows.setdefault(table, []).extend(batch.to_pylist())
    assert "step 1 loss 5.0000" in {row["text"] for row in rows["log_lines"]}
    assert {row["role"] for row in rows["processes"]} == {"task"}
    outcomes = {f"{row['collector']}": (row["outcome"], f"{row['detail']}") for row in rows["collection"]}
    for collector in ("process_life", "writes"):
        outcome, detail = outcomes[collector]
        assert outcome in ("denied", "missing")  # a kernel without these probes cannot deny them
        assert "CAP_BPF" in detail or outcome == "missing", detail


@pytest.mark.parametrize("by", ["--job", "--pid"])
def test_another_users_job_is_refused_in_a_sentence(place: Path, by: str) -> None:
    owners = [pid for pid in proc.pids() if _runs(pid)]
    with attach(OTHER, place, by, NUMBER if by == "--job" else str(owners[0])) as refused:
        assert refused.wait(60) == 5
        assert refused.stderr is not None
        said = refused.stderr.read().decode()
    assert "as its user or as root" in said or "belongs to another user: attach as that user, or as root" in said
    assert said.count("\n") == 1
    assert not (place / "rec").exists()


def test_a_process_that_has_just_gone_is_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    env = {"PATH": os.environ["PATH"], "SLURM_JOB_ID": NUMBER}
    subprocess.run(["setsid", "--fork", "sleep", "60"], env=env, check=True)  # what we start ourselves is no task
    tasks = TasksOfJob(NUMBER, "")
    (task,) = wait_for(tasks.now, "the task")
    listed = proc.pids()
    os.kill(task.pid, signal.SIGKILL)
    wait_for(lambda: proc.stat(task.pid) is None or proc.stat(task.pid).state in "ZX", "its end")
    monkeypatch.setattr(proc, "pids", lambda: listed)  # it was there when the list was made
    assert tasks.now() == [task]


def test_processes_of_another_node_do_not_become_ours_when_our_own_have_gone() -> None:
    number = f"{NUMBER}7"
    for node in ("n1", "n2"):
        env = {"PATH": os.environ["PATH"], "SLURM_JOB_ID": number, "SLURMD_NODENAME": node}
        subprocess.run(["setsid", "--fork", "sleep", "60"], env=env, check=True)
    tasks, others = TasksOfJob(number, "n2"), TasksOfJob(number, "n1")
    (ours,) = wait_for(lambda: tasks.now() if others.now() else None, "the task")
    (theirs,) = others.now()
    assert theirs != ours
    os.kill(ours.pid, signal.SIGKILL)
    wait_for(lambda: ours not in tasks.now() or None, "its end")
    try:
        assert tasks.now() == []
    finally:
        os.kill(theirs.pid, signal.SIGKILL)


def _runs(pid: int) -> bool:
    try:
        return f"SLURM_JOB_ID={NUMBER}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
