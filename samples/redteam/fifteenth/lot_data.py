"""The lots of the data half of the fifteenth set: lists, weights and rules, written before any case; seed 1515.

SIMULATED: nothing here was taken from a real job. ``python -m samples.redteam.fifteenth.lot_data`` prints the draws.
Frameworks come from a shuffled deck, so that none returns before all have come; truths are drawn with weights, and a
complication that cannot exist with its truth or framework is drawn again. Of incidents, the families that are neither
healthy nor undecidable come from a shuffled deck as well.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED: Final = 1515
CURVES: Final = 34
"""Round A takes the first 18."""
INCIDENTS: Final = 28
"""Round A takes the first 14."""

FRAMEWORKS: Final = (
    "hf_lines",
    "hf_state",
    "trl_sft",
    "trl_dpo",
    "trl_grpo",
    "llamafactory",
    "lightning_csv",
    "keras_bars",
    "megatron",
    "nemo",
    "torchtitan",
    "nanogpt",
    "deepspeed",
    "fairseq",
    "mmengine",
    "ultralytics",
    "sb3",
    "rllib",
    "xgboost",
    "lightgbm",
    "catboost",
    "tensorboard_csv",
    "wandb_history",
    "mlflow",
    "tqdm",
    "own_loop",
    "timm",
)
TREES: Final = ("xgboost", "lightgbm", "catboost")
REWARDED: Final = ("sb3", "rllib", "trl_grpo")
TABLES: Final = ("lightning_csv", "tensorboard_csv", "own_loop", "tqdm")
"""Where a spreadsheet or the author's own words may come between."""

TRUTHS: Final = {
    "G1": 0.25,
    "undecidable": 0.10,
    "E1 nan": 0.04,
    "E1 explodes": 0.05,
    "E1 flat at chance": 0.05,
    "E1 dead, gradient nought": 0.04,
    "E1 creeps up": 0.04,
    "E1 scaler starves": 0.03,
    "E2 silent restart": 0.05,
    "E2 load crash": 0.04,
    "E3 stops far short": 0.06,
    "E3 tiny plan": 0.03,
    "F3": 0.05,
    "A1 in mid-run": 0.05,
    "B1": 0.04,
    "A2 out of memory": 0.03,
    "A2 segfault": 0.02,
    "C2": 0.03,
}
ENDINGS: Final = ("F3", "A1", "B1", "A2", "C2")

CURVE_TROUBLES: Final = {
    "none": 0.34,
    "noisy": 0.07,
    "spikes recover": 0.07,
    "loss says nothing": 0.05,
    "tail only": 0.07,
    "two attempts": 0.07,
    "plan unknown": 0.07,
    "clock gaps": 0.06,
    "evaluation worse": 0.06,
    "early stopping": 0.05,
    "low from the start": 0.05,
    "units": 0.04,
}

FAMILIES: Final = ("A1", "A2", "B1", "B2", "B3", "C1", "C2", "C3", "D1", "D2", "D3", "F1", "F2", "F3", "outside")
HEALTHY: Final = 0.25
UNDECIDABLE: Final = 0.10
MISSING: Final = {
    "nothing": 0.34,
    "sacct": 0.11,
    "dmesg": 0.11,
    "logs": 0.11,
    "most DCGM fields": 0.11,
    "DCGM of one node": 0.11,
    "resolution": 0.11,
}
ODDITIES: Final = {
    "none": 0.34,
    "old XID 31 of another job": 0.08,
    "hot, not throttled": 0.08,
    "drained neighbour": 0.08,
    "ECC corrected": 0.08,
    "evaluation pause": 0.07,
    "checkpoint pause": 0.07,
    "clock skew": 0.07,
    "another job on the node": 0.07,
    "time zone": 0.06,
}
SHAPES: Final = ((1, 1), (1, 2), (1, 4), (1, 8), (2, 2), (2, 4), (2, 8), (3, 4), (4, 4), (4, 8), (6, 4), (8, 2), (8, 4))
"""Nodes and GPUs of each."""
SEVERAL: Final = ("C1", "C2", "D3", "F1")
"""Families that need more than one GPU; all but D3 also more than one node here."""


@dataclass(frozen=True)
class Curve:
    """One lot of the kind ``curves``."""

    case: str
    framework: str
    truth: str
    trouble: str


