"""Classifiers that stand where guessing is, accuracies as they are told, and curves that have no training loss."""

from __future__ import annotations

import json
import math
import random
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from inquest.analyze.model import Verdict


def of_log(folder: Path, lines: Iterable[str], status: int | None = None) -> Verdict:
    file = folder / "train.log"
    file.write_text("\n".join(lines) + "\n")
    return analyze(import_logs([str(file)], exit_code=status))[0]


def of_rows(folder: Path, rows: Iterable[dict[str, Any]], status: int | None = None) -> Verdict:
    file = folder / "metrics.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return analyze(import_logs([str(file)], exit_code=status))[0]


def guesses(classes: int, right: Callable[[int], float] | None, noise: float = 0.002, reports: int = 40) -> list[str]:
    chance = random.Random(4)
    lines = []
    for n in range(1, reports + 1):
        told = "" if right is None else f" acc {right(n) * chance.uniform(0.97, 1.03):.4f}"
        lines.append(f"step {n * 10}/{reports * 10} loss {math.log(classes) * chance.gauss(1, noise):.4f}{told}")
    return [*lines, f"training finished: {reports * 10} steps"]


@pytest.mark.parametrize("classes", [2, 7, 100])
def test_loss_and_accuracy_of_guessing_are_no_learning(tmp_path: Path, classes: int) -> None:
    said = of_log(tmp_path, guesses(classes, lambda _: 1 / classes))
    assert (said.family, said.sub_mode) == ("E1", "not_learning")
    assert f"guessing among {classes}" in said.headline


@pytest.mark.parametrize(("classes", "family"), [(2, "E1"), (10, "E1"), (37, None)])
def test_the_loss_alone_tells_it_for_usual_numbers_of_classes(tmp_path: Path, classes: int, family: str | None) -> None:
    assert of_log(tmp_path, guesses(classes, None)).family == family
    assert of_log(tmp_path, guesses(classes, None)[:-11]).family is None  # cut short: it may have fallen later


@pytest.mark.parametrize(("right", "family"), [(0.1, "E1"), (0.13, None)])
def test_a_few_epochs_of_guessing_tell_it_by_losses_and_answers(
    tmp_path: Path, right: float, family: str | None
) -> None:
    rows = [{"epoch": n, "loss": 2.3026 + n % 3 / 1000, "val_loss": 2.3026, "val_acc": right} for n in range(5)]
    assert of_rows(tmp_path, rows).family == family


def test_answers_that_become_right_are_no_guesses(tmp_path: Path) -> None:
    assert of_log(tmp_path, guesses(10, lambda n: 0.1 + 0.01 * n)).family != "E1"


def test_a_rising_accuracy_alone_is_learning(tmp_path: Path) -> None:
    lines = [f"Epoch {n}/25 - val_acc: {0.94 - 0.66 * math.exp(-n / 5):.4f} - 41s" for n in range(1, 26)]
    said = of_log(tmp_path, [*lines, "Training finished."])
    assert (said.family, "the accuracy rose" in said.headline) == ("G1", True)
    flat = [f"Epoch {n}/25 - val_acc: 0.1{n % 3} - 41s" for n in range(1, 26)]
    assert "rose" not in of_log(tmp_path, [*flat, "Training finished."]).headline


def test_per_cents_are_shares(tmp_path: Path) -> None:
    lines = [f"epoch {n} top1: {20 + 2 * n:.2f} %" for n in range(1, 21)]
    assert "rose from 0.23 to 0.59" in of_log(tmp_path, [*lines, "training finished"]).headline


def test_a_validation_loss_alone_tells_of_learning_and_tokens_are_no_steps(tmp_path: Path) -> None:
    rows = [{"step": n * 1000, "eval_loss": 2.9 + 6 / n, "tokens_seen": n * 524_288_000} for n in range(1, 61)]
    said = of_rows(tmp_path, rows, status=0)
    assert said.family == "G1"
    assert "60000 steps" in said.headline
    assert "the validation loss fell" in said.headline
    level = [row | {"eval_loss": 9.1 + 0.01 * (row["step"] % 3)} for row in rows]
    assert of_rows(tmp_path, level, status=0).family == "E1"  # it never moved


@pytest.mark.parametrize(("rate", "family"), [(30.0, "E1"), (0.1, None)])
def test_a_rate_that_leapt_begins_no_other_stage(tmp_path: Path, rate: float, family: str | None) -> None:
    """The loss leaps to a thousand times and comes down again, to fifty times where it began."""
    lines = [f"iter={n * 8} loss={0.7 * math.exp(-n / 8):.4f} lr=0.1" for n in range(1, 15)]
    lines += [f"iter={n * 8} loss={900 * math.exp(-(n - 15) / 11):.3f} lr={rate}" for n in range(15, 51)]
    assert of_log(tmp_path, lines, status=0).family == family


