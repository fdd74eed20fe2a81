"""`make gpu-check` where there is no GPU: it says so, and its parts work on a CPU where torch is at hand."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inquest.analyze.families import FAMILIES
from tests.conftest import ROOT

HERE = ROOT / "samples" / "gpu"
TORCH = Path(os.environ.get("INQUEST_TORCH_PYTHON", ROOT / "build" / "torch" / "bin" / "python"))

_spec = importlib.util.spec_from_file_location("gpu_check", HERE / "check.py")
assert _spec is not None
assert _spec.loader is not None
check = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = check
_spec.loader.exec_module(check)


def test_without_a_gpu_it_says_so_in_one_sentence_and_runs_nothing(tmp_path: Path) -> None:
    """CUDA is hidden, so that this holds on a machine with a GPU, too."""
    said = subprocess.run(
        [sys.executable, HERE / "check.py", "--keep", tmp_path / "keep"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )
    assert (said.returncode, said.stderr) == (check.NO_GPU, "")
    assert said.stdout.count("\n") == 1
    assert "no GPU is here" in said.stdout
    assert not (tmp_path / "keep").exists()


def test_truths_are_families_and_jobs_are_there() -> None:
    source = (HERE / "job.py").read_text()
    families = {family.id for family in FAMILIES}
    for scenario in check.SCENARIOS:
        assert scenario.family in families
        assert f"def {scenario.name}(" in source or f"{scenario.name} = healthy" in source


def test_jobs_do_on_a_cpu_what_is_said_of_them(tmp_path: Path) -> None:
    """All in one process of torch, whose start is what takes the time."""
    if not TORCH.exists():
        pytest.skip("no Python with torch is here: make torch")
    program = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1])\n"
        "import torch; torch.set_num_threads(1)\n"
        "from job import Job\n"
        "for name in ('healthy', 'starved_input', 'save_storm', 'nan', 'out_of_memory'):\n"
        "    print('==', name)\n"
        "    try: getattr(Job('cpu', 8, pathlib.Path(sys.argv[2])), name)(10)\n"
        "    except RuntimeError as error: print('RuntimeError', str(error)[:300])\n"
    )
    done = subprocess.run([TORCH, "-c", program, HERE, tmp_path], capture_output=True, text=True, check=True)
    parts = dict(part.split("\n", 1) for part in done.stdout.split("== ")[1:])
    assert "training finished after 10 steps" in parts["healthy"]
    assert parts["save_storm"].count("saved checkpoint") == 10
    assert "loss nan" in parts["nan"]
    assert "alloc" in parts["out_of_memory"]
    assert "step 10/10 loss" in parts["starved_input"]
    assert (tmp_path / "step.pt").stat().st_size > 1024


def test_a_recording_is_kept_with_its_truth(tmp_path: Path) -> None:
    """The recorder is the real one; in the place of Python with torch stands a shell that prints."""
    (tmp_path / "fake").write_text('#!/bin/sh\necho "step 1/10 loss 0.5"; exit 3\n')
    (tmp_path / "fake").chmod(0o755)
    scenario = check.SCENARIOS[0]
    agent = [sys.executable, "-m", "inquest"]
    place = tmp_path / "healthy"
    assert check.record(scenario, place, str(tmp_path / "fake"), "cpu", {"gpu": "none"}, agent) == 3
    truth = json.loads((place / "truth.json").read_text())
    assert truth["family"] == "G1"
    assert truth["exit_codes"] == [3]
    assert list(place.glob("gpu-node/*"))
    assert check.verdict(place)["family"] != "G1", "a job that failed is not healthy"
