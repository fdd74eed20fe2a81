"""Scripts that Slurm runs around a job, which are no part of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from inquest.capture import site_scripts
from inquest.capture.collectors.processes import Processes
from tests.capture.conftest import wait_for
from tests.capture.test_collectors import context, rows

TASK = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_PROCID": "3"}


@pytest.mark.parametrize(
    ("script", "is_one"),
    [
        ("prolog_slurmctld", True),
        ("prolog_slurmd", True),
        ("epilog_task", True),
        ("epilog_slurmd", True),
        ("epilog_slurmctld", True),  # runs where the controller does, which may be a node of the job
        ("prolog_task", False),  # every task inherits it
    ],
)
def test_scripts_of_the_site_are_no_tasks(script: str, is_one: bool) -> None:
    assert site_scripts.is_one(os.getpid(), {"SLURM_SCRIPT_CONTEXT": script}) is is_one


def test_a_task_epilog_is_not_recorded_and_an_orphan_of_the_task_is(tmp_path: Path) -> None:
    """slurmstepd starts the one with all the task's names, as it adopts the other."""
    daemon = tmp_path / "slurmstepd"
    shutil.copy(shutil.which("dash") or "/bin/sh", daemon)
    starts = (
        "sleep 600 & orphan=$!; SLURM_SCRIPT_CONTEXT=epilog_task sleep 601 & echo $orphan $!; read end; kill $orphan $!"
    )
    with (
        subprocess.Popen(["sleep", "600"], start_new_session=True) as task,
        subprocess.Popen(
            [daemon, "-c", starts],
            env=os.environ | TASK,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as parent,
    ):
        try:
            assert parent.stdout is not None
            orphan, epilog = map(int, parent.stdout.readline().split())
            # The shell tells a child's number before the child has an environment of its own.
            names = [Path(f"/proc/{pid}/comm") for pid in (orphan, epilog)]
            wait_for(
                lambda: all(name.read_text() == "sleep\n" for name in names), "both children to be what they become"
            )
            begun = rows(Processes().start(context(tmp_path, task.pid, TASK)))
        finally:
            parent.communicate("\n")
            task.kill()
    assert sorted(row["pid"] for row in begun if row["event"] == "start") == sorted([task.pid, orphan])
