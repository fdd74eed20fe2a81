"""In a container and around one: a root that is read-only, no place to unpack to, process ids of its own.

The container is bubblewrap's (`apt install bubblewrap`), of this machine's own files. Which runtimes were tried by hand
stands in docs/deploy.md.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inquest.bundle import nodedir
from tests.capture.agent_kit import REAL_PYTHON, make_agent
from tests.capture.conftest import wait_for

ROOT = Path(__file__).resolve().parents[2]  # which may lie under what the container hides


def container(shared: Path) -> list[str]:
    """A command that runs another in a container whose only place to write to is ``shared``."""
    argv = ["bwrap", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid"]
    argv += ["--tmpfs", "/tmp", "--ro-bind", str(ROOT), str(ROOT), "--bind", str(shared), str(shared)]
    argv += ["--remount-ro", "/tmp"]
    if not shutil.which("bwrap"):
        pytest.skip("needs bubblewrap: apt install bubblewrap")
    tried = subprocess.run([*argv, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"no container can be made here: {tried.stderr.strip()}")
    return argv


def rows(out: Path, table: str) -> list[dict[str, Any]]:
    try:
        return [row for name, batch in nodedir.recover(out / "n1") if name == table for row in batch.to_pylist()]
    except Exception:  # a live recording changes under its reader
        return []


def test_the_single_file_in_a_read_only_container(tmp_path: Path) -> None:
    """Without a place it says what to do and runs the job bare; with one it records."""
    shared = tmp_path / "shared"
    shared.mkdir()
    inside, agent = container(shared), make_agent(shared, REAL_PYTHON)
    command = [*inside, agent, "run", "--only", "identity", "--out", shared / "rec", "--node", "n1", "--"]
    bare = {**os.environ, "HOME": "/root"}
    bare.pop("INQUEST_HOME", None)
    for env, recorded in ((bare, False), (bare | {"INQUEST_HOME": str(shared / "home")}, True)):
        job = ["sh", "-c", "echo $$; exit 7"]
        done = subprocess.run([*command, *job], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 7
        assert int(done.stdout) < 100, "process ids of its own"
        assert ("set INQUEST_HOME" in done.stderr) is not recorded, done.stderr
        assert bool(rows(shared / "rec", "processes")) is recorded


def test_a_job_in_a_container_is_recorded_from_outside(tmp_path: Path) -> None:
    """By the ids of the host, to its end."""
    shared = tmp_path / "shared"
    shared.mkdir()
    read, write = os.pipe()
    job = f"while [ ! -e {shared}/go ]; do sleep 0.1; done; exit 9"
    with subprocess.Popen(
        [*container(shared), "--as-pid-1", "--info-fd", str(write), "sh", "-c", job], pass_fds=[write]
    ) as process:
        os.close(write)
        with os.fdopen(read) as told:  # to its end: who writes into a closed pipe is killed
            pid = json.load(told)["child-pid"]
        where = ["--pid", str(pid), "--out", str(tmp_path / "rec"), "--node", "n1", "--profile", "minimal"]
        with subprocess.Popen([sys.executable, "-m", "inquest", "attach", *where], stderr=subprocess.DEVNULL) as attach:
            try:
                wait_for(lambda: list(tmp_path.glob("rec/n1/*/host_samples.*")), "the recorder to sample")
                (shared / "go").touch()
                assert process.wait(60) == 9
                assert attach.wait(60) == 0
            finally:
                process.kill()
                attach.kill()
    ended = {row["pid"]: row["exit_code"] for row in rows(tmp_path / "rec", "processes") if row["event"] == "exit"}
    assert ended[pid] == 9
