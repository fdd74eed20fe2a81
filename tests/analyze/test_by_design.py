"""Losses that rise as they were meant to, beside ones that rise against what anybody wants. SIMULATED logs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def diverged(tmp_path: Path, lines: list[str]) -> bool:
    path = tmp_path / "train.log"
    path.write_text("\n".join([*lines, "saved final checkpoint to out/final.pt", "Training complete."]) + "\n")
    return analyze(import_logs([path]), strict=True)[0].family == "E1"


def reports(begin: int, end: int, loss: Callable[[int], float], more: Callable[[int], str] = lambda _: "") -> list[str]:
    return [f"step {n}/2000 | loss {loss(n) + n % 3 / 100:.4f}{more(n)}" for n in range(begin + 20, end + 1, 20)]


@pytest.mark.parametrize(
    ("head", "lost"),
    [
        ("gradient ascent on the forget set, 400 samples", False),
        ("attack: maximizing cross entropy, eps 8/255", False),
        ("Adam(amsgrad=False, lr=0.001, maximize=True)", False),
        ("ramping the L0 penalty from 0 to 1 over the run", False),
        ("warming up the learning rate from 0 to 3e-4, weight decay 0.1", True),
        ("gradient clipping on, 400 samples", True),
        ("AdamW(amsgrad: False, foreach: None, lr: 0.001, maximize: False)", True),
        ("maximizing GPU memory use, eps 1e-8", True),
    ],
)
def test_a_loss_that_is_to_rise_has_not_diverged(tmp_path: Path, head: str, lost: bool) -> None:
    curve = reports(0, 2000, lambda n: 1.2 + 9 * n / 2000)
    assert diverged(tmp_path, [head, *curve]) is lost


FALLS = reports(0, 1000, lambda n: 0.05 + 0.9 * math.exp(-n / 200))


@pytest.mark.parametrize(
    ("between", "lost"),
    [
        ("stage 2: hinge and perceptual loss, weights of stage 1", False),
        ("switching to the adversarial objective", False),
        ("enabling mixup and cutmix from here on", False),
        ("batch size -> 2048", False),
        ("evaluating with a batch size of 2048", True),
        ("evaluating on 400 samples", True),
        ("added 400 samples to the buffer", True),
    ],
)
def test_a_loss_that_became_another_one_tells_of_no_divergence(tmp_path: Path, between: str, lost: bool) -> None:
    curve = [*FALLS, between, *reports(1000, 2000, lambda n: 3.2 - (n - 1000) / 4000)]
    assert diverged(tmp_path, curve) is lost


@pytest.mark.parametrize("words", ["=== curriculum stage {}: longer texts ===", "=== checkpoint {} written ==="])
def test_stages_each_of_which_is_harder(tmp_path: Path, words: str) -> None:
    lines = []
    for k in range(4):
        lines += [words.format(k + 1), *reports(500 * k, 500 * k + 500, lambda n, k=k: 1 + 1.1 * k + _falls(n))]  # type: ignore[misc]
    assert diverged(tmp_path, lines) is ("checkpoint" in words)


def _falls(n: int) -> float:
    return 1.2 * math.exp(-((n - 20) % 500) / 120)


@pytest.mark.parametrize("after", [0, 200])
def test_a_rise_that_goes_on_or_comes_later_is_not_of_the_stage(tmp_path: Path, after: int) -> None:
    same = reports(1000, 1000 + after, lambda _: 0.06)
    rise = reports(1000 + after, 2000, lambda n: 3 + (n - 1000) / 40 if not after else 3.2)
    assert diverged(tmp_path, [*FALLS, "stage 2: hinge loss", *same, *rise])


@pytest.mark.parametrize(
    ("more", "lost"),
    [
        (lambda n: f" beta {n / 2000:.3f} kl 180.0", False),
        (lambda n: f" kl_weight={n / 2000:.3f} kl=180.0", False),
        (lambda _: " beta 0.900 kl 180.0", True),
        (lambda n: f" beta {1 - n / 4000:.3f} kl 180.0", True),
        (lambda n: f" tokens {n}", True),
    ],
)
def test_a_part_that_weighs_more_and_more_raises_the_whole(
    tmp_path: Path, more: Callable[[int], str], lost: bool
) -> None:
    assert diverged(tmp_path, reports(0, 2000, lambda n: 40 + 160 * n / 2000, more)) is lost


@pytest.mark.parametrize(("rises", "lost"), [(1.3, False), (4.0, True)])
def test_a_loss_rises_with_the_batch_it_chooses_among_and_no_further(tmp_path: Path, rises: float, lost: bool) -> None:
    """Three times twice as many negatives cost the logarithm of eight."""
    sizes = [256 << (n // 20) for n in range(80)]
    rows = [f"{n},{b},{5.5 - 4.1 * (1 - math.exp(-n / 8)) + rises * (n // 20) / 2:.4f}" for n, b in enumerate(sizes)]
    path = tmp_path / "log.csv"
    path.write_text("epoch,batch_size,loss\n" + "\n".join(rows) + "\n")
    assert (analyze(import_logs([path]), strict=True)[0].family == "E1") is lost
