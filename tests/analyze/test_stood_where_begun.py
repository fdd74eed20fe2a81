"""Losses and rewards that stand from the first report of a plan to its last, each beside one that may be all right."""

from __future__ import annotations

import json
import math
import random
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.model import Verdict


def said_of(folder: Path, lines: list[str], name: str = "train.log") -> Verdict:
    file = folder / name
    file.write_text("\n".join(lines) + "\n")
    return analyze(import_logs([str(file)]), strict=True)[0]


def standing(verdict: Verdict, family: str) -> str:
    return next(str(each.status) for each in verdict.families if each.family == family)


def tuned(
    level: Callable[[float], float],
    validated: Callable[[float], float] | None,
    rate: float = 2e-4,
    reports: int = 60,
    *,
    ends: bool = True,
) -> list[str]:
    """A log of transformers' Trainer; level of the loss and of its validation by the part that is done."""
    chance = random.Random(3)
    lines = ["***** Running training *****", "  Num Epochs = 2"]
    for n in range(reports):
        done, epoch = n / reports, round(2 * (n + 1) / reports, 2)
        loss = level(done) * (1.0025 - 0.005 * done) * chance.gauss(1, 0.004)
        now = rate * (1 - 0.9 * done)
        lines.append(f"{{'loss': {loss:.4f}, 'grad_norm': 0.2{n % 7}, 'learning_rate': {now:.6g}, 'epoch': {epoch}}}")
        if validated is not None and n % 8 == 7:
            held = validated(done) * chance.gauss(1, 0.0005)
            lines.append(f"{{'eval_loss': {held:.5f}, 'eval_runtime': 11.2, 'epoch': {epoch}}}")
    summary = "{'train_runtime': 812.1, 'train_samples_per_second': 9.7, 'train_loss': 2.3, 'epoch': 2.0}"
    return [*lines, summary] if ends else lines


def flat(level: float) -> Callable[[float], float]:
    return lambda _: level


def test_a_loss_and_its_validation_that_never_moved_are_no_learning(tmp_path: Path) -> None:
    said = said_of(tmp_path, tuned(flat(2.71), flat(2.73)))
    assert (said.family, said.sub_mode) == ("E1", "not_learning")
    assert "stood at 2.70" in said.headline
    assert "validation with it" in said.headline


@pytest.mark.parametrize(
    "lines",
    [
        tuned(flat(0.42), flat(0.43)),  # fine-tuning that begins low has little to learn
        tuned(flat(2.71), None),  # nothing is held out
        tuned(flat(2.71), flat(2.73), rate=2e-6),  # a rate that may move little
        tuned(flat(2.71), flat(2.73), reports=40),  # few reports
        tuned(flat(2.71), flat(2.73), ends=False),  # it may have gone on
        tuned(flat(2.71), lambda x: 2.8 - 0.2 * x),  # mixed labels keep the loss of training up
        tuned(lambda x: 2.75 - 0.05 * x, flat(2.73)),  # slow, but it moves
        tuned(lambda x: 3.3 if x < 0.05 else 2.71, flat(2.73)),  # it fell in the first reports
    ],
)
def test_what_may_stand_for_another_reason_is_left_alone(tmp_path: Path, lines: list[str]) -> None:
    assert said_of(tmp_path, lines).family != "E1"


def test_what_g1_leaves_open_for_a_standing_loss_e1_does_not_rule_out(tmp_path: Path) -> None:
    said = said_of(tmp_path, tuned(flat(2.71), flat(2.73), rate=2e-6))
    assert (standing(said, "E1"), standing(said, "G1")) == ("cannot_decide", "cannot_decide")


_LEAPS = {21, 22, 23, 31, 32, 60, 61, 70, 71, 72, 90, 91, 92}


def loop(level: Callable[[float], float], reports: int = 110, head: str = "model ready", every: int = 100) -> list[str]:
    """A loop of one's own; some of its losses leap and come back."""
    chance = random.Random(5)
    lines = [head, f"will train for {reports * every} steps"]
    for n in range(1, reports + 1):
        leap = 2.0 if n in _LEAPS else 1.0
        lines.append(f"step {n * every} | loss {leap * level(n / reports) * chance.gauss(1, 0.002):.4f} | 1.2 s/it")
    return [*lines, "training done"]


