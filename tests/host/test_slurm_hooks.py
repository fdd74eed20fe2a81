"""The Prolog, Epilog and TaskProlog of packaging/slurm on a real Slurm, and the unit of packaging/systemd."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.host.slurm import Slurm, cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SNIPPETS = ROOT / "packaging" / "slurm"
UNIT = ROOT / "packaging" / "systemd" / "inquest-attach@.service"
SHOW = 'env | grep -E "^(TORCH_|PYTHONFAULT)" | sort; echo "mode $(stat -c %a "$(dirname "$TORCH_FR_DUMP_TEMP_FILE")")"'


@pytest.fixture
def slurm(request: pytest.FixtureRequest) -> Slurm:
    return cluster(request)


@pytest.fixture
def hooks(slurm: Slurm) -> Iterator[Path]:
    """The folder of hooks; what a test puts there is taken out again."""
    folder = slurm.state / "hooks"
    yield folder
    for hook in folder.glob("*.d/50-inquest"):
        hook.unlink()


def install(hooks: Path, hook: str, **settings: str) -> None:
    """Put a snippet where Slurm runs it, with settings an operator would put at its top."""
    text = (SNIPPETS / f"{hook}.sh").read_text()
    first, rest = text.split("\n", 1)
    target = hooks / f"{hook}.d" / "50-inquest"
    target.write_text("\n".join((first, *(f"{name}='{value}'" for name, value in settings.items()), rest)))
    target.chmod(0o755)


def test_tasks_get_a_flight_recorder_and_keep_what_users_set(slurm: Slurm, hooks: Path) -> None:
    install(hooks, "task_prolog")
    shown = slurm.run("srun", "-n1", "-t1", "--export=ALL,TORCH_NCCL_DUMP_ON_TIMEOUT=0", "sh", "-c", SHOW)
    lines = shown.splitlines()
    assert "TORCH_NCCL_DUMP_ON_TIMEOUT=0" in lines
    assert "TORCH_NCCL_TRACE_BUFFER_SIZE=2000" in lines
    assert "PYTHONFAULTHANDLER=1" in lines
    assert lines[-1] == "mode 700"


def test_a_task_prolog_that_cannot_make_its_folder_lets_the_task_run(slurm: Slurm, hooks: Path) -> None:
    install(hooks, "task_prolog")
    shown = slurm.run("srun", "-n1", "-t1", "--export=ALL,TMPDIR=/proc", "sh", "-c", "echo ran; env")
    assert shown.startswith("ran\n")
    assert "TORCH_FR_DUMP_TEMP_FILE" not in shown


def test_prolog_and_epilog_without_an_agent_do_nothing(slurm: Slurm, hooks: Path, tmp_path: Path) -> None:
    for hook in ("prolog", "epilog"):
        install(hooks, hook, INQUEST="/nowhere/inquest", INQUEST_OUT=str(tmp_path / "out"), INQUEST_RUN=str(tmp_path))
    assert slurm.run("srun", "-n1", "-t1", "echo", "ran") == "ran\n"
    assert list(tmp_path.iterdir()) == []
    states = slurm.run("sinfo", "-h", "-o", "%T").split()
    assert not any("drain" in state for state in states), states


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text())
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_snippets_are_plain_sh() -> None:
    for path in SNIPPETS.glob("*.sh"):
        for shell in ("sh", "bash"):
            subprocess.run([shell, "-n", path], check=True)
        assert path.stat().st_mode & 0o111, f"{path.name} is not executable"
