"""Every shipped recording of a real job, all the way: node directories, bundle, verdict, views, against its truth."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from ..conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

RECORDED = ROOT / "samples" / "recorded"
SAMPLES = sorted(path.parent.name for path in RECORDED.glob("*/truth.json"))


def inquest(*args: str | Path, cwd: Path, codes: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "inquest", *map(str, args)], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode in codes, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module", params=SAMPLES)
def sample(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, dict[str, Any]]:
    """Directory with JOB.inquest and the views, the sample, and its truth."""
    where = tmp_path_factory.mktemp(request.param)
    source = RECORDED / request.param
    inquest("merge", source / "node-a", source / "node-b", "-o", where / "job.inquest", cwd=where)
    inquest("analyze", where / "job.inquest", "-o", where / "out", cwd=where, codes=(0, 3, 4, 6))
    return where, source, json.loads((source / "truth.json").read_text())


def test_there_are_recordings() -> None:
    assert len(SAMPLES) >= 10


def test_the_verdict_is_the_truth(sample: tuple[Path, Path, dict[str, Any]]) -> None:
    where, _, truth = sample
    verdict = json.loads((where / "out" / "verdict.json").read_text())
    assert (verdict["outcome"], verdict["family"]) == ("decided", truth["family"]), verdict["headline"]
    assert verdict["attribution"] in truth["attribution"].split("|")
    if truth["culprit_ranks"]:
        assert verdict["culprit_ranks"] == truth["culprit_ranks"]
    if "sub_mode" in truth:
        assert verdict["sub_mode"] == truth["sub_mode"]
    if "fault_class" in truth:
        assert verdict["fault_class"] == truth["fault_class"]
    if "trigger" in truth:
        assert verdict["chain"][0]["family"] == truth["trigger"]
    assert verdict["bundle"]["nodes"] == truth["nodes"]
    assert [entry["family"] for entry in verdict["families"]] == [
        *("A1", "A2", "B1", "B2", "B3", "C1", "C2", "C3", "D1", "D2", "D3", "E1", "E2", "E3", "F1", "F2", "F3", "G1")
    ]
    assert not verdict["bundle"]["simulated"]


def test_every_claim_runs_again(sample: tuple[Path, Path, dict[str, Any]]) -> None:
    where, _, _ = sample
    inquest("verify", where / "job.inquest", where / "out" / "verdict.json", cwd=where)


def test_the_views_are_there(sample: tuple[Path, Path, dict[str, Any]]) -> None:
    where, _, _ = sample
    assert (where / "out" / "report.html").stat().st_size > 10_000
    assert (where / "out" / "timeline.pftrace").stat().st_size > 1_000


def test_merging_in_another_order_gives_the_same_digest(
    sample: tuple[Path, Path, dict[str, Any]], tmp_path: Path
) -> None:
    where, source, _ = sample
    inquest(
        "merge", source / "node-b", source / "node-a", source / "node-b", "-o", tmp_path / "b.inquest", cwd=tmp_path
    )
    digests = [
        json.loads(inquest("info", path, "--json", cwd=tmp_path).stdout)["content_digest"]
        for path in (where / "job.inquest", tmp_path / "b.inquest")
    ]
    assert digests[0] == digests[1]