def history(
    loss: Callable[[int], float], right: Callable[[int], float] | None, epochs: int = 40
) -> list[dict[str, Any]]:
    """A report an epoch, from 0 on, with the number of epochs there are to be."""
    return [
        {"epoch": n, "loss": loss(n), **({} if right is None else {"acc": right(n)}), "epochs": 40}
        for n in range(epochs)
    ]


@pytest.mark.parametrize("right", [None, lambda n: 0.2 + 0.06 * n if n < 5 else 0.1])
def test_a_loss_that_died_to_one_number_is_no_learning(tmp_path: Path, right: Callable[[int], float] | None) -> None:
    said = of_rows(tmp_path, history(lambda n: 2.2 - 0.16 * n if n < 5 else 2.3026, right))
    assert (said.family, said.sub_mode) == ("E1", "not_learning")
    assert "from step 5 on" in said.headline


def test_a_loss_that_came_to_its_least_and_stayed_is_none(tmp_path: Path) -> None:
    rows = history(lambda n: round(max(1.3471, 2.2 - 0.16 * n), 4), None)
    assert of_rows(tmp_path, rows).family == "G1"
    assert of_rows(tmp_path, rows[:30]).family is None


def test_steps_told_beside_what_they_are_of(tmp_path: Path) -> None:
    rows = [{"step": n * 20, "of": 2000, "loss": 9 / n + 2, "lr": 1e-4} for n in range(1, 101)]
    assert of_rows(tmp_path, rows).family == "G1"
    assert of_rows(tmp_path, rows[:90]).family is None


def test_losses_under_a_line_with_their_epoch(tmp_path: Path) -> None:
    lines = []
    for n in range(60):
        clock = f"2026-11-20 10:{n:02d}:03.112: "
        told = (
            f"Epoch {n} ",
            f"train_loss {-0.85 + math.exp(-n / 9):.4f} ",
            f"val_loss {-0.8 + math.exp(-n / 9):.4f} ",
        )
        lines += [f"{clock}{text}" for text in told]
    said = of_log(tmp_path, [*lines, "2026-11-20 11:00:01.0: Training done."])
    assert (said.family, "60 epochs were done" in said.headline) == ("G1", True)


def test_a_reward_in_a_log_and_a_bound_in_a_table_are_what_is_to_rise(tmp_path: Path) -> None:
    lines = [
        f"step:{n} - actor/pg_loss:{0.001 * (n % 3):.5f} - critic/rewards/mean:{0.1 + 0.004 * n:.4f}"
        for n in range(1, 101)
    ]
    said = of_log(tmp_path, lines, status=0)
    assert (said.family, "the score rose from 0.122 to 0.482" in said.headline) == ("G1", True)
    file = tmp_path / "elbo.csv"
    file.write_text("epoch,valid_elbo\n" + "".join(f"{n},{-900 - 800 / n:.2f}\n" for n in range(1, 61)))
    assert analyze(import_logs([str(file)], exit_code=0))[0].family == "G1"


@pytest.mark.parametrize(("fall", "family"), [(0.05, "G1"), (0.004, None)])
def test_a_fall_hardly_beyond_the_noise_is_not_called_one(tmp_path: Path, fall: float, family: str | None) -> None:
    noise = random.Random(3)
    lines = [f"step {n}/150 loss {2.42 * (1 - fall * n / 150) * noise.gauss(1, 0.007):.4f}" for n in range(1, 151)]
    assert of_log(tmp_path, [*lines, "Training completed"]).family == family


def test_a_stop_by_a_rule_of_its_own_is_a_planned_end(tmp_path: Path) -> None:
    lines = [f"Epoch {n:03d} | train loss {2.1 * math.exp(-n / 10) + 0.31:.4f}" for n in range(1, 42)]
    stop = "EarlyStopping: val loss did not improve for 10 epochs. Stopping."
    assert of_log(tmp_path, [*lines, stop]).family == "G1"
    assert of_log(tmp_path, [*lines, "EarlyStopping: val loss did not improve, counter 3 of 10"]).family is None
    assert of_log(tmp_path, [*lines, "Loss is too high, stopping training (loss_watchdog_threshold)"]).family is None


def test_the_loss_of_pairs_by_its_own_name(tmp_path: Path) -> None:
    lines = [
        f"INFO simclr: epoch {n}/40 nt_xent {5.3 + 2 / n:.4f} top1 {0.6 - 0.5 / n:.3f} temp 0.1" for n in range(1, 41)
    ]
    assert of_log(tmp_path, lines).family == "G1"
    assert of_log(tmp_path, lines[:30]).family is None
