"""The lots of t01 to t16 of the twenty-fifth set: lists, weights and rules, written before any case; seed 5252.

SIMULATED: nothing here was taken from a real job.
``python -m samples.redteam.twentyfifth.lot_incidents`` prints the draws.
The family is drawn first, by itself; then the words, what is missing and what is odd, each again only where it cannot
exist together with what is drawn already; then the site's habits. No lot is drawn again by hand.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED: Final = 5252
INCIDENTS: Final = 16
FIRST: Final = 1

FAMILIES: Final = {
    "G1": 0.22,
    "cannot_decide": 0.10,
    "A1": 0.02,
    "A2": 0.06,
    "B1": 0.03,
    "B2": 0.08,
    "B3": 0.06,
    "C1": 0.06,
    "C2": 0.08,
    "C3": 0.05,
    "D1": 0.05,
    "D2": 0.04,
    "D3": 0.05,
    "E1": 0.02,
    "E2": 0.02,
    "E3": 0.01,
    "F1": 0.06,
    "F2": 0.04,
    "F3": 0.04,
}
"""As in the twenty-first set."""
NEED_WORDS: Final = ("A1", "A2", "B1", "E1", "E2", "E3", "D2")
PAIRS: Final = ("C2", "D3")
"""Those that take two ranks."""

CARDS: Final = {
    "H100-SXM-80GB": 0.2,
    "H200-SXM-141GB": 0.12,
    "A100-SXM-80GB": 0.16,
    "B200-180GB": 0.06,
    "L40S": 0.1,
    "A40": 0.08,
    "V100-SXM-32GB": 0.1,
    "RTX-4090": 0.08,
    "RTX-A6000": 0.06,
    "L4": 0.04,
}
LARGE: Final = ("H100-SXM-80GB", "H200-SXM-141GB", "A100-SXM-80GB", "B200-180GB", "L40S", "V100-SXM-32GB")
"""Cards that come eight to a node."""
WORDS: Final = (
    "megatron-lm",
    "megatron-bridge",
    "verl",
    "torchtitan",
    "hf trainer",
    "hf trainer under fsdp",
    "deepspeed",
    "accelerate script",
    "lightning",
    "llm-foundry composer",
    "timm train.py",
    "mmdetection",
    "levanter",
    "axolotl",
    "speechbrain",
    "espnet",
    "boltz",
    "home-made fr",
    "home-made de",
    "home-made en, loguru",
    "home-made en, plain print",
    "none",
    "none",
)
MISSING: Final = {
    "nothing": 0.26,
    "accounting": 0.14,
    "kernel": 0.16,
    "logs": 0.1,
    "metrics of one node": 0.1,
    "profiling fields": 0.14,
    "accounting and kernel": 0.1,
}
ODDITIES: Final = {
    "none": 0.2,
    "corrected ECC errors tick": 0.1,
    "soft power cap": 0.1,
    "XID 31 of another user's job before": 0.08,
    "an earlier job of the same name in the accounting": 0.1,
    "frightening words": 0.14,
    "holes in the scrapes": 0.1,
    "a GPU of the node left idle": 0.06,
    "old remapped rows, flat": 0.06,
    "kernel log also tells of another container's OOM, long before": 0.06,
}
SHAPES: Final = ((1, 1), (1, 2), (1, 4), (1, 8), (2, 1), (2, 2), (2, 4), (2, 8), (3, 4), (4, 2), (4, 8))
"""Nodes and GPUs of each."""
SCHEDULERS: Final = {
    "slurm": 0.78,
    "kubernetes": 0.22,
}
EXPORTERS: Final = {
    "dcgm query_range": 0.28,
    "dcgm a file a node": 0.14,
    "dcgm of kubernetes": 0.14,
    "dcgm by UUID alone": 0.08,
    "nvidia-smi csv": 0.18,
    "dcgmi dmon": 0.1,
    "nvidia_gpu_exporter": 0.08,
}
ZONES: Final = {
    "+00:00": 0.34,
    "+01:00": 0.2,
    "+08:00": 0.12,
    "+09:00": 0.1,
    "-06:00": 0.12,
    "-08:00": 0.12,
}
ACCOUNTS: Final = {
    "-P": 0.28,
    "-P with steps": 0.28,
    "columns": 0.2,
    "json": 0.1,
    "scontrol": 0.14,
}
KERNELS: Final = {
    "dmesg -T": 0.34,
    "dmesg": 0.15,
    "journalctl": 0.26,
    "syslog": 0.15,
    "dmesg iso": 0.1,
}
LENGTHS: Final = {"short": 0.3, "usual": 0.5, "long": 0.2}


@dataclass(frozen=True)
class Incident:
    """One lot."""

    case: str
    family: str
    card: str
    words: str
    missing: str
    oddity: str
    nodes: int
    gpus: int
    minutes: int
    scrape_s: int
    scheduler: str
    exporter: str
    zone: str
    accounts: str
    kernel: str


def _weighted(rng: Random, of: dict[str, float], fits: Callable[[str], bool] = bool) -> str:
    """One of these that fits, by weight."""
    while True:
        one = rng.choices(tuple(of), tuple(of.values()))[0]
        if fits(one):
            return one


def _left(family: str, missing: str) -> bool:
    """Whether something that shows the family is left when this is missing."""
    if family in NEED_WORDS and missing == "logs":
        return False
    if family == "F1" and missing == "accounting and kernel":
        return False
    return not (family == "C3" and missing == "metrics of one node")


def _shape_fits(family: str, missing: str, card: str, nodes: int, gpus: int) -> bool:
    """Whether the family can be had on that many nodes and GPUs."""
    if family == "C3":
        return (nodes, gpus) == (1, 1)
    least = 2 if family in ("C1", "F1") or missing == "metrics of one node" else 1
    return nodes >= least and not (gpus == 8 and card not in LARGE) and not (family in PAIRS and nodes * gpus < 2)


def incidents(seed: int = SEED, words_used: Sequence[str] = WORDS) -> list[Incident]:
    """The lots of all incidents; a later set draws by the same rules with a seed and words of its own."""
    rng = Random(seed)
    deck = list(words_used)
    rng.shuffle(deck)
    out = []
    for number in range(FIRST, FIRST + INCIDENTS):
        family = _weighted(rng, FAMILIES)
        words = next(one for one in deck if one != "none" or family not in NEED_WORDS)
        deck.remove(words)
        missing = _weighted(rng, MISSING, lambda one, f=family: _left(f, one))  # type: ignore[misc]
        oddity = _weighted(rng, ODDITIES)
        card = _weighted(rng, CARDS)
        nodes, gpus = rng.choice([one for one in SHAPES if _shape_fits(family, missing, card, *one)])
        span = {"short": (6, 30), "usual": (30, 180), "long": (180, 540)}[_weighted(rng, LENGTHS)]
        minutes = rng.randrange(*span)
        scrape_s = rng.choice((5, 10, 15, 30, 60) if minutes < 90 else (15, 30, 60))
        scheduler = _weighted(
            rng,
            SCHEDULERS,
            lambda one, f=family: not (f == "F2" and one == "kubernetes"),  # type: ignore[misc]
        )
        exporter = _weighted(
            rng,
            EXPORTERS,
            lambda one, s=scheduler: not (s == "slurm" and one == "dcgm of kubernetes"),  # type: ignore[misc]
        )
        out.append(
            Incident(
                f"t{number:02d}",
                family,
                card,
                words,
                missing,
                oddity,
                nodes,
                gpus,
                minutes,
                scrape_s,
                scheduler,
                exporter,
                _weighted(rng, ZONES),
                _weighted(rng, ACCOUNTS),
                _weighted(rng, KERNELS),
            )
        )
    return out


if __name__ == "__main__":
    for lot in incidents():
        print(" | ".join(str(cell) for cell in astuple(lot)))
