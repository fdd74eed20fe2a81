"""The lots of the data half of the seventeenth set: lists, weights and rules, written before any case; seed 1717.

SIMULATED: nothing here was taken from a real job. ``python -m samples.redteam.seventeenth.lot_data`` prints the draws.
The family is drawn first, by itself; then the form, the way in, what is missing and what complicates, each again only
where it cannot exist together with what is drawn already. No lot is drawn again by hand.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED: Final = 1717
CURVES: Final = 14
INCIDENTS: Final = 10

CURVE_FAMILIES: Final = {
    "G1": 0.25,
    "cannot_decide": 0.10,
    "A1": 0.06,
    "A2": 0.05,
    "B1": 0.06,
    "B2": 0.02,
    "C1": 0.02,
    "C2": 0.04,
    "C3": 0.02,
    "D1": 0.04,
    "D2": 0.02,
    "D3": 0.02,
    "E1": 0.12,
    "E2": 0.06,
    "E3": 0.04,
    "F2": 0.03,
    "F3": 0.04,
    "outside": 0.03,
}
INCIDENT_FAMILIES: Final = {
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
SPREAD: Final = ("B2", "C1", "C2", "D2", "D3")
"""Of curves, those that only a log of several ranks can show."""

FORMS: Final = (
    "megatron-lm",
    "deepspeed",
    "hf-trainer",
    "lightning-bar",
    "keras",
    "fairseq",
    "mmengine",
    "ultralytics",
    "timm",
    "nanogpt",
    "levanter",
    "llama-factory",
    "nemo",
    "stable-baselines3",
    "trl-grpo",
    "kohya",
    "torchtitan",
    "flux-julia",
    "home-made zh",
    "home-made de",
    "home-made fr",
    "home-made ja",
    "home-made csv",
    "tf1-estimator",
    "catalyst-ignite",
    "caffe",
)
LANGUAGE_ALONE: Final = ("stable-baselines3", "flux-julia", "keras", "kohya", "caffe", "home-made csv", "tf1-estimator")
"""Which are not seen on many ranks."""
WAYS: Final = {
    "one log": 0.45,
    "log and err": 0.15,
    "log and metrics": 0.2,
    "log and sacct": 0.1,
    "log per attempt": 0.1,
}
GONE: Final = {"nothing": 0.4, "head": 0.12, "clock": 0.2, "plan": 0.14, "colour and bars left in": 0.14}
TANGLES: Final = {
    "none": 0.15,
    "frightening words": 0.2,
    "recovered error": 0.14,
    "two attempts": 0.14,
    "spikes that heal": 0.1,
    "slow by nature": 0.08,
    "odd units": 0.1,
    "metric that worsens": 0.09,
}

CARDS: Final = ("A100-SXM4-80GB", "H100-80GB-HBM3", "L40S", "V100-SXM2-32GB", "H200", "A40", "A30", "RTX-A6000")
WORDS: Final = ("megatron-lm", "deepspeed", "hf-trainer", "torchtitan", "lightning", "jax", "home-made", "none")
STORES: Final = ("prometheus", "sacct", "dmesg", "logs")
MISSING: Final = {
    "nothing": 0.25,
    "sacct": 0.15,
    "dmesg": 0.15,
    "logs": 0.12,
    "prometheus of one node": 0.1,
    "profiling fields": 0.1,
    "sacct and dmesg": 0.13,
}
ODDITIES: Final = {
    "none": 0.2,
    "latent ECC": 0.12,
    "soft power cap": 0.12,
    "XID of another job": 0.1,
    "requeued before": 0.1,
    "warm inlet": 0.1,
    "frightening words": 0.14,
    "scrape gap": 0.12,
}
SHAPES: Final = ((1, 2), (1, 4), (1, 8), (2, 2), (2, 4), (2, 8), (3, 4), (4, 2), (4, 4))
"""Nodes and GPUs of each."""


@dataclass(frozen=True)
class Curve:
    """One lot of the kind ``curves``."""

    case: str
    family: str
    form: str
    way: str
    gone: str
    tangle: str


@dataclass(frozen=True)
class Incident:
    """One lot of the kind ``telemetry``."""

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


def _weighted(rng: Random, of: dict[str, float], fits: Callable[[str], bool] = bool) -> str:
    """One of these that fits, by weight."""
    while True:
        one = rng.choices(tuple(of), tuple(of.values()))[0]
        if fits(one):
            return one


def _form_fits(family: str, form: str) -> bool:
    """Whether a log of this form can show this family."""
    if family in SPREAD:
        return form not in LANGUAGE_ALONE
    if family == "E1":
        return form != "stable-baselines3"
    return not (form == "home-made csv" and family in ("A1", "A2", "B1", "C3", "D1", "F2", "F3", "outside"))


def _tangle_fits(family: str, form: str, tangle: str) -> bool:
    """Whether the complication leaves the family what it is."""
    if tangle == "two attempts":
        return family not in ("E2", "cannot_decide", "F2") and form != "home-made csv"
    if tangle == "slow by nature":
        return family in ("G1", "E1", "E3", "F3")
    if tangle == "metric that worsens":
        return family != "E1"
    return not (form == "home-made csv" and tangle in ("frightening words", "recovered error"))


def curves() -> list[Curve]:
    """The lots of all curves."""
    rng = Random(SEED)
    deck = list(FORMS)
    rng.shuffle(deck)
    out = []
    for number in range(1, CURVES + 1):
        family = _weighted(rng, CURVE_FAMILIES)
        form = next(one for one in deck if _form_fits(family, one))
        deck.remove(form)
        tangle = _weighted(rng, TANGLES, lambda one, f=family, w=form: _tangle_fits(f, w, one))  # type: ignore[misc]
        way = "table" if form == "home-made csv" else _weighted(rng, WAYS)
        out.append(Curve(f"c{number:02d}", family, form, way, _weighted(rng, GONE), tangle))
    return out


def incidents() -> list[Incident]:
    """The lots of all incidents."""
    rng = Random(SEED + 1)
    cards, words = list(CARDS), list(WORDS)
    rng.shuffle(cards)
    rng.shuffle(words)
    out = []
    for number in range(1, INCIDENTS + 1):
        family = _weighted(rng, INCIDENT_FAMILIES)
        need_words = family in ("A1", "B1", "E1", "E2", "E3", "A2")
        missing = _weighted(rng, MISSING, lambda one, need=need_words: not (need and one == "logs"))  # type: ignore[misc]
        oddity = _weighted(rng, ODDITIES)
        nodes, gpus = rng.choice(SHAPES)
        while (family in ("C1", "F1") or missing == "prometheus of one node") and nodes == 1:
            nodes, gpus = rng.choice(SHAPES)
        if family == "C3":
            nodes, gpus, missing = 1, 1, "nothing" if missing == "prometheus of one node" else missing
        out.append(
            Incident(
                f"t{number:02d}",
                family,
                cards[(number - 1) % len(cards)],
                words[(number - 1) % len(words)],
                missing,
                oddity,
                nodes,
                gpus,
                rng.randrange(15, 180, 5),
                rng.choice((10, 15, 30, 60)),
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
