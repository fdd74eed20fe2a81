"""Draw the programs of the fourteenth set by lot: ``python -m samples.redteam.fourteenth.lot`` prints them.

The lists, their weights and what goes with what were written, and committed, before any case was. A draw that turned out
to be impossible here, or to take more than ten minutes to make, stands in ``REDRAWN`` with its reason; the next takes
its place.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

SEED: Final = 14
ROUND_A: Final = 20
ROUND_B: Final = 18

RANKED: Final = (
    "PyTorch DDP, spawned",
    "PyTorch DDP, torchrun",
    "PyTorch FSDP, torchrun",
    "Transformers Trainer",
    "TRL",
    "PEFT",
    "accelerate launch",
    "Lightning",
    "Ignite",
    "JAX/Flax",
    "XGBoost",
    "LightGBM",
    "Ray",
)
"""What can run as several ranks on one machine without a GPU."""
SINGLE: Final = (
    "plain PyTorch",
    "Keras",
    "TensorFlow",
    "CatBoost",
    "Stable-Baselines3",
    "Optuna",
    "submitit",
    "Hydra",
    "MLflow",
    "fastai",
    "spaCy",
    "scikit-learn",
    "gensim",
    "sentence-transformers",
    "skorch",
    "timm",
    "Pyro",
)
ITERATED: Final = (*RANKED, *(name for name in SINGLE if name not in ("scikit-learn", "gensim")))
"""What reports steps with a loss that can be followed."""
BATCHED: Final = tuple(
    name for name in ITERATED if name not in ("XGBoost", "LightGBM", "CatBoost", "Stable-Baselines3", "spaCy")
)
"""What reads batches from a loader, and saves when it is told to."""

ALL: Final = (*RANKED, *SINGLE)
FAMILIES: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
    "G1": (12, ALL),
    "outside or undecidable": (4, ALL),
    "A1": (4, ALL),
    "A2": (3, ALL),
    "C1": (2, RANKED),
    "C2": (2, RANKED),
    "D1": (2, BATCHED),
    "D2": (2, BATCHED),
    "D3": (2, RANKED),
    "E1": (3, ITERATED),
    "E2": (3, ALL),
    "E3": (3, ITERATED),
    "F2": (2, ALL),
    "F3": (3, ALL),
}
"""Weight, and where it can happen. Without a GPU: no B1, B2, B3, and no C3 by its name; with one machine: no F1."""
UNDECIDED: Final = (
    "a user's cancel",
    "a disk full in mid-run",
    "a hang of a single process",
    "a log that stops",
    "an operator's kill, announced",
)
"""What "outside or undecidable" may be."""

ARRIVALS: Final[dict[str, int]] = {
    "wrapped": 12,
    "logs: stdout and stderr in one": 2,
    "logs: two files": 2,
    "logs: stderr lost": 1,
    "logs: only the tail": 1,
    "logs: one file, two attempts": 1,
    "logs: JSON lines": 1,
    "logs: loguru": 1,
    "logs: rich": 1,
    "logs: structlog": 1,
    "logs: prefix of kubectl": 1,
    "logs: prefix of docker compose": 1,
    "logs: prefix of journald": 1,
}

_LOST: Final = ("A1", "A2", "C1", "C2", "E2", "F2", "F3")
COMPLICATIONS: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
    "none": (4, tuple(FAMILIES)),
    "frightening but harmless warnings": (1, tuple(FAMILIES)),
    "the error is swallowed, exit 0": (1, ("A1", "A2", "C1", "C2", "E2")),
    "non-zero after finishing well": (1, ("G1", "E1", "E3", "D1", "D2", "D3")),
    "an error of an earlier attempt above": (1, tuple(FAMILIES)),
    "a louder consequence": (1, _LOST),
    "interleaved ranks": (1, tuple(FAMILIES)),
    "finished, loss did not fall or nan late": (1, ("E1",)),
    "resumes": (1, tuple(FAMILIES)),
    "early stopping": (1, ("G1", "E1", "E3")),
    "a user's cancel": (1, ("C1", "C2", "D1", "D2", "D3", "E1")),
    "messages in another language": (1, tuple(FAMILIES)),
}
"""Weight, and to which families it can be added. "interleaved ranks" wants what can run as several."""

REDRAWN: Final[dict[int, str]] = {}
"""Number of a draw, and why it was put back."""


class Draw(NamedTuple):
    """One draw."""

    number: int
    family: str
    what: str
    framework: str
    arrival: str
    complication: str


def draw(lot: random.Random, number: int) -> Draw:
    """One draw: the family first, then the framework among those in which it can happen, then the rest."""
    family = lot.choices(list(FAMILIES), [weight for weight, _ in FAMILIES.values()])[0]
    what = lot.choice(UNDECIDED) if family == "outside or undecidable" else ""
    framework = lot.choice(FAMILIES[family][1])
    arrival = lot.choices(list(ARRIVALS), list(ARRIVALS.values()))[0]
    fitting = {
        name: weight
        for name, (weight, families) in COMPLICATIONS.items()
        if family in families and (name != "interleaved ranks" or framework in RANKED)
    }
    complication = lot.choices(list(fitting), list(fitting.values()))[0]
    return Draw(number, family, what, framework, arrival, complication)


def lots() -> list[Draw]:
    """Those that became cases: round A's first, then round B's."""
    lot = random.Random(SEED)
    taken: list[Draw] = []
    number = 0
    while len(taken) < ROUND_A + ROUND_B:
        number += 1
        one = draw(lot, number)
        if number not in REDRAWN:
            taken.append(one)
    return taken


def main() -> None:
    """Print the lots."""
    for place, one in enumerate(lots()):
        parts = (one.family, one.what, one.framework, one.arrival, one.complication)
        print(f"{'A' if place < ROUND_A else 'B'}{one.number:3}", " | ".join(part for part in parts if part))


if __name__ == "__main__":
    main()
