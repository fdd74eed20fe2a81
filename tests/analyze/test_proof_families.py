"""Every family, proved three times over evidence that went through the real writers.

Each has a scene in which it is right, one that resembles it and is something else, and the first one with the evidence
withheld that tells: there it must not decide. ``test_twins`` does the same with facts put together by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families import FAMILIES

from .builders import TWINS
from .proof_scenes import judged, scene, without

if TYPE_CHECKING:
    from inquest.analyze.model import FamilyEntry, Verdict

WORDS = ("log_lines",)
SAMPLES = ("gpu_samples",)
SLURM = ("slurm_jobs", "slurm_steps", "slurm_events", "slurm_nodes")
DEATHS = ("processes", "kernel_log", "cgroup_samples")


@dataclass(frozen=True)
class Proof:
    """Where a family is right, where it is not though it looks like it, and what it cannot be told without."""

    positive: str
    near_miss: str
    withheld: tuple[str, ...]


PROOFS: dict[str, Proof] = {
    "A1": Proof("recorded/data_loader_raises", "recorded/memory_limit", (*WORDS, "processes")),
    "A2": Proof("recorded/memory_limit", "recorded/data_loader_raises", (*WORDS, *DEATHS)),
    "B1": Proof("simulated/cuda_oom", "simulated/host_oom", WORDS),
    "B2": Proof("simulated/ecc", "simulated/latent_ecc", (*WORDS, *SAMPLES, "kernel_log", "gpu_events")),
    "B3": Proof("simulated/throttling", "simulated/healthy", SAMPLES),
    "C1": Proof("recorded/wrong_rendezvous", "recorded/data_loader_raises", WORDS),
    "C2": Proof("recorded/rank_lost", "recorded/data_loader_raises", WORDS),
    "C3": Proof("simulated/idle_hang", "simulated/healthy", SAMPLES),
    "D1": Proof("simulated/starvation", "simulated/mild_starvation", SAMPLES),
    "D2": Proof("simulated/interconnect", "simulated/straggler", SAMPLES),
    "D3": Proof("simulated/straggler", "simulated/healthy", SAMPLES),
    "E1": Proof("recorded/loss_becomes_nan", "recorded/healthy", WORDS),
    "E2": Proof("recorded/resume_finds_nothing", "recorded/resumed", WORDS),
    "E3": Proof("recorded/three_steps", "recorded/healthy", WORDS),
    "F1": Proof("simulated/node_down", "simulated/traceback", (*SLURM, *SAMPLES, "host_samples", *WORDS)),
    "F2": Proof("simulated/preempted", "simulated/time_limit", (*SLURM, *WORDS)),
    "F3": Proof("recorded/time_limit", "recorded/data_loader_raises", (*WORDS, *DEATHS)),
    "G1": Proof("recorded/healthy", "recorded/data_loader_raises", WORDS),
}


def entry(verdict: Verdict, family: str) -> FamilyEntry:
    return next(item for item in verdict.families if item.family == family)


def test_no_family_lacks_a_proof() -> None:
    families = [family.id for family in FAMILIES]
    assert sorted(PROOFS) == families
    assert sorted(TWINS) == families
    for family, proof in PROOFS.items():
        assert len({proof.positive, proof.near_miss}) == 2, family
        assert proof.withheld, family


@pytest.mark.parametrize("family", PROOFS)
def test_positive(family: str) -> None:
    verdict, _ = judged(PROOFS[family].positive)
    assert verdict.family == family, verdict.headline
    assert entry(verdict, family).status == "ruled_in"
    assert entry(verdict, family).claims


@pytest.mark.parametrize("family", PROOFS)
def test_near_miss(family: str) -> None:
    verdict, _ = judged(PROOFS[family].near_miss)
    found = entry(verdict, family)
    assert found.status == "ruled_out", found.because
    assert found.would_change_if


@pytest.mark.parametrize("family", PROOFS)
def test_missing_evidence(family: str) -> None:
    proof = PROOFS[family]
    verdict, _ = analyze(without(scene(proof.positive), *proof.withheld), strict=True)
    found = entry(verdict, family)
    assert found.status == "cannot_decide", found.because
    assert verdict.family != family


def test_a_lost_gpu_whose_kernel_nobody_heard_is_not_called_the_jobs_fault_with_confidence() -> None:
    """A kernel's own exception and a GPU that fell off the bus give the same CUDA error."""
    store = scene("simulated/fallen_off_the_bus")
    verdict, _ = analyze(without(store, "kernel_log", "gpu_samples", "gpu_events"), strict=True)
    assert verdict.family == "A1"
    assert verdict.confidence < 0.8
    assert any("GPU itself" in item.text and "kernel log" in item.missing for item in verdict.cannot_decide)
    heard, _ = analyze(store, strict=True)
    assert heard.family == "B2"
