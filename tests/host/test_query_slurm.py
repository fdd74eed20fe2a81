"""query over a real srun, on nodes that are idle and on nodes that a job has taken whole."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.cli import dispatch
from tests.bundle.imports.test_slurm_live import Slurm, slurm
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["slurm"]  # a fixture

INQUEST = shlex.join(["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "inquest"])


@pytest.fixture
def recorded(slurm: Slurm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A shared directory in which two nodes recorded a job."""
    for name, value in slurm.env.items():
        monkeypatch.setenv(name, value)
    folder = Path(tempfile.mkdtemp(prefix="inquest-", dir="/tmp"))
    out = shlex.quote(str(folder))
    slurm.run("srun", "-N2", "-n2", "--mem=60M", "sh", "-c", f"{INQUEST} run --no-recorder --out {out} -- hostname")
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.mark.root
@pytest.mark.slow
def test_nodes_answer_over_srun(slurm: Slurm, recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hosts = f"{slurm.prefix}[01-02]"
    call = ["query", "--hosts", hosts, "--via", "srun --mem=900M", "--remote-inquest", INQUEST, "--json"]
    question = [str(recorded), "SELECT node AS own, text FROM log_lines"]
    own = [(f"{slurm.prefix}{n}", f"{slurm.prefix}{n}", f"{slurm.prefix}{n}") for n in ("01", "02")]

    def rows() -> list[tuple[str, str, str]]:
        return [(row["node"], row["own"], row["text"]) for row in json.loads(capsys.readouterr().out)]

    assert dispatch([*call, "--timeout", "60", *question]) == 0
    assert rows() == own
    job = slurm.run(
        "sbatch", "--parsable", "-N2", "--exclusive", "--mem=0", "-o", "/dev/null", "--wrap", "srun sleep 600"
    ).strip()
    try:
        slurm.until(job, "RUNNING")
        assert dispatch([*call, "--timeout", "4", *question]) == 5
        assert "join the job that runs there with --job ID" in capsys.readouterr().err
        assert dispatch([*call, "--timeout", "60", "--job", job, *question]) == 0
        assert rows() == own
    finally:
        subprocess.run(["scancel", job], check=False)
