"""A private real Slurm of two nodes that the tests of one session share."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from tests.conftest import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
START = SHARED / "slurm" / "start-slurm"
PATIENCE_S = 120.0
"""How long a test waits for what must come; only a failing one waits that long."""


class Slurm:
    """The cluster: its nodes, and the commands of it."""

    def __init__(self, state: Path) -> None:
        self.state = state
        prefix = f"j{os.getpid() % 1000}n"
        # Numbers of jobs that no other cluster on this machine has: a recorder knows its job by its number.
        first = str(10_000 + os.getpid() % 100_000 * 100)
        env = {**os.environ, "SLURM_NODE_PREFIX": prefix, "SLURM_NO_APT": "1", "SLURM_FIRST_JOBID": first}
        up = subprocess.run([START, "start", state, "2"], env=env, text=True, capture_output=True, timeout=240)
        if up.returncode:
            raise RuntimeError(up.stderr.strip()[-300:])
        pairs = (line.removeprefix("export ").split("=", 1) for line in up.stdout.splitlines() if "=" in line)
        self.env = {name: value.strip("'\"") for name, value in pairs}
        self.nodes = (f"{prefix}01", f"{prefix}02")

    def run(self, *command: str | Path, check: bool = True) -> str:
        """What a command of Slurm printed."""
        env = {**os.environ, **self.env}
        return subprocess.run(command, env=env, check=check, text=True, capture_output=True, cwd=self.state).stdout

    def submit(self, *options: str | Path) -> str:
        """The number of a new batch job."""
        return self.run("sbatch", "--parsable", *options).strip()

    def accounted(self, job: str) -> str:
        """State of a job that has ended, once accounting knows all of it."""

        def settled() -> str | None:
            out = self.run("sacct", "-D", "-X", "-n", "-P", "-j", job, "-o", "JobName,State,ExitCode").strip()
            rows = [line.split("|") for line in out.splitlines()]
            # Until accounting has caught up, a job is called "allocation".
            bad = not rows or any(
                row[0] == "allocation" or re.match("PENDING|RUNNING|COMPLETING", row[1]) for row in rows
            )
            return None if bad else rows[-1][1] + " " + rows[-1][2]

        return wait_for(settled, f"the accounting of job {job}")

    def stop(self) -> None:
        subprocess.run([START, "stop", self.state], check=False, capture_output=True, timeout=120)
        shutil.rmtree(self.state, ignore_errors=True)


def wait_for(condition: Callable[[], T | None], what: str, seconds: float = PATIENCE_S) -> T:
    """The first true value of ``condition``."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.2)
    return value


@cache
def _cluster() -> Slurm | str:
    """The cluster of this session, or why there is none."""
    if not START.exists():
        return f"the real Slurm's starter is not here: {START}"
    if os.geteuid() != 0 or not shutil.which("sbatch"):
        return "a real Slurm needs root and the packages of Slurm"
    state = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
    state.chmod(0o755)
    try:
        return Slurm(state)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        subprocess.run([START, "stop", state], check=False, capture_output=True, timeout=120)
        shutil.rmtree(state, ignore_errors=True)
        return f"no Slurm comes up here: {error}"


def cluster(request: pytest.FixtureRequest) -> Slurm:
    """The cluster, started by the first test that asks; skips where there is none."""
    found = _cluster()
    if isinstance(found, str):
        pytest.skip(found)
    if not getattr(request.session, "slurm_ends", False):
        request.session.slurm_ends = True  # type: ignore[attr-defined]
        request.session.addfinalizer(found.stop)
    return found