@dataclass(frozen=True)
class Incident:
    """One lot of the kind ``telemetry``."""

    case: str
    family: str
    missing: str
    oddity: str
    nodes: int
    gpus: int
    minutes: int
    step_s: int


def _weighted(rng: Random, of: dict[str, float]) -> str:
    """One of these, by weight."""
    return rng.choices(tuple(of), tuple(of.values()))[0]


def _truth_exists(framework: str, truth: str) -> bool:
    """Whether a run of this framework can have this truth."""
    if framework in TREES:
        return not truth.startswith(("E1 nan", "E1 dead", "E1 scaler", "E1 explodes", "E2", "B1", "C2"))
    if truth == "E1 scaler starves":
        return framework in ("hf_lines", "megatron", "deepspeed", "own_loop", "fairseq", "mmengine", "timm", "tqdm")
    if framework in REWARDED:
        return not truth.startswith(("E1 explodes", "E1 creeps"))
    return True


def _trouble_exists(framework: str, truth: str, trouble: str) -> bool:
    """Whether the trouble can lie over this run and leaves its truth what it is."""
    rules = {
        "loss says nothing": framework in (*REWARDED, "own_loop", "tensorboard_csv", "wandb_history"),
        "units": framework in TABLES,
        "early stopping": truth == "G1" and framework not in REWARDED,
        "evaluation worse": truth == "G1" or truth.startswith(ENDINGS),
        "low from the start": (truth == "G1" or truth.startswith(ENDINGS)) and framework not in REWARDED,
        "tail only": not truth.startswith(("E1", "E2", "E3", "undecidable")),
        "two attempts": not truth.startswith(("E2", "undecidable")),
        "plan unknown": not truth.startswith(("E3", "undecidable")),
        "spikes recover": not truth.startswith(("E1 nan", "E1 explodes", "E1 dead")),
    }
    return rules.get(trouble, True)


def curves() -> list[Curve]:
    """The lots of all curves."""
    rng = Random(SEED)
    deck: list[str] = []
    out = []
    for number in range(1, CURVES + 1):
        if not deck:
            deck = list(FRAMEWORKS)
            rng.shuffle(deck)
        framework = deck.pop()
        truth = _weighted(rng, TRUTHS)
        while not _truth_exists(framework, truth):
            truth = _weighted(rng, TRUTHS)
        trouble = _weighted(rng, CURVE_TROUBLES)
        while not _trouble_exists(framework, truth, trouble):
            trouble = _weighted(rng, CURVE_TROUBLES)
        out.append(Curve(f"c{number:02d}", framework, truth, trouble))
    return out


def _shape(rng: Random, family: str, missing: str) -> tuple[int, int]:
    """Nodes and GPUs that the family and what is missing need."""
    while True:
        nodes, gpus = rng.choice(SHAPES)
        if family == "C3":
            return 1, 1
        if nodes * gpus == 1 and family in SEVERAL:
            continue
        if nodes == 1 and (family in ("C1", "C2", "F1") or missing == "DCGM of one node"):
            continue
        return nodes, gpus


def incidents() -> list[Incident]:
    """The lots of all incidents."""
    rng = Random(SEED + 1)
    deck: list[str] = []
    out = []
    for number in range(1, INCIDENTS + 1):
        chance = rng.random()
        if chance < HEALTHY:
            family = "G1"
        elif chance < HEALTHY + UNDECIDABLE:
            family = "undecidable"
        else:
            if not deck:
                deck = list(FAMILIES)
                rng.shuffle(deck)
            family = deck.pop()
        missing = _weighted(rng, MISSING)
        while missing == "DCGM of one node" and family == "C3":
            missing = _weighted(rng, MISSING)
        oddity = _weighted(rng, ODDITIES)
        nodes, gpus = _shape(rng, family, missing)
        minutes = rng.randrange(20, 121, 5)
        step_s = 60 if missing == "resolution" else rng.choice((10, 15, 15, 30))
        out.append(Incident(f"t{number:02d}", family, missing, oddity, nodes, gpus, minutes, step_s))
    return out


def _show(rows: Sequence[Curve] | Sequence[Incident]) -> None:
    """Print lots, one a line."""
    for row in rows:
        print(" | ".join(str(cell) for cell in astuple(row)))


if __name__ == "__main__":
    _show(curves())
    _show(incidents())
