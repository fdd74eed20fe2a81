"""The lots of the sixteenth set's programs: ``python -m samples.redteam.sixteenth.lot``.

Lists, weights and rules were committed before any case was written. The family is drawn first; then framework, way and
complication until the rules allow them together with it. Nothing is drawn again by hand.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

SEED: Final = 16
NUMBERS: Final = range(1, 29)

FAMILIES: Final = {
    "G1": 22,
    "A1": 12,
    "A2": 9,
    "C1": 6,
    "C2": 7,
    "C3": 3,
    "D1": 4,
    "D2": 4,
    "D3": 4,
    "E1": 9,
    "E2": 7,
    "E3": 4,
    "F2": 3,
    "F3": 5,
    "outside: disk full or quota in mid-run": 2,
    "outside: a person ends it": 2,
    "outside: files of the run removed under it": 1,
    "cannot_decide: the log stops while it goes well": 3,
    "cannot_decide: only what came before training is left": 2,
}
"""B1 to B3 need a GPU and F1 a cluster."""

MANY: Final = {
    "FSDP2 under torchrun",
    "torch.distributed by hand",
    "Lightning Fabric",
    "Seq2SeqTrainer",
    "accelerate with gradient accumulation",
    "JAX on several processes",
    "MMEngine",
    "MONAI",
}
"""These can have ranks here."""
STEPS: Final = MANY | {
    "a nanoGPT-like script",
    "timm in a loop of ours",
    "diffusers",
    "Poutyne",
    "pytorch-tabnet",
    "PyKEEN",
    "GPyTorch",
    "Equinox",
    "Flax NNX",
    "Haiku",
    "a CleanRL-like PPO",
    "GluonTS",
    "tinygrad",
    "Flower",
    "Ultralytics",
    "DataParallel with argparse",
}
"""These have steps and a loader of their own, or of ours."""
FRAMEWORKS: Final = (
    *sorted(STEPS),
    "NGBoost",
    "hmmlearn",
    "lifelines",
    "implicit",
    "emcee",
    "river",
)

ARRIVALS: Final = {
    "wrapped": 50,
    "logs: one file": 7,
    "logs: nohup.out": 4,
    "logs: out and err of a batch system": 6,
    "logs: a terminal's typescript": 4,
    "logs: a file for each rank, or for each part": 5,
    "logs: several runs one after the other in one file": 5,
    "logs: only the head": 3,
    "logs: the middle cut out": 3,
    "logs: stdout lost": 4,
    "logs: absl": 3,
    "logs: JSON lines of the program's own": 4,
    "logs: times put before each line": 4,
    "logs: Windows line ends": 2,
}

COMPLICATIONS: Final = {
    "none": 30,
    "words in its texts that sound like a failure": 8,
    "the exit status is that of something else": 7,
    "a clean-up step after it fails or shouts": 6,
    "an error that was got over": 8,
    "a consequence louder than the cause": 8,
    "its numbers have other names": 8,
    "few reports, far apart": 6,
    "it goes on from a checkpoint": 7,
    "killed by the owner's script": 4,
    "a tool speaks between": 5,
    "a language that is not English": 7,
    "one rank tells another story than the rest": 5,
}

_ENDS: Final = {"A1", "A2", "C1", "C2", "E2", "F2", "F3", "outside: disk full or quota in mid-run"}
_FITS: Final = {
    "the exit status is that of something else": _ENDS | {"G1"},
    "a clean-up step after it fails or shouts": {"G1", "D1", "D2", "D3", "E1", "E3"},
    "a consequence louder than the cause": _ENDS - {"F2"},
    "its numbers have other names": {"G1", "E1", "E2", "E3", "D1", "D2", "F3"},
    "few reports, far apart": {"G1", "E1", "E3", "F3", "C2", "C3", "D1", "D2"},
    "it goes on from a checkpoint": {"G1", "A1", "A2", "E1", "E2", "E3", "F2", "F3"},
    "killed by the owner's script": {"C1", "C2", "C3", "D1", "D2", "E1", "outside: a person ends it"},
    "one rank tells another story than the rest": {"A1", "A2", "C1", "C2", "D3", "G1"},
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
    ranks = lot.family in {"C1", "C2", "D3"} or lot.complication.startswith("one rank")
    steps = lot.family in {"C3", "D1", "D2", "E1", "E2"} or lot.complication == "its numbers have other names"
    open_end = lot.family.startswith("cannot_decide")
    return (
        (ranks and lot.framework not in MANY)
        or (steps and lot.framework not in STEPS)
        or lot.family not in _FITS.get(lot.complication, {lot.family})
        # a wrapped run leaves its end and its node, whatever its log says
        or (open_end and lot.arrival == "wrapped")
        # what is cut away cannot be the part that the truth rests on
        or (lot.arrival == "logs: only the head" and not open_end)
        or (lot.arrival == "logs: stdout lost" and not (lot.family in {"A1", "A2", "E2", "C1", "C2"} or open_end))
        or (lot.arrival == "logs: absl" and "torch" in lot.framework.lower())
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
        print(f"{number:02} {lot.family:52} {lot.framework:38} {lot.arrival:50} {lot.complication}")
