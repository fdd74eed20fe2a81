"""The lots of the incidents of the eighteenth set: lists, weights and rules, written before any case; seed 1919.

SIMULATED: nothing here was taken from a real job. ``python -m samples.redteam.eighteenth.lot_incidents`` prints the draws.
The family is drawn first, by itself; then the words, what is missing and what is odd, each again only where it cannot
exist together with what is drawn already; then the site's habits. No lot is drawn again by hand.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

SEED: Final = 1919
INCIDENTS: Final = 14

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
"""As in the seventeenth."""
NEED_WORDS: Final = ("A1", "A2", "B1", "E1", "E2", "E3")

CARDS: Final = {
    "A100-SXM4-80GB": 0.2,
    "A100-SXM4-40GB": 0.12,
    "H100-80GB-HBM3": 0.24,
    "H200": 0.1,
    "L40S": 0.1,
    "L4": 0.05,
    "V100-SXM2-16GB": 0.07,
    "RTX-4090": 0.06,
    "A10": 0.06,
}
LARGE: Final = ("A100-SXM4-80GB", "A100-SXM4-40GB", "H100-80GB-HBM3", "H200", "V100-SXM2-16GB")
"""Cards that come eight to a node."""
WORDS: Final = (
    "megatron-lm",
    "deepspeed",
    "hf-trainer",
    "llama-factory",
    "torchtitan",
    "lightning",
    "nemo",
    "maxtext",
    "fairseq",
    "timm",
    "mmengine",
    "ultralytics",
    "nanogpt",
    "accelerate",
    "home-made ja",
    "home-made fr",
    "none",
)
MISSING: Final = {
    "nothing": 0.25,
    "accounting": 0.15,
    "kernel": 0.15,
    "logs": 0.12,
    "metrics of one node": 0.1,
    "profiling fields": 0.12,
    "accounting and kernel": 0.11,
}
ODDITIES: Final = {
    "none": 0.22,
    "latent ECC": 0.1,
    "soft power cap": 0.1,
    "XID of another job": 0.1,
    "requeued before": 0.08,
    "warm inlet": 0.08,
    "frightening words": 0.12,
    "scrape gap": 0.1,
    "neighbours in the query": 0.1,
}
SHAPES: Final = ((1, 1), (1, 2), (1, 4), (1, 8), (2, 2), (2, 4), (2, 8), (3, 4), (4, 2), (4, 4))
"""Nodes and GPUs of each."""
SCHEDULERS: Final = {"slurm": 0.84, "kubernetes": 0.16}
EXPORTERS: Final = {
    "dcgm one file": 0.3,
    "dcgm a file a metric": 0.16,
    "dcgm by UUID alone": 0.12,
    "dcgm of kubernetes": 0.06,
    "nvidia-smi csv": 0.18,
    "dcgmi dmon": 0.1,
    "nvidia_gpu_exporter": 0.08,
}
ZONES: Final = {"+00:00": 0.34, "+01:00": 0.2, "+09:00": 0.12, "-05:00": 0.12, "-08:00": 0.12, "+05:30": 0.1}
ACCOUNTS: Final = {"-P": 0.35, "-P of all": 0.2, "columns": 0.2, "json": 0.15, "scontrol": 0.1}
KERNELS: Final = {"dmesg -T": 0.35, "dmesg": 0.15, "journalctl": 0.25, "syslog": 0.15, "dmesg iso": 0.1}
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


def _many(family: str, missing: str) -> int:
    """The least number of nodes."""
    return 2 if family in ("C1", "F1") or missing == "metrics of one node" else 1


def incidents() -> list[Incident]:
    """The lots of all incidents."""
    rng = Random(SEED)
    deck = list(WORDS)
    rng.shuffle(deck)
    out = []
    for number in range(1, INCIDENTS + 1):
        family = _weighted(rng, FAMILIES)
        need = family in NEED_WORDS
        words = next(one for one in deck if not (need and one == "none"))
        deck.remove(words)
        missing = _weighted(
            rng,
            MISSING,
            lambda one, need=need, f=family: (
                not (  # type: ignore[misc]
                    (need and one == "logs") or (f == "C3" and one == "metrics of one node")
                )
            ),
        )
        oddity = _weighted(rng, ODDITIES)
        card = _weighted(rng, CARDS)
        nodes, gpus = rng.choice(SHAPES)
        while (
            nodes < _many(family, missing)
            or (gpus == 8 and card not in LARGE)
            or (family in ("C2", "D3") and nodes * gpus < 2)
        ):
            nodes, gpus = rng.choice(SHAPES)
        if family == "C3":
            nodes, gpus = 1, 1
        span = {"short": (6, 30), "usual": (30, 180), "long": (180, 600)}[_weighted(rng, LENGTHS)]
        minutes = rng.randrange(*span)
        scrape_s = rng.choice((5, 10, 15, 30, 60) if minutes < 90 else (15, 30, 60))
        scheduler = _weighted(rng, SCHEDULERS, lambda one, f=family: not (f == "F2" and one == "kubernetes"))  # type: ignore[misc]
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
