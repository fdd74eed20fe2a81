"""What the forty-first set found wrong at first contact, in short texts of our own with near misses."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from .short_logs import verdict_of

if TYPE_CHECKING:
    from pathlib import Path

_CHANCE = random.Random(41)


# --- a run that says what an answer without learning gives --------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "end", "family"),
    [
        ("4000 windows; always saying the mean would give mse 1.9826", 2.0, None),
        ("4000 windows; always saying the mean would give mse 1.9826", 0.4, "G1"),
        ("loss of random guessing: 2.01", 2.0, None),
        ("4000 windows; the target has a variance of 1.9826", 2.0, "G1"),
    ],
)
def test_a_loss_that_ends_where_guessing_is(tmp_path: Path, said: str, end: float, family: str | None) -> None:
    losses = [end + 30 * 0.3**n + _CHANCE.uniform(0, 0.02) for n in range(24)]
    run = [f"epoch {n + 1}/24 loss {loss:.4f}" for n, loss in enumerate(losses)]
    assert verdict_of(tmp_path, [said, *run, "training done"], 0).family == family


# --- an event of Kubernetes tells of others' ends -----------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("kubernetes: event JobFailed of pytorchjob/asr: PyTorchJob asr is failed because 4 replica(s) failed.", None),
        ("loader: cannot read the manifest of asr, 4 parts failed.", "A1"),
    ],
)
def test_an_event_of_a_platform_is_no_error_of_a_program(tmp_path: Path, said: str, family: str | None) -> None:
    assert verdict_of(tmp_path, ["starting asr.py", "reading the manifest", said], 1).family == family
