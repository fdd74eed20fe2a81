"""The lots of the twenty-fifth set's programs: ``python -m samples.redteam.twentyfifth.lot_programs``.

Lists, weights and rules were committed before any case was written. The family is drawn first; then framework, way and
complication until the rules allow them together with it. Nothing is drawn again by hand.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

SEED: Final = 25
NUMBERS: Final = range(1, 37)

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
    "Accelerate with gradient accumulation",
    "DDP under torchrun with logging's format",
    "DDP with torch.multiprocessing's spawn",
    "FSDP's fully_shard on gloo",
    "Hugging Face Trainer",
    "Lightning's Trainer",
    "Lightning's Fabric",
    "pytorch-ignite's idist.Parallel",
}
"""These can have ranks here."""
STEPS: Final = MANY | {
    "an autoencoder by hand",
    "a contrastive pair of encoders by hand",
    "a small GPT by hand",
    "a normalising flow by hand",
    "a denoiser of images with a class Trainer of one's own",
    "a speech recogniser with CTC by hand",
    "a recommender with structlog",
    "PPO by hand",
    "Keras on torch with fit and callbacks",
    "plain torch with print",
    "plain torch with tqdm",
    "skorch",
    "stable-baselines3",
}
"""These have steps and a loader of their own, or of ours."""
FRAMEWORKS: Final = (
    "XGBoost with a callback",
    *sorted(STEPS),
    "LightGBM",
    "CatBoost",
    "Optuna around small nets",
    "gensim",
    "scikit-learn's MLP or boosting with verbose",
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
    "an evaluation between that takes its time": 5,
    "a noisy objective: it falls slowly": 5,
    "several losses or heads side by side": 6,
    "steps only now and then in the log": 5,
    "a shell script that does other things before and after": 7,
    "old lines of an earlier run come first": 5,
    "messages in the user's own words, without the usual ones": 8,
    "progress bars only": 5,
    "warnings of libraries all over": 5,
    "the exit status is that of something else": 5,
    "a consequence louder than the cause": 6,
    "another language than English": 7,
    "it goes on from a checkpoint": 5,
    "a summary is printed at the end, however it ends": 5,
    "a sweep: several configurations one after the other": 4,
    "key=value or JSON lines": 6,
    "two programs write to the same log": 3,
}

_ENDS: Final = {"A1", "A2", "C1", "C2", "E2", "F3", "outside: disk full or quota in mid-run"}
_FITS: Final = {
    "the exit status is that of something else": _ENDS | {"G1"},
    "a consequence louder than the cause": _ENDS,
    "an evaluation between that takes its time": {"G1", "E1", "E3", "F3", "D2", "A2"},
    "a noisy objective: it falls slowly": {"G1", "A1", "A2", "E1", "E3", "F3"},
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


def draw(number: int, seed: int = SEED) -> Lot:
    """The lot of this number; a later set draws by the same rules with a seed of its own."""
    family = random.Random(f"{seed} family {number}").choices(list(FAMILIES), list(FAMILIES.values()))[0]
    lots = random.Random(f"{seed} case {number}")
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


def show(lot: Lot) -> str:
    """A line for who writes the case."""
    return f"{lot.number:02} {lot.family:52} {lot.framework:32} {lot.arrival:50} {lot.complication}"


if __name__ == "__main__":
    for number in NUMBERS:
        print(show(draw(number)))
