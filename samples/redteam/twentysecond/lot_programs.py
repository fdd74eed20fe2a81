"""The lots of the twenty-second set's programs: ``python -m samples.redteam.twentysecond.lot_programs``.

Lists, weights and rules were committed before any case was written. The family is drawn first; then framework, way and
complication until the rules allow them together with it. Nothing is drawn again by hand.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

SEED: Final = 22
NUMBERS: Final = range(1, 19)

FAMILIES: Final = {
    "G1": 22,
    "A1": 9,
    "A2": 8,
    "C1": 5,
    "C2": 7,
    "C3": 4,
    "D1": 5,
    "D2": 4,
    "D3": 4,
    "E1": 7,
    "E2": 6,
    "E3": 4,
    "F3": 5,
    "outside: disk full or quota in mid-run": 2,
    "outside: a person ends it": 2,
    "cannot_decide: the log stops while it goes well": 5,
    "cannot_decide: only what came before training is left": 5,
}
"""B1 to B3 need a GPU, F1 and F2 a cluster."""

MANY: Final = {
    "Accelerate and a plain loop with its logger",
    "DDP under torchrun with logging and rank in the format",
    "Hugging Face Trainer with a causal model",
    "Lightning's Trainer with callbacks and two devices or one",
    "multiprocessing and gloo's all_reduce by hand",
    "pytorch-ignite with handlers and idist",
    "ZeroRedundancyOptimizer over DDP",
}
"""These can have ranks here."""
STEPS: Final = MANY | {
    "a GAN of two losses by hand",
    "a policy gradient by hand",
    "a sequence tagger with loguru",
    "a siamese net in a package's own Trainer class",
    "a U-Net by hand with print",
    "a variational autoencoder by hand",
    "Hugging Face Trainer with a classifier",
    "Keras on torch with its own train_step",
    "plain torch with a CSV written by hand",
    "plain torch with rich's or tqdm's bars",
    "PyTorch Geometric over one large graph",
    "skorch with callbacks",
    "stable-baselines3",
}
"""These have steps and a loader of their own, or of ours."""
FRAMEWORKS: Final = (
    "XGBoost",
    *sorted(STEPS),
    "scikit-learn's MLP or SGD with verbose",
    "Optuna around nets with pruning",
    "LightGBM",
    "gensim",
    "CatBoost",
)

ARRIVALS: Final = {
    "wrapped": 50,
    "logs: tee": 8,
    "logs: nohup.out": 6,
    "logs: a terminal's typescript": 5,
    "logs: kubectl logs --timestamps": 6,
    "logs: a Slurm job's out": 6,
    "logs: out and err apart": 5,
    "logs: a file for each rank": 4,
    "logs: several runs one after the other in one file": 4,
    "logs: systemd's journal": 3,
    "logs: docker's JSON lines": 3,
}

COMPLICATIONS: Final = {
    "none": 26,
    "an error that was got over": 8,
    "a handled traceback in full": 6,
    "a validation between that takes its time": 5,
    "warm-up: nothing falls for a while": 4,
    "averages over windows, not steps": 5,
    "time stamps of another zone or none": 5,
    "a shell script that does other things before and after": 7,
    "old lines of an earlier run come first": 5,
    "messages in the user's own words, without the usual ones": 8,
    "progress bars only": 6,
    "a library's warnings all over": 5,
    "debug lines left in by its author": 5,
    "a curriculum or two stages, one after the other": 5,
    "the learning rate is printed in its own way": 4,
    "a profiler or timer prints tables": 3,
    "the exit status is that of something else": 5,
    "a consequence louder than the cause": 6,
    "another language than English": 6,
    "it goes on from a checkpoint": 5,
    "a summary is printed at the end, however it ends": 5,
    "retries by the program itself": 4,
    "key=value or JSON lines": 6,
}

_ENDS: Final = {"A1", "A2", "C1", "C2", "E2", "F3", "outside: disk full or quota in mid-run"}
_FITS: Final = {
    "the exit status is that of something else": _ENDS | {"G1"},
    "a consequence louder than the cause": _ENDS,
    "a validation between that takes its time": {"G1", "E1", "E3", "F3", "D2", "A2"},
    "warm-up: nothing falls for a while": {"G1", "A1", "A2", "E1", "E3", "F3"},
    "old lines of an earlier run come first": {"G1", "A1", "A2", "E1", "E2", "E3", "C2", "C3", "F3"},
    "it goes on from a checkpoint": {"G1", "A1", "A2", "E1", "E2", "E3", "F3", "D1", "D2"},
    "progress bars only": {"G1", "E1", "E3", "F3", "C2", "C3", "D1", "D2", "A2"},
}
"""Complications that go with some families only."""


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
    ranks = lot.family in {"C1", "C2", "D3"} or lot.arrival == "logs: a file for each rank"
    steps = lot.family in {"C3", "D1", "D2", "E1", "E2"}
    open_end = lot.family.startswith("cannot_decide")
    return (
        (ranks and lot.framework not in MANY)
        or (steps and lot.framework not in STEPS)
        or lot.family not in _FITS.get(lot.complication, {lot.family})
        # a wrapped run leaves its end and its node, whatever its log says
        or (open_end and lot.arrival == "wrapped")
    )


def draw(number: int) -> Lot:
    """The lot of this number."""
    family = random.Random(f"{SEED} family {number}").choices(list(FAMILIES), list(FAMILIES.values()))[0]
    lots = random.Random(f"{SEED} case {number}")
    while True:
        lot = Lot(
            number,
            family,
            lots.choice(FRAMEWORKS),
            lots.choices(list(ARRIVALS), list(ARRIVALS.values()))[0],
            lots.choices(list(COMPLICATIONS), list(COMPLICATIONS.values()))[0],
        )
        if not impossible(lot):
            return lot


if __name__ == "__main__":
    for number in NUMBERS:
        lot = draw(number)
        print(f"{number:02} {lot.family:52} {lot.framework:32} {lot.arrival:50} {lot.complication}")