def test_the_level_of_guessing_among_tokens_to_the_end_is_no_learning(tmp_path: Path) -> None:
    said = said_of(tmp_path, loop(flat(math.log(50257))))
    assert (said.family, said.sub_mode) == ("E1", "not_learning")
    assert said.confidence > 0.5


@pytest.mark.parametrize(
    "lines",
    [
        loop(flat(1.386), head="training generator and discriminator"),  # two that play against each other
        loop(flat(math.log(32768)), head="contrastive loss, batch 32768"),
        loop(flat(math.log(32768)), head="batch size is doubled to 32768 at step 4000"),
        loop(flat(math.log(50257)), every=5),  # so few steps may be a warm-up
        loop(flat(math.log(50257)), reports=30),
        loop(lambda x: 10.9 - 0.3 * x),
    ],
)
def test_what_lies_high_for_another_reason_is_left_alone(tmp_path: Path, lines: list[str]) -> None:
    assert said_of(tmp_path, lines).family != "E1"


def played(reward: Callable[[float, random.Random], float], rate: float = 3e-4, iterations: int = 240) -> list[str]:
    """A table of RLlib."""
    chance = random.Random(6)
    return [
        json.dumps(
            {
                "training_iteration": n,
                "env_runners": {"episode_return_mean": reward(n / iterations, chance)},
                "learners": {"default_policy": {"curr_lr": rate, "policy_loss": chance.gauss(0, 0.03)}},
                "timestamp": 1790000000 + 4 * n,
                "done": n == iterations,
            }
        )
        for n in range(1, iterations + 1)
    ]


def test_a_return_that_stays_in_its_scatter_for_all_of_a_plan_is_no_learning(tmp_path: Path) -> None:
    said = said_of(tmp_path, played(lambda _, chance: chance.gauss(-42, 4)), "result.json")
    assert (said.family, said.sub_mode) == ("E1", "not_learning")
    assert "the reward stood, no higher than at first" in said.headline


@pytest.mark.parametrize(
    "rows",
    [
        played(lambda x, chance: chance.gauss(-42 + 20 * x, 4)),  # it rises
        played(lambda _, chance: min(500.0, chance.gauss(499, 9))),  # the best there is, again and again
        played(lambda _, chance: chance.gauss(0.62, 0.03)),  # a share
        played(lambda _, chance: chance.gauss(-42, 4), iterations=60),
        played(lambda x, chance: chance.gauss(-90 if x < 0.03 else -42, 4)),  # learned in its first iterations
    ],
)
def test_a_return_that_may_be_good_is_left_alone(tmp_path: Path, rows: list[str]) -> None:
    assert said_of(tmp_path, rows, "result.json").family != "E1"


def test_rewards_without_a_loss_are_named(tmp_path: Path) -> None:
    said = said_of(tmp_path, played(lambda _, chance: chance.gauss(0.62, 0.03)), "result.json")
    assert "No loss was reported, and the reward went from 0.6" in next(
        each.because for each in said.families if each.family == "E1"
    )


def detected(norm: float, reports: int) -> list[str]:
    """A loss that is the same from its sixth report on."""
    losses = [3.61, 3.08, 3.05, 2.66, 2.49] + [4.3317] * reports
    lines = [
        f"step {n}/{len(losses)} loss {loss:.4f} lr 0.0004 grad_norm {1.5 if n < 6 else norm:.4f}"
        for n, loss in enumerate(losses, 1)
    ]
    return [*lines, "training done"]


@pytest.mark.parametrize(("norm", "reports", "sure"), [(0.0, 80, True), (0.7, 80, False), (0.0, 20, False)])
def test_the_same_loss_so_often_without_a_gradient_is_hardly_chance(
    tmp_path: Path, norm: float, reports: int, *, sure: bool
) -> None:
    said = said_of(tmp_path, detected(norm, reports))
    assert said.family == "E1"
    assert (said.confidence > 0.5) is sure
