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
    assert of_rows(tmp_path, level, status=0).family is None


@pytest.mark.parametrize(("rate", "family"), [(30.0, "E1"), (0.1, None)])
def test_a_rate_that_leapt_begins_no_other_stage(tmp_path: Path, rate: float, family: str | None) -> None:
    """The loss leaps to a thousand times and comes down again, to fifty times where it began."""
    lines = [f"iter={n * 8} loss={0.7 * math.exp(-n / 8):.4f} lr=0.1" for n in range(1, 15)]
    lines += [f"iter={n * 8} loss={900 * math.exp(-(n - 15) / 11):.3f} lr={rate}" for n in range(15, 51)]
    assert of_log(tmp_path, lines, status=0).family == family
