"""A scheduler's word on an attempt after which training was resumed, beside one that ended the run (SIMULATED)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

WORD = "slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 2026-03-20T15:04:19 DUE TO {} ***"
KEYS = "WARNING load_state_dict(strict=False): {} missing keys, {} unexpected keys (_orig_mod.blocks.0.w, ...)"


def judged(path: Path) -> Verdict:
    return analyze(import_logs([path]), strict=True)[0]


def ruled_in(path: Path) -> set[str]:
    return {entry.family for entry in judged(path).families if entry.status == "ruled_in"}


def table(path: Path, *, anew: bool, again: int = 1520) -> None:
    """Metrics of a training that came to step 1600 and went on from ``again`` to 2400."""
    curve = [(step, 3 + 7.5 * math.exp(-step / 300)) for step in range(20, 1601, 20)]
    curve += [  # another order of the data, and another way down
        (step, 3 + 7.5 * math.exp(-(step - again) / 100 if anew else -step / 300)) for step in range(again, 2401, 20)
    ]
    rows = [{"step": step, "loss": loss + 0.01 * math.sin(step * step)} for step, loss in curve]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("keys", "anew", "lost"),
    [
        (KEYS.format(290, 290), True, True),
        ("<_IncompatibleKeys(missing_keys=['blocks.0.w'], unexpected_keys=[])>", True, True),
        (KEYS.format(290, 290), False, False),  # buffers that are made anew: its loss goes on
        (KEYS.format(0, 0), True, False),
        ("missing_keys=[], unexpected_keys=[]", True, False),
    ],
)
def test_a_limit_that_training_was_resumed_after(tmp_path: Path, keys: str, anew: bool, lost: bool) -> None:
    table(tmp_path / "metrics.jsonl", anew=anew)
    log = ["training from step 0 to 2400", WORD.format("TIME LIMIT"), "restart 1: loading /ckpt/step_1500.pt", keys]
    (tmp_path / "run.log").write_text(
        "\n".join([*log, "training from step 1500 to 2400", "reached step 2400, exiting\n"])
    )
    found = ruled_in(tmp_path)
    assert "F3" not in found
    assert ("E2" in found) is lost
    if lost:
        verdict = judged(tmp_path)
        assert (verdict.family, verdict.sub_mode) == ("E2", "load_without_effect")
        assert verdict.claims[0].value == keys


def test_a_leap_of_the_loss_far_from_the_load(tmp_path: Path) -> None:
    """A head that was made anew at the start has no part in it."""
    table(tmp_path / "metrics.jsonl", anew=True)
    (tmp_path / "run.log").write_text(f"training from step 0 to 2400\n{KEYS.format(2, 4)}\n")
    assert judged(tmp_path).sub_mode != "load_without_effect"


def test_folds_that_begin_at_the_start_are_no_restart(tmp_path: Path) -> None:
    """Each of them loads a backbone without its head."""
    table(tmp_path / "metrics.jsonl", anew=True, again=20)
    (tmp_path / "run.log").write_text(KEYS.format(2, 4) + "\n")
    assert judged(tmp_path).sub_mode != "load_without_effect"


@pytest.mark.parametrize(
    "below",
    [
        [],
        ["Finished epoch 2400", "saving"],  # what a buffer still held
        ["Resuming from last.pt", "Finished epoch 2400"],
        ["Resuming from last.pt", "training from step 1500 to 2400"],  # how that attempt ended is not told
        ["Finished 2400 steps"],
        ["Resuming from last.pt", "Finished 2400 steps", WORD.format("TIME LIMIT")],
    ],
)
def test_a_limit_that_ended_the_run(tmp_path: Path, below: list[str]) -> None:
    table(tmp_path / "metrics.jsonl", anew=False)
    lines = ["training from step 0 to 9000", WORD.format("TIME LIMIT"), *below]
    (tmp_path / "run.log").write_text("\n".join(lines) + "\n")
    assert "F3" in ruled_in(tmp_path)


@pytest.mark.parametrize(
    ("last", "mode"), [("Finished 2400 steps. Best 0.8", "recovered"), ("Finished 1600 steps", "lost"), ("", "lost")]
)
def test_a_preemption_that_training_was_resumed_after(tmp_path: Path, last: str, mode: str) -> None:
    table(tmp_path / "metrics.jsonl", anew=False)
    lines = ["step 1600", WORD.format("PREEMPTION"), "Resuming from last.pt, optimizer state loaded", last]
    (tmp_path / "train.stdout").write_text("\n".join(lines) + "\n")
    verdict = judged(tmp_path)
    assert (verdict.family, verdict.sub_mode) == ("F2", mode)
    assert ("at step 2400" in verdict.headline) is (mode == "lost")


@pytest.mark.parametrize(
    ("names", "summary", "ended"),
    [
        (("log_001.txt", "log_002.txt"), True, False),
        (("log_001.txt", "log_002.txt"), False, True),
        (("log_002.txt", "log_001.txt"), True, True),
        (("rank_1.txt", "rank_2.txt"), True, True),  # beside it, and not after it
    ],
)
def test_a_node_whose_failure_the_next_log_goes_on_after(
    tmp_path: Path, names: tuple[str, str], summary: bool, ended: bool
) -> None:
    rows = [
        f"{{'loss': {2 + 2 * math.exp(-n / 40):.4f}, 'grad_norm': 1.2, 'learning_rate': 1e-4, 'epoch': {n / 50}}}"
        for n in range(160)
    ]
    (tmp_path / names[0]).write_text("\n".join([*rows[:80], WORD.format("NODE FAILURE")]) + "\n")
    last = ["{'train_runtime': 9120.5, 'train_steps_per_second': 1.096, 'train_loss': 2.1, 'epoch': 3.2}"] * summary
    lines = ["  Continuing training from global step 4000", *rows[80:], *last]
    (tmp_path / names[1]).write_text("\n".join(lines) + "\n")
    assert ("F1" in ruled_in(tmp_path)) is ended
