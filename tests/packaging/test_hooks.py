"""Slurm's Prolog and Epilog with the built agent: it unpacks itself where a job of a real Slurm already runs."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.store import BundleStore
from tests.capture.agent_kit import build
from tests.host.slurm import cluster, wait_for
from tests.host.test_slurm_hooks import ONLY, RANK, install

if TYPE_CHECKING:
    from pathlib import Path

AGENT = build.DIST / "inquest-agent"


@pytest.mark.slow
def test_a_job_is_recorded_by_a_prolog_whose_agent_was_never_unpacked(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Both nodes share the place where it unpacks, and a Prolog has neither HOME nor PATH."""
    if not AGENT.exists():
        pytest.skip("dist/inquest-agent is not built here: make agent")
    slurm = cluster(request)
    out, run, home, place = (tmp_path / name for name in ("out", "run", "home", "job"))
    place.mkdir()
    (place / "rank.py").write_text(RANK)
    command = f"srun {sys.executable} {place}/rank.py {place} fails"
    (place / "job.sh").write_text(f"#!/bin/bash\n#SBATCH -N2 --ntasks-per-node=2 --mem=400M\n{command}\n")
    settings = {"INQUEST": AGENT, "INQUEST_OUT": out, "INQUEST_RUN": run, "INQUEST_HOME": home}
    hooks = slurm.state / "hooks"
    try:
        for hook in ("prolog", "epilog", "task_prolog"):
            named = {name: str(value) for name, value in settings.items()}
            install(hooks, hook, **named, **{"export INQUEST_ONLY": ONLY})
        number = slurm.submit("-J", "packaged", "-o", place / "log", place / "job.sh")
        recorded = out / number
        # Four ranks, and the job's script.
        wait_for(lambda: len({path.parent for path in recorded.glob("*/*/processes.*")}) == 5, "all recorders")
        (place / "enough").touch()
        assert slurm.accounted(number) == "FAILED 1:0", "as without hooks"
        ours = ["pgrep", "-f", f"--out {out}/"]
        wait_for(lambda: not subprocess.run(ours, capture_output=True).stdout, "recorders to leave")
    finally:
        for installed in hooks.glob("*.d/50-inquest"):
            installed.unlink()
    assert {path.name for path in recorded.iterdir() if path.is_dir()} >= set(slurm.nodes)
    (cache,) = home.iterdir()
    assert cache.name.startswith("agent-")
    bundle = tmp_path / "job.inquest"
    subprocess.run(
        [AGENT, "merge", recorded, "-o", bundle], env={"INQUEST_HOME": str(home), "PATH": os.defpath}, check=True
    )
    verdict, _ = analyze(BundleStore(bundle))
    assert (verdict.outcome, verdict.family) == ("decided", "A1")
    assert verdict.first_failing is not None
    assert verdict.first_failing.rank == 3
    assert "drain" not in slurm.run("sinfo", "-h", "-o", "%T")
