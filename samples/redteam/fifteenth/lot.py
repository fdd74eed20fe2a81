"""The lots of the fifteenth set's programs: ``python -m samples.redteam.fifteenth.lot``.

Lists, weights and rules were committed before any case was written. The family is drawn first; then framework, way and
complication until the rules allow them together with it. What was drawn again by hand, and why, is in ``REDRAWN``.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

SEED: Final = 15
ROUNDS: Final = {"a": range(1, 21), "b": range(21, 39)}

FAMILIES: Final = {
    "G1": 26,
    "A1": 12,
    "A2": 8,
    "C1": 5,
    "C2": 6,
    "C3": 3,
    "D1": 4,
    "D2": 4,
    "D3": 4,
    "E1": 7,
    "E2": 6,
    "E3": 4,
    "F2": 2,
    "F3": 4,
    "outside: disk full in mid-run": 2,
    "outside: a person's Ctrl-C": 2,
    "outside: hang-up of the terminal": 1,
    "cannot_decide: only the set-up is left": 2,
    "cannot_decide: it ends in mid-line, for no reason told": 2,
}
"""B1 to B3 need a GPU and F1 a cluster."""

MANY: Final = {
    "torch.multiprocessing DDP",
    "torchrun DDP",
    "Transformers Trainer",
    "accelerate",
    "Lightning",
    "JAX/Flax",
}
"""These can have ranks here."""
STEPS: Final = MANY | {
    "plain PyTorch loop",
    "TRL",
    "PEFT",
    "Keras",
    "TensorFlow",
    "Ignite",
    "fastai",
    "skorch",
    "sentence-transformers",
    "PyTorch Geometric",
    "NumPyro or Pyro",
    "Hydra around PyTorch",
    "MLflow around PyTorch",
    "submitit around PyTorch",
    "Optuna around PyTorch",
    "Ray Train",
    "Stable-Baselines3",
}
"""These have steps and a loader of their own, or of ours."""
FRAMEWORKS: Final = (
    *sorted(STEPS),
    "XGBoost",
    "LightGBM",
    "CatBoost",
    "spaCy",
    "scikit-learn",
    "gensim",
    "statsmodels",
)

ARRIVALS: Final = {
    "wrapped": 52,
    "logs: one file": 8,
    "logs: two files": 6,
    "logs: stderr lost": 6,
    "logs: only the tail": 5,
    "logs: one file with two attempts": 5,
    "logs: JSON lines": 4,
    "logs: loguru": 3,
    "logs: rich": 3,
    "logs: structlog": 3,
    "logs: kubectl's prefix": 2,
    "logs: docker's prefix": 2,
    "logs: journald's prefix": 2,
}

COMPLICATIONS: Final = {
    "none": 34,
    "frightening but harmless warnings": 8,
    "the error is swallowed, exit 0": 7,
    "exit non-zero after finishing well": 6,
    "an error of an earlier attempt above": 7,
    "a consequence louder than the cause": 8,
    "interleaved ranks": 6,
    "finished, but the loss did not fall or is nan late": 5,
    "the run resumes": 6,
    "early stopping": 5,
    "a user's cancel": 5,
    "messages in another language": 7,
}

_FITS: Final = {
    "the error is swallowed, exit 0": {"A1", "C1", "C2", "E2", "outside: disk full in mid-run"},
    "exit non-zero after finishing well": {"G1", "D1", "D2", "D3", "E1", "E3"},
    "a consequence louder than the cause": {"A1", "A2", "C1", "C2", "E2", "F3", "outside: disk full in mid-run"},
    "finished, but the loss did not fall or is nan late": {"E1", "G1"},
    "the run resumes": {"G1", "A1", "A2", "E1", "E2", "E3", "F2", "F3", "D1", "D2"},
    "early stopping": {"G1", "E3"},
    "a user's cancel": {"C1", "C2", "C3", "D1", "D2", "D3", "E1", "outside: a person's Ctrl-C"},
}
"""Complications that go with some families only."""
REDRAWN: Final[dict[int, tuple[str, ...]]] = {}
"""Of this number so many draws were set aside by hand, for these reasons."""


@dataclass(frozen=True)
class Lot:
    """What one case shall be."""

    number: int
    family: str
    framework: str
    arrival: str
    complication: str


def impossible(lot: Lot) -> bool:
    """Whether these cannot be had together."""
    ranks = lot.family in {"C1", "C2", "D3"} or lot.complication == "interleaved ranks"
    steps = lot.family in {"D1", "D2", "D3", "C3", "E1"} or "loss did not fall" in lot.complication
    return (
        (ranks and lot.framework not in MANY)
        or (steps and lot.framework not in STEPS)
        or lot.family not in _FITS.get(lot.complication, {lot.family})
        # a loss that does not fall is healthy where the loss is no measure of success
        or (lot.family == "G1" and "loss did not fall" in lot.complication and lot.framework != "Stable-Baselines3")
        # a wrapped run leaves its end and its node, whatever its log says
        or (lot.family.startswith("cannot_decide") and lot.arrival == "wrapped")
        or (lot.family.startswith("cannot_decide: it ends") and "tail" in lot.arrival)
    )


def draw(number: int) -> Lot:
    """The lot of this number, after what was set aside."""
    family = random.Random(f"{SEED} family {number}").choices(list(FAMILIES), list(FAMILIES.values()))[0]
    lots = random.Random(f"{SEED} case {number}")
    aside = len(REDRAWN.get(number, ()))
    while True:
        lot = Lot(
            number,
            family,
            lots.choice(FRAMEWORKS),
            lots.choices(list(ARRIVALS), list(ARRIVALS.values()))[0],
            lots.choices(list(COMPLICATIONS), list(COMPLICATIONS.values()))[0],
        )
        if not impossible(lot):
            if not aside:
                return lot
            aside -= 1


if __name__ == "__main__":
    for name, numbers in ROUNDS.items():
        for number in numbers:
            lot = draw(number)
            print(f"{name}{number:02} {lot.family:14} {lot.framework:26} {lot.arrival:34} {lot.complication}")
            for reason in REDRAWN.get(number, ()):
                print("    set aside:", reason)
