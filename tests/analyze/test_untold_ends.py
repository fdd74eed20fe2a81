"""Ends and progress that are told by other means than a loss: overflows, patience, games, a rank that gave up."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(path: Path, status: int | None = None) -> Verdict:
    return analyze(import_logs([path], exit_code=status), strict=True)[0]


def table(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    path = tmp_path / "train.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize(("sound_again", "family"), [(999, "E1"), (58, None)])
def test_gradients_that_overflow_to_the_end_take_no_step(tmp_path: Path, sound_again: int, family: str | None) -> None:
    rows = [
        {
            "step": 10 * n,
            "loss": max(8 - n / 8, 5.5) + n % 3 / 100,
            "grad_norm": "inf" if 20 <= n < sound_again else 1 + n % 5 / 10,
        }
        for n in range(60)
    ]
    assert judged(table(tmp_path, rows)).family == family


@pytest.mark.parametrize(("seen", "family"), [(4, "G1"), (2, None)])
def test_a_trainer_whose_patience_is_at_an_end_stopped_as_planned(
    tmp_path: Path, seen: int, family: str | None
) -> None:
    history = [{"epoch": n / 8, "loss": 2 / (1 + n / 5), "learning_rate": 3e-5, "step": 20 * n} for n in range(1, 31)]
    patience = {
        "args": {"early_stopping_patience": 4, "early_stopping_threshold": 0.0},
        "attributes": {"early_stopping_patience_counter": seen},
    }
    state = {"epoch": 3.75, "global_step": 600, "max_steps": 1600, "log_history": history}
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps(state | {"stateful_callbacks": {"EarlyStoppingCallback": patience}}))
    assert judged(path).family == family


@pytest.mark.parametrize(("steps", "breaks", "family"), [(40, False, "G1"), (25, False, None), (40, True, "E1")])
def test_a_game_in_a_table_is_progress(tmp_path: Path, steps: int, breaks: bool, family: str | None) -> None:
    rows = [
        {
            "iter": 50 * n,
            "max_iters": 2000,
            "loss_G": "nan" if breaks and n > 30 else 1.4 + n % 7 / 10,
            "loss_D": "nan" if breaks and n > 30 else 0.5 + n % 4 / 10,
        }
        for n in range(1, steps + 1)
    ]
    assert judged(table(tmp_path, rows)).family == family


@pytest.mark.parametrize(("printed", "family"), [("torch.distributed.DistNetworkError: ", "C1"), ("[c10d] ", None)])
def test_a_rank_that_never_reached_the_store(tmp_path: Path, printed: str, family: str | None) -> None:
    path = tmp_path / "rank_8.log"
    again = "" if family == "C1" else " - retrying (try=0, timeout=900000ms, delay=7267ms):"
    path.write_text(
        "world size 24, backend nccl\n"
        f"{printed}The client socket has timed out after 900000ms while trying to connect to (gpu-a, 29511).{again}\n"
    )
    assert judged(path, 1).family == family
