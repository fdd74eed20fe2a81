"""The self-extracting stub of the agent: it unpacks once, becomes what it holds, and never costs a job its run."""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_spec = importlib.util.spec_from_file_location("agent_build", ROOT / "packaging" / "agent" / "build.py")
assert _spec is not None
assert _spec.loader is not None
agent_build = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(agent_build)

INSIDE = b'#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "inside:$*"\nexit 7\n'


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        info = tarfile.TarInfo("inquest-agent")
        info.size, info.mode = len(INSIDE), 0o755
        tar.addfile(info, io.BytesIO(INSIDE))
    path = tmp_path / "inquest agent"
    path.write_bytes(agent_build.stub(raw.getvalue()) + raw.getvalue())
    path.chmod(0o755)
    return path


def call(agent: Path, *argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([agent, *argv], env=env, capture_output=True, text=True, check=False)


def test_unpacks_once_and_becomes_the_agent(agent: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for _ in range(2):
        done = call(agent, "run", "--", "x y", INQUEST_HOME=str(cache))
        assert (done.returncode, done.stdout, done.stderr) == (7, "inside:run -- x y\n", "")
    assert len(list(cache.iterdir())) == 1
    assert cache.stat().st_mode & 0o777 == 0o700


def test_the_job_runs_where_the_agent_cannot(agent: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, where a directory is wanted")
    env = {"INQUEST_HOME": str(blocked)}
    done = call(agent, "run", "--node", "n1", "--no-fsync", "--", "sh", "-c", 'echo "$1"; exit 5', "sh", "a  b", **env)
    assert (done.returncode, done.stdout) == (5, "a  b\n")
    assert "the job runs without" in done.stderr
    done = call(agent, "run", "sh", "-c", "kill -9 $$", **env)
    assert done.returncode == -9
    assert call(agent, "merge", "x", **env).returncode == 1


def test_does_not_trust_a_cache_of_somebody_else(agent: Path, tmp_path: Path) -> None:
    real = tmp_path / "theirs"
    real.mkdir()
    link = tmp_path / "cache"
    link.symlink_to(real)
    done = call(agent, "run", "--", "sh", "-c", "exit 4", INQUEST_HOME=str(link))
    assert done.returncode == 4
    assert "not recording" in done.stderr
    assert list(real.iterdir()) == []
    if os.geteuid() == 0:
        os.chown(real, 65534, 65534)
        assert call(agent, "run", "--", "sh", "-c", "exit 4", INQUEST_HOME=str(real)).returncode == 4
        assert list(real.iterdir()) == []
