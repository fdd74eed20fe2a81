"""The lots of the data half of the sixteenth set: lists, weights and rules, written before any case; seed 1616.

SIMULATED: nothing here was taken from a real job. ``python -m samples.redteam.sixteenth.lot_data`` prints the draws.
The truth is drawn first, by itself; then all else, and what cannot exist together with what is drawn already is drawn
again. Frameworks and cards come from shuffled decks, so that none returns before all have come; so do the families of
incidents that are neither healthy nor undecidable.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED: Final = 1616
CURVES: Final = 22
INCIDENTS: Final = 18

TRUTHS: Final = {
    "G1": 0.20,
    "undecidable": 0.09,
    "E1 nan": 0.04,
    "E1 explodes": 0.06,
    "E1 flat at chance": 0.04,
    "E1 dead": 0.03,
    "E1 creeps up": 0.06,
    "E1 scaler starves": 0.05,
    "E2 silent restart": 0.05,
    "E2 load crash": 0.03,
    "E3 stops far short": 0.05,
    "E3 tiny plan": 0.02,
    "D1": 0.03,
    "F2": 0.03,
    "F3": 0.05,
    "A1 in mid-run": 0.05,
    "B1": 0.03,
    "A2": 0.04,
    "C2": 0.03,
    "outside: cancelled by a person": 0.02,
    "outside: disk full": 0.02,
}
ENDED: Final = ("F2", "F3", "A1", "B1", "A2", "C2", "outside")
"""It learned well, and something ended it."""

FRAMEWORKS: Final = (
    "axolotl",
    "unsloth",
    "open_clip",
    "detectron2",
    "espnet",
    "speechbrain",
    "nnunet",
    "monai",
    "composer",
    "opennmt",
    "marian",
    "maxtext",
    "clu",
    "paddle",
    "icefall",
    "fastai",
    "diffusers",
    "cleanrl",
    "litgpt",
    "torchtune",
    "gpt_neox",
    "spacy",
    "flair",
    "stylegan",
    "clearml_csv",
    "aim_csv",
    "own_jsonl",
    "sheet",
)
NO_LOSS: Final = ("cleanrl", "stylegan")
"""Whose losses do not tell whether it learns."""
MIXED: Final = (
    "axolotl",
    "unsloth",
    "espnet",
    "composer",
    "icefall",
    "gpt_neox",
    "own_jsonl",
    "sheet",
    "litgpt",
    "nnunet",
)
"""Which can show a loss scale."""
FREE: Final = (
    "clearml_csv",
    "aim_csv",
    "own_jsonl",
    "sheet",
    "marian",
    "opennmt",
    "composer",
    "maxtext",
    "icefall",
    "flair",
)
"""Whose axes or losses come in more than one unit."""
TABLES: Final = ("clearml_csv", "aim_csv", "sheet")
"""Which leave numbers and no words."""

TROUBLES: Final = {
    "none": 0.20,
    "noisy": 0.06,
    "spikes recover": 0.07,
    "early stopping": 0.16,
    "units": 0.10,
    "two attempts": 0.09,
    "three attempts": 0.05,
    "chain of links": 0.09,
    "tail only": 0.05,
    "plan unknown": 0.05,
    "clock gaps": 0.05,
    "evaluation worse": 0.05,
    "low from the start": 0.04,
    "ranks interleaved": 0.05,
    "others shout": 0.05,
}
OPENINGS: Final = (
    "nothing",
    "Slurm prologue",
    "NGC banner",
    "conda and pip",
    "configuration",
    "git state",
    "modules",
    "nvidia-smi",
    "warm-up and tests",
)
CLOSINGS: Final = (
    "last report alone",
    "summary",
    "summary and upload",
    "status by the shell",
    "seff",
    "time -v",
    "next job submitted",
    "clean-up trap",
)
LEFT: Final = {"one log": 0.4, "gz": 0.1, "out and err": 0.2, "log and sacct": 0.15, "log and metrics": 0.15}

FAMILIES: Final = ("A1", "A2", "B1", "B2", "B3", "C1", "C2", "C3", "D1", "D2", "D3", "E1", "F1", "F2", "F3", "outside")
HEALTHY: Final = 0.20
UNDECIDABLE: Final = 0.10
CARDS: Final = (
    "Tesla V100-SXM2-32GB",
    "NVIDIA A100-SXM4-40GB",
    "NVIDIA A100-SXM4-80GB",
    "NVIDIA A100 80GB PCIe",
    "NVIDIA H100 80GB HBM3",
    "NVIDIA H100 PCIe",
    "NVIDIA H200",
    "NVIDIA L40S",
    "NVIDIA A10",
    "NVIDIA GH200 480GB",
    "NVIDIA RTX 6000 Ada Generation",
    "Tesla T4",
    "NVIDIA B200",
)
WORK: Final = (
    "dense language model",
    "vision with loader",
    "bursts of reinforcement learning",
    "graphs, bound by memory",
    "pipeline with bubbles",
    "experts, all to all",
    "small model, low duty",
    "diffusion",
)
FORMS: Final = {
    "prometheus, one file": 0.35,
    "prometheus, one a metric": 0.2,
    "prometheus, one a node": 0.15,
    "dcgmi dmon": 0.15,
    "nvidia-smi csv": 0.15,
}
MISSING: Final = {
    "nothing": 0.34,
    "sacct": 0.11,
    "dmesg": 0.11,
    "logs": 0.11,
    "profiling fields": 0.11,
    "metrics of one node": 0.11,
    "resolution": 0.11,
}
ODDITIES: Final = {
    "none": 0.22,
    "power cap of the site": 0.08,
    "exporter restarted": 0.08,
    "old XID of another job": 0.08,
    "one card runs hot": 0.08,
    "requeued before": 0.10,
    "link of a chain": 0.10,
    "long evaluation": 0.07,
    "names in full and short": 0.07,
    "zone": 0.06,
    "neighbour drained": 0.06,
    "idle card in the node": 0.06,
}
LOGS: Final = ("print", "logging", "composer", "gpt_neox", "jsonl", "torchtune", "epochs", "bars", "maxtext")
SHAPES: Final = ((1, 1), (1, 2), (1, 4), (1, 8), (2, 1), (2, 4), (2, 8), (3, 2), (4, 4), (5, 4), (4, 8), (8, 4))
"""Nodes and GPUs of each."""


@dataclass(frozen=True)
class Curve:
    """One lot of the kind ``curves``."""

    case: str
    truth: str
    framework: str
    trouble: str
    opening: str
    closing: str
    left: str


@dataclass(frozen=True)
class Incident:
    """One lot of the kind ``telemetry``."""

    case: str
    family: str
    card: str
    work: str
    missing: str
    oddity: str
    form: str
    log: str
    opening: str
    closing: str
    nodes: int
    gpus: int
    minutes: int
    step_s: int


def _weighted(rng: Random, of: dict[str, float], fits: Callable[[str], bool] = bool) -> str:
    """One of these that fits, by weight."""
    while True:
        one = rng.choices(tuple(of), tuple(of.values()))[0]
        if fits(one):
            return one


class _Deck:
    """Cards that come back only when all have come."""

    def __init__(self, rng: Random, of: Sequence[str]) -> None:
        """All of them lie in the deck, shuffled."""
        self._rng, self._of = rng, of
        self._left: list[str] = []

    def draw(self, fits: Callable[[str], bool] = bool) -> str:
        """The first that fits; the others stay."""
        if not any(fits(one) for one in self._left):
            again = list(self._of)
            self._rng.shuffle(again)
            self._left += again
        one = next(one for one in self._left if fits(one))
        self._left.remove(one)
        return one


def _framework_exists(truth: str, framework: str) -> bool:
    """Whether a run of this framework can have this truth, and show it."""
    if truth == "E1 scaler starves":
        return framework in MIXED
    if framework in NO_LOSS:
        return not truth.startswith(("E1 explodes", "E1 creeps", "E1 flat", "E1 dead", "D1"))
    if framework in TABLES:
        return not truth.startswith((*ENDED, "E2 load", "D1"))
    return True


def _trouble_exists(truth: str, framework: str, trouble: str) -> bool:
    """Whether the trouble can lie over this run and leaves its truth what it is."""
    well = truth == "G1" or truth.startswith(ENDED)
    rules = {
        "units": framework in FREE,
        "early stopping": truth == "G1" and framework not in NO_LOSS,
        "evaluation worse": well and framework not in NO_LOSS,
        "low from the start": well and framework not in NO_LOSS,
        "tail only": well and framework not in TABLES,
        "two attempts": not truth.startswith(("E2", "undecidable")) and framework not in TABLES,
        "three attempts": not truth.startswith(("E2", "undecidable")) and framework not in TABLES,
        "chain of links": not truth.startswith(("E2", "undecidable")),
        "plan unknown": not truth.startswith(("E3", "undecidable")),
        "spikes recover": not truth.startswith(("E1 nan", "E1 explodes", "E1 dead")) and framework not in NO_LOSS,
        "ranks interleaved": framework not in (*TABLES, "spacy", "flair", "cleanrl", "fastai"),
        "others shout": framework not in TABLES,
    }
    return rules.get(trouble, True)


def curves() -> list[Curve]:
    """The lots of all curves."""
    rng = Random(SEED)
    deck = _Deck(rng, FRAMEWORKS)
    out = []
    for number in range(1, CURVES + 1):
        truth = _weighted(rng, TRUTHS)
        framework = deck.draw(lambda one, truth=truth: _framework_exists(truth, one))  # type: ignore[misc]
        trouble = _weighted(
            rng,
            TROUBLES,
            lambda one, truth=truth, framework=framework: _trouble_exists(truth, framework, one),  # type: ignore[misc]
        )
        opening, closing = rng.choice(OPENINGS), rng.choice(CLOSINGS)
        left = "table" if framework in TABLES else _weighted(rng, LEFT)
        out.append(Curve(f"c{number:02d}", truth, framework, trouble, opening, closing, left))
    return out


def _shape(rng: Random, family: str, missing: str) -> tuple[int, int]:
    """Nodes and GPUs that the family and what is missing need."""
    while True:
        nodes, gpus = rng.choice(SHAPES)
        if family == "C3":
            return 1, 1
        if nodes * gpus == 1 and family in ("C1", "C2", "D2", "D3", "F1"):
            continue
        if nodes == 1 and (family in ("C1", "F1") or missing == "metrics of one node"):
            continue
        return nodes, gpus


def incidents() -> list[Incident]:
    """The lots of all incidents."""
    rng = Random(SEED + 1)
    families, cards = _Deck(rng, FAMILIES), _Deck(rng, CARDS)
    work, logs = _Deck(rng, WORK), _Deck(rng, LOGS)
    out = []
    for number in range(1, INCIDENTS + 1):
        chance = rng.random()
        family = "G1" if chance < HEALTHY else "undecidable" if chance < HEALTHY + UNDECIDABLE else families.draw()
        missing = _weighted(rng, MISSING, lambda one, family=family: (family, one) != ("C3", "metrics of one node"))  # type: ignore[misc]
        oddity = _weighted(rng, ODDITIES)
        form = _weighted(rng, FORMS)
        nodes, gpus = _shape(rng, family, missing)
        out.append(
            Incident(
                f"t{number:02d}",
                family,
                cards.draw(),
                work.draw(),
                missing,
                oddity,
                form,
                logs.draw(),
                rng.choice(OPENINGS),
                rng.choice(CLOSINGS),
                nodes,
                gpus,
                rng.randrange(12, 241, 4),
                60 if missing == "resolution" else rng.choice((5, 10, 15, 20, 30)),
            )
        )
    return out


def _show(rows: Sequence[Curve] | Sequence[Incident]) -> None:
    """Print lots, one a line."""
    for row in rows:
        print(" | ".join(str(cell) for cell in astuple(row)))


if __name__ == "__main__":
    _show(curves())
    _show(incidents())
