"""What losses do, and the ways to write them that more than one case needs."""

from __future__ import annotations

import csv
import json
import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from random import Random


def falling(
    rng: Random, points: int, start: float, floor: float, half: float = 0.08, noise: float = 0.02
) -> list[float]:
    """A loss that learns: half of the way to its floor is done at ``half`` of the run."""
    return [(floor + (start - floor) / (1 + i / points / half)) * rng.lognormvariate(0, noise) for i in range(points)]


def flat(rng: Random, points: int, level: float, noise: float = 0.004) -> list[float]:
    """A loss that does not move."""
    return [level * rng.lognormvariate(0, noise) for _ in range(points)]


def cosine(step: int, steps: int, peak: float, warm: int) -> float:
    """The rate of a cosine schedule with a linear warm-up."""
    if step < warm:
        return peak * (step + 1) / warm
    return peak * (0.05 + 0.95 * (1 + math.cos(math.pi * (step - warm) / (steps - warm))) / 2)


def clock(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A time of the day as a log prints it."""
    return datetime.fromtimestamp(seconds, UTC).strftime(form)


def lines(path: Path, rows: Iterable[str]) -> None:
    """A text file of these lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + "\n")


def json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """A file of one JSON object a line."""
    lines(path, map(json.dumps, rows))


def table(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str = ",") -> None:
    """A table with a head."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def trainer_state(path: Path, history: list[dict[str, Any]], steps: int, epochs: int, every: int) -> None:
    """The file that the Hugging Face Trainer puts in a checkpoint."""
    path.parent.mkdir(parents=True, exist_ok=True)
    last = history[-1]
    state = {
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": last["epoch"],
        "eval_steps": 500,
        "global_step": last["step"],
        "is_hyper_param_search": False,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": every,
        "max_steps": steps,
        "num_input_tokens_seen": 0,
        "num_train_epochs": epochs,
        "save_steps": 500,
        "train_batch_size": 4,
        "trial_name": None,
        "trial_params": None,
    }
    path.write_text(json.dumps(state, indent=2))
