"""What the thirty-second unseen set showed of losses that were misread, each with a near miss."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.analyze.metric_names import RAW, column_of, plain
from inquest.analyze.metrics import tracked
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def told(tmp_path: Path, lines: list[str], status: int | None = None) -> Verdict:
    """The verdict on one log."""
    (tmp_path / "train.log").write_text("\n".join([*lines, ""]))
    return analyze(import_logs([str(tmp_path)], exit_code=status), strict=True)[0]


def losses(tmp_path: Path, lines: list[str]) -> list[float | None]:
    """The losses that are read of one log, in order."""
    (tmp_path / "train.log").write_text("\n".join([*lines, ""]))
    read: list[float | None] = parse_logs(import_logs([str(tmp_path)]))["fact_steps"]["loss"].to_list()
    return read


def loss(n: float) -> float:
    return 0.4 + 1.9 * math.exp(-n / 8) + 0.02 * math.sin(7 * n)


# --- bars: names with a stroke ----------------------------------------------------------------------------------------


def bar(epoch: int, at: int, value: float, held: float) -> str:
    clock = f"{at // 6:02}:{at % 6 * 10:02}<{(500 - at) // 6:02}:00"
    return f"Epoch {epoch}:  {at // 5}%|\u2588   | {at}/500 [{clock},  0.12it/s, v_num=a1b2, train/loss={value:.3g}, val/loss={held:.3g}]"


def test_a_bar_tells_both_losses_by_names_with_a_stroke(tmp_path: Path) -> None:
    lines = [bar(0, 50 * n, 90 - n, 100 + n) for n in range(1, 11)]
    assert losses(tmp_path, lines) == [90 - n for n in range(1, 11)]
    read = parse_logs(import_logs([str(tmp_path)]))["fact_steps"]
    assert read["eval_loss"].to_list() == [100 + n for n in range(1, 11)]


def test_a_bar_that_tells_another_loss_by_such_a_name_tells_none_of_training(tmp_path: Path) -> None:
    lines = [bar(0, 50 * n, 90 - n, 100 + n).replace("train/loss", "aux/loss") for n in range(1, 11)]
    assert set(losses(tmp_path, lines)) == {None}


# --- F2: what ran again, by its epochs --------------------------------------------------------------------------------


@pytest.mark.parametrize(("epochs", "family"), [(9, "E1"), (3, "F2")])
def test_who_ran_again_for_longer_than_before_was_not_ended_by_the_scheduler(
    tmp_path: Path, epochs: int, family: str
) -> None:
    """The bar counts within each epoch, and so begins low after it was resumed."""
    before = [bar(e, 50 * n, 100 * loss(10 * e + n), 60) for e in range(3) for n in range(1, 11)]
    lines = [
        *before,
        *[bar(3, 50 * n, 45 + n % 3, 50) for n in range(1, 8)],
        "slurmstepd: error: *** STEP 81.0 ON n14 CANCELLED AT 2025-03-12T01:34:22 DUE TO PREEMPTION ***",
        "Restored all states from the checkpoint at /w/checkpoints/3-1500.ckpt",
        *[bar(3, 50 * n, 45 + n % 3, 50) for n in range(1, 4)],
        *[bar(e, 50 * n, 270 + n, 276) for e in range(4, epochs) for n in range(1, 11)],
        *(["WARNING:root:pose loss is NaN. Skipping..."] * 9 if epochs > 4 else []),
    ]
    assert told(tmp_path, lines).family == family


# --- the sums of epochs -----------------------------------------------------------------------------------------------


def with_epochs(times: float) -> list[str]:
    lines = []
    for epoch in range(1, 9):
        for n in (1, 2):
            step = 400 * (epoch - 1) + 200 * n
            lines.append(f"Epoch {epoch:3}, Step: {step:8}, Batch Loss: {4 * loss(step / 200):12.6f}, Lr: 0.000300")
        lines.append(f"Epoch {epoch:3}: total training loss {4 * times * loss(2 * epoch):.2f}")
    return lines


def test_sums_of_epochs_are_no_losses_of_steps(tmp_path: Path) -> None:
    read = losses(tmp_path, with_epochs(410))
    assert read[2::3] == [None] * 8
    assert None not in read[::3]


@pytest.mark.parametrize("times", [1, 12])
def test_what_is_no_sum_of_steps_is_kept(tmp_path: Path, times: float) -> None:
    assert None not in losses(tmp_path, with_epochs(times))


# --- rewards as they were given ---------------------------------------------------------------------------------------


def test_a_raw_reward_tells_more_than_what_its_mean_was_taken_off(tmp_path: Path) -> None:
    rows = [{"_step": n, "rollout/rewards": 1e-9 * (-1) ** n, "rollout/raw_reward": 0.2 + n / 50} for n in range(30)]
    (tmp_path / "wandb_history.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    scores = tracked(import_logs([str(tmp_path)]))["fact_steps"]["score"].drop_nulls().to_list()
    assert scores == [0.2 + n / 50 for n in range(30)]


@pytest.mark.parametrize(("name", "score"), [("train/rewards", True), ("train/raw_logits", False)])
def test_what_else_is_raw_is_no_reward(name: str, score: bool) -> None:
    assert (column_of(name) == "score") is score
    assert not RAW.fullmatch(plain(name))


# --- likelihoods of what was held out ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("begin", "held", "family"), [(13.9, 0.05, "G1"), (13.9, 0.0, None), (10.5, 0.05, None)])
def test_a_density_whose_held_out_likelihood_gets_better_is_no_language_model_that_stands(
    tmp_path: Path, begin: float, held: float, family: str | None
) -> None:
    """Batches scatter by more than it gains. What begins as a guess among tokens may be one."""
    lines = ["flow: 8 couplings; 9000 steps of 48 tracks"]
    for n in range(1, 151):
        scatter = 1.6 * math.sin(12.9898 * n) * math.sin(4.1 * n)
        lines.append(
            f"step {60 * n:6}  nll {begin - 1.8 * (1 - math.exp(-n / 20)) + scatter:8.4f}  lr 1.20e-04  {n:5}.8s"
        )
        if n % 15 == 0:
            lines.append(f"step {60 * n:6}  held-out nll {begin - 1.6 - held * n / 15:.4f}  (best, kept)")
    lines.append("finished 9000 steps in 202 s, /w/flow_best.pt")
    assert told(tmp_path, lines, 0).family == family


# --- answers that are seldom right ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rises", "family"), [(False, "G1"), (True, None)])
def test_answers_as_at_first_are_no_doubt_where_validation_got_better_with_training(
    tmp_path: Path, rises: bool, family: str | None
) -> None:
    lines = [
        f"Epoch {n}/20 loss {0.9 + 0.5 * math.exp(-n / 4):.4f} val_loss {1.1 + (0.01 * n if rises else 0.15 * math.exp(-n / 3)):.4f}"
        f" val_acc {0.49 + 0.012 * math.sin(3 * n):.4f}"
        for n in range(1, 21)
    ]
    assert told(tmp_path, [*lines, "Training complete."], 0).family == family
