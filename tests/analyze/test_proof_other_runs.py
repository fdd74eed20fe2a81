"""Held against another run: what a parent shows of a restart, what a baseline shows of lost time, honest refusals."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.claims import read_claims, wrong_with
from inquest.analyze.engine import analyze, judge
from inquest.analyze.evidence import Evidence
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.errors import InputError, UsageError
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore, MemoryStore
from inquest.cli._others import opened, others
from samples.simulate import physics
from samples.simulate.plan import Plan, draw
from samples.simulate.record import record

from .builders import Run, at, gpu_samples
from .proof_scenes import RECORDED, frames_of

if TYPE_CHECKING:
    from inquest.analyze.model import Claim, FamilyEntry, RunName, Verdict


def entry(verdict: Verdict, family: str) -> FamilyEntry:
    return next(item for item in verdict.families if item.family == family)


# --- a parent -------------------------------------------------------------------------------------------------------
def trained(first: float, each: float, *, count: int = 40, begin: int = 1, t: float = 0) -> Run:
    """A run whose loss falls evenly; ``t``: when it began, in seconds."""
    run = Run()
    for number in range(count):
        loss = first - each * number
        run.fact("fact_steps", kind="step", rank=0, step=begin + number, loss=loss, ts_ns=at(t + 10 + number))
    return run


def parent_run(**columns: float) -> Run:
    run = trained(4.0, 0.05)
    saved = "saved checkpoint out/step-40.pt"
    run.event(Kind.CHECKPOINT_SAVED, saved, role="marker", t=50, subject="out/step-40.pt", num=40, num_unit="step")
    return run.event(Kind.MODEL_SIZE, "7,000,000 parameters", role="marker", t=1, num=columns.get("size", 7e6))


def after(child: Run, parent: Run | None = None) -> Verdict:
    """The verdict on ``child``, which ended with status 0, with its parent."""
    given = (parent or parent_run()).evidence("parent")
    return judge(child.ended(0, t=9000).evidence(others=(given,)), strict=True)


def loaded(run: Run) -> Run:
    return run.event(Kind.CHECKPOINT_LOADED, "resumed from out/step-40.pt", role="marker", t=5005)


def test_a_run_that_begins_where_its_parent_began_is_a_silent_restart() -> None:
    verdict = after(trained(3.98, 0.05, t=5000))
    assert (verdict.family, verdict.sub_mode) == ("E2", "silent_restart")
    assert "40 steps of work were lost silently" in verdict.headline
    assert verdict.next.last_good_checkpoint == "out/step-40.pt"
    assert {(claim.of, claim.value) for claim in verdict.shows if claim.id.startswith("E2.")} == {
        ("run", 3.98),
        ("parent", 4.0),
        ("parent", 2.15),
        ("parent", "out/step-40.pt"),
    }
    assert verdict.parent is not None


def test_without_the_parent_nothing_shows_it() -> None:
    verdict = judge(trained(3.98, 0.05, t=5000).ended(0, t=9000).evidence(), strict=True)
    assert verdict.family != "E2"
    assert verdict.parent is None


def test_a_loss_that_goes_on_rules_it_out() -> None:
    verdict = after(trained(2.1, 0.01, begin=41, t=5000))
    assert entry(verdict, "E2").status == "ruled_out"
    assert "2.1" in entry(verdict, "E2").because
    assert entry(verdict, "E2").claims


def test_a_word_of_a_load_does_not_outweigh_the_loss() -> None:
    verdict = after(loaded(trained(3.98, 0.05, t=5000)))
    assert (verdict.family, verdict.sub_mode) == ("E2", "load_without_effect")
    assert entry(after(loaded(trained(2.2, 0.01, t=5000))), "E2").status == "ruled_out"


def test_a_first_report_that_jumps_after_a_load_is_a_warm_up() -> None:
    run = trained(2.1, 0.01, begin=41, count=30, t=5010)
    run.fact("fact_steps", kind="step", rank=0, step=40, loss=3.6, ts_ns=at(5001), seq=-1, line_seq=-1)
    assert entry(after(loaded(run)), "E2").status != "ruled_in"


def test_a_loss_in_between_is_not_decided() -> None:
    assert entry(after(trained(2.8, 0.01, t=5000)), "E2").status == "cannot_decide"


def test_another_loss_is_refused() -> None:
    verdict = after(trained(11.0, 0.01, t=5000))
    assert entry(verdict, "E2").status == "cannot_decide"
    assert "another loss, or another model" in entry(verdict, "E2").because


def test_without_losses_the_steps_tell_where_the_parent_had_saved() -> None:
    def counted(begin: int, t: float = 5000) -> Run:
        run = Run()
        for number in range(30):
            run.fact("fact_steps", kind="step", rank=0, step=begin + number, ts_ns=at(t + number))
        return run

    parent = counted(1, t=0)
    saved = {"subject": "out/step-30", "num": 30, "num_unit": "step"}
    parent.event(Kind.CHECKPOINT_SAVED, "saved out/step-30", role="marker", t=40, **saved)
    assert after(counted(1), parent).family == "E2"
    assert entry(after(counted(31), parent), "E2").status == "ruled_out"
    assert entry(after(counted(1), counted(1, t=0)), "E2").status == "ruled_out"


def test_a_parent_of_another_size_is_refused() -> None:
    child = trained(3.98, 0.05, t=5000)
    child.event(Kind.MODEL_SIZE, "13,000,000 parameters", role="marker", t=5001, num=13e6)
    verdict = after(child)
    assert verdict.family != "E2"
    assert any("7,000,000 parameters, this run one of 13,000,000" in warning for warning in verdict.warnings)


def test_a_parent_that_is_not_the_one_the_scheduler_names_is_refused() -> None:
    def given(dependency: str) -> Verdict:
        child = trained(3.98, 0.05, t=5000).row("slurm_jobs", job_id="78", dependency=dependency, state="COMPLETED")
        held = parent_run().evidence("parent")
        held.store.info = dataclasses.replace(held.store.info, job_id="77")
        return judge(child.ended(0, t=9000).evidence(others=(held,)), strict=True)

    right, wrong = given("afterany:77(fulfilled)"), given("afterok:76")
    assert (right.family, entry(right, "E2").stores) == ("E2", ("logs", "scheduler"))
    assert right.confidence > after(trained(3.98, 0.05, t=5000)).confidence
    assert wrong.family != "E2"
    assert any("job 77, and by the scheduler's record this run depends on job 76" in text for text in wrong.warnings)


def test_a_parent_that_began_after_the_run_is_refused() -> None:
    child = trained(3.98, 0.05)
    verdict = judge(child.ended(0, t=60).evidence(others=(trained(4.0, 0.05, t=900).evidence("parent"),)), strict=True)
    assert verdict.family != "E2"


def test_a_crash_at_the_load_names_what_the_parent_had_saved() -> None:
    message = "Error(s) in loading state_dict for GPT: size mismatch for head.weight"
    child = Run().event(Kind.CHECKPOINT_LOAD_BEGIN, "loading out/step-9", role="marker", t=5001)
    child.raised("RuntimeError", message, t=5002).ended(1, t=5003)
    alone = judge(child.evidence(), strict=True)
    held = judge(child.evidence(others=(parent_run().evidence("parent"),)), strict=True)
    assert alone.family == held.family == "E2"
    assert (alone.next.last_good_checkpoint, held.next.last_good_checkpoint) == (None, "out/step-40.pt")
    assert "The parent saved out/step-40.pt last." in held.next.action
    assert [claim.value for claim in held.shows if claim.of == "parent"] == ["out/step-40.pt"]


@cache
def recorded(name: str) -> MemoryStore:
    """A recording of a real job, in memory."""
    with tempfile.TemporaryDirectory() as folder:
        merge([RECORDED / name], Path(folder, "job.inquest"))
        store = BundleStore(Path(folder, "job.inquest"))
        return MemoryStore(frames_of(store), store.info)


def test_a_real_run_that_resumed_and_one_that_did_not() -> None:
    parent = recorded("cut_short")
    verdict, _ = analyze(recorded("resumed"), strict=True, parent=parent)
    assert verdict.family == "G1", verdict.headline
    assert entry(verdict, "E2").status == "ruled_out"
    assert "went on" in entry(verdict, "E2").because
    # The same training, begun a day later from scratch.
    verdict, _ = analyze(parent, strict=True, parent=recorded("time_limit"))
    assert (verdict.family, verdict.sub_mode) == ("E2", "silent_restart"), verdict.headline
    assert verdict.next.last_good_checkpoint is not None
    assert any(claim.of == "parent" for claim in verdict.shows)


def test_a_real_run_of_an_earlier_day_is_no_parent_of_the_later() -> None:
    verdict, _ = analyze(recorded("healthy"), strict=True, parent=recorded("cut_short"))
    assert verdict.family == "G1"
    assert any("began to train after this run had ended" in warning for warning in verdict.warnings)


# --- a baseline -----------------------------------------------------------------------------------------------------
@cache
def simulated(fault: str, now: str, seed: int = 41) -> tuple[Plan, MemoryStore]:
    """The simulated job that was drawn for one fault, with the fault ``now``; ``seed`` varies its noise."""
    plan = dataclasses.replace(draw(fault, 41), fault=now, seed=seed)
    plan = dataclasses.replace(plan, nodes=plan.nodes[:2], gpus_per_node=min(plan.gpus_per_node, 2), sick=1)
    plan = dataclasses.replace(plan, dialect="plain", steps=150, compute_s=min(plan.compute_s, 0.8))
    with tempfile.TemporaryDirectory() as folder:
        record(plan, Path(folder))
        merge([Path(folder)], Path(folder, "job.inquest"))
        store = BundleStore(Path(folder, "job.inquest"))
        return plan, MemoryStore(frames_of(store), store.info)


def truly(plan: Plan) -> float:
    """Seconds a step took in the simulation."""
    ends = physics.run(plan).step_ends
    return (ends[-1] - ends[0]) / (len(ends) - 1)


CASES = {
    "starvation": ("D1", "host"),
    "straggler": ("D3", "GPUs"),
    "interconnect": ("D2", "GPUs"),
    "mild_starvation": ("G1", "host"),
}


@pytest.mark.parametrize("fault", CASES)
def test_what_a_simulated_fault_cost_is_found(fault: str) -> None:
    family, where = CASES[fault]
    (plan, store), (usual, good) = simulated(fault, fault), simulated(fault, "healthy")
    verdict, evidence = analyze(store, strict=True, baseline=good)
    assert verdict.family == family, verdict.headline
    share = next(claim for claim in verdict.shows if claim.text.startswith("Share of the time of its steps"))
    assert isinstance(share.value, float)
    assert share.value == pytest.approx(1 - truly(usual) / truly(plan), abs=0.03)
    told = verdict.implies if family != "G1" else verdict.warnings
    text = next(text for text in told if "times as long as in the baseline" in text)
    assert "The time went into" in text
    assert ("waiting for the host" in text) is (where == "host")
    assert not any("--baseline" in item.missing for item in verdict.cannot_decide)
    assert [problem for claim in verdict.claims for problem in wrong_with(claim, evidence)] == []


def test_a_baseline_is_a_second_witness() -> None:
    _, store = simulated("straggler", "straggler")
    alone, _ = analyze(store, strict=True)
    held, _ = analyze(store, strict=True, baseline=simulated("straggler", "healthy")[1])
    assert held.confidence > alone.confidence
    assert any("--baseline" in item.missing for item in alone.cannot_decide)


def test_a_run_as_fast_as_its_baseline_lost_nothing() -> None:
    _, store = simulated("straggler", "healthy")
    verdict, _ = analyze(store, strict=True, baseline=simulated("straggler", "healthy", seed=77)[1])
    assert verdict.family == "G1"
    assert not [text for text in verdict.warnings if "baseline" in text]


def test_runs_that_are_not_alike_are_not_compared() -> None:
    def held(mine: Run, good: Run) -> list[str]:
        verdict = judge(mine.ended(0, t=99).evidence(others=(good.evidence("baseline"),)), strict=True)
        return [warning for warning in verdict.warnings if warning.startswith("The baseline was not used: ")]

    def on(gpus: int, model: str = "NVIDIA H100", argv: str = "python train.py") -> Run:
        uuids = ",".join(f"GPU-{number}" for number in range(gpus))
        run = trained(4.0, 0.05).row("node_info", gpus=gpus, gpu_uuids=uuids, gpu_models=model)
        return run.row("processes", event="start", role="rank", rank=0, argv=argv)

    assert held(on(8), on(8)) == []
    assert "it ran on 4 GPUs, this run on 8" in held(on(8), on(4))[0]
    assert "NVIDIA A100" in held(on(8), on(8, "NVIDIA A100"))[0]
    assert "finetune.py" in held(on(8), on(8, argv="/opt/python finetune.py --lr 1"))[0]
    assert "no pace to compare" in held(on(8), Run())[0]
    size = on(8).event(Kind.MODEL_SIZE, "8 parameters", role="marker", t=1, num=8e9)
    mine = on(8).event(Kind.MODEL_SIZE, "7 parameters", role="marker", t=1, num=7e9)
    assert "a model of 8,000,000,000 parameters" in held(mine, size)[0]


def test_a_slow_run_without_gpu_samples_says_how_much_but_not_where() -> None:
    slow = Run().steps([4.0 - 0.01 * n for n in range(60)], every=3.0)
    good = gpu_samples(Run().steps([4.0 - 0.01 * n for n in range(60)]))
    verdict = judge(slow.ended(0, t=999).evidence(others=(good.evidence("baseline"),)), strict=True)
    text = next(text for text in verdict.warnings if "times as long" in text)
    assert "3.00 times as long" in text
    assert "67%" in text
    assert "The time went" not in text


# --- the proof ------------------------------------------------------------------------------------------------------
def foreign(verdict: Verdict) -> list[Claim]:
    return [claim for claim in verdict.shows if claim.of != "run"]


def test_the_other_run_carries_the_claims_about_it() -> None:
    """Take the rows away that a claim about the parent or the baseline cites: the verdict is another."""
    child, parent = recorded("cut_short"), recorded("time_limit")
    verdict, _ = analyze(child, strict=True, parent=parent)
    assert foreign(verdict)
    for claim in foreign(verdict):
        rows = [row.seq for row in claim.rows if row.table == "log_lines"]
        assert rows, claim.text
        frames = frames_of(parent)
        lines = frames["log_lines"]
        node = claim.rows[0].node
        frames["log_lines"] = lines.filter(~((lines["node"] == node) & lines["seq"].is_in(rows)))
        other, evidence = analyze(child, strict=True, parent=MemoryStore(frames, parent.info))
        assert (other.headline, other.next) != (verdict.headline, verdict.next) or wrong_with(claim, evidence)


def inquest(*args: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "inquest", *map(str, args)]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_whole_way_on_the_command_line(tmp_path: Path) -> None:
    for name in ("cut_short", "time_limit"):
        merge([RECORDED / name], tmp_path / f"{name}.inquest")
    both = ("cut_short.inquest", "--parent", "time_limit.inquest")
    done = inquest("analyze", *both, "-o", "out", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    verdict = json.loads((tmp_path / "out" / "verdict.json").read_text())
    assert verdict["parent"]["content_digest"] == BundleStore(tmp_path / "time_limit.inquest").info.content_digest
    about = next(claim["id"] for claim in verdict["shows"] if claim["of"] == "parent")

    cited = inquest("cite", "cut_short.inquest", about, *both[1:], "--verdict", "out/verdict.json", cwd=tmp_path)
    assert cited.returncode == 0, cited.stderr
    checked = inquest("verify", "cut_short.inquest", "out/verdict.json", *both[1:], cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    lacking = inquest("verify", "cut_short.inquest", "out/verdict.json", cwd=tmp_path)
    assert lacking.returncode == 5
    assert "give its bundle with --parent" in lacking.stderr


def test_other_evidence_than_the_verdict_was_held_against_is_refused(tmp_path: Path) -> None:
    child = recorded("cut_short")
    verdict, _ = analyze(child, strict=True, parent=recorded("time_limit"))
    path = tmp_path / "verdict.json"
    path.write_text(verdict.to_json())

    def read(name: RunName, other: str) -> None:
        held = Evidence(recorded(other), name=name)
        read_claims(path, Path("job.inquest"), Evidence(child, others=[held]))

    read("parent", "time_limit")
    with pytest.raises(InputError, match="about other evidence than the parent given"):
        read("parent", "healthy")
    with pytest.raises(UsageError, match="decided without a baseline"):
        read("baseline", "healthy")


def test_a_run_is_not_held_against_itself_or_a_directory(tmp_path: Path) -> None:
    merge([RECORDED / "healthy"], tmp_path / "job.inquest")
    with pytest.raises(UsageError, match="the very evidence"):
        opened(tmp_path / "job.inquest", others(None, tmp_path / "job.inquest"))
    with pytest.raises(UsageError, match="is a directory"):
        opened(tmp_path / "job.inquest", others(RECORDED / "healthy", None))
