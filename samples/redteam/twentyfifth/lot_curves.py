"""The lots of the curves of the twenty-fifth set: lists, weights and rules, written before any case; seed 5151.

SIMULATED: nothing here was taken from a real job.
``python -m samples.redteam.twentyfifth.lot_curves`` prints the draws.
The family is drawn first, by itself; then the form, the way in, what is missing, what complicates and the length, each
again only where it cannot exist together with what is drawn already. No lot is drawn again by hand.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED: Final = 5151
CURVES: Final = 14

FAMILIES: Final = {
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
SPREAD: Final = ("B2", "C1", "C2", "D2", "D3")
"""Those that only a log of several ranks can show."""

FORMS: Final = (
    "megatron-lm",
    "megatron-bridge",
    "hf-trainer",
    "trl sft or grpo",
    "deepspeed",
    "colossalai",
    "lightning cli",
    "keras with jax below",
    "home-made csv",
    "axolotl",
    "torchtitan",
    "nemo 2",
    "espnet",
    "speechbrain",
    "fairseq",
    "lingua",
    "levanter",
    "llm-foundry composer",
    "verl",
    "areal",
    "cleanrl",
    "isaac gym rl_games",
    "ms-swift",
    "llama-factory",
    "kohya sd-scripts",
    "edm2",
    "stylegan3",
    "mmdetection",
    "ultralytics",
    "rf-detr",
    "timm train.py",
    "dino by hand",
    "segmentation_models by hand",
    "monai",
    "paddleocr",
    "oneflow",
    "tensorflow custom loop",
    "flax nnx by hand",
    "maxtext",
    "equiformer",
    "nequip",
    "e3nn by hand",
    "lammps mliap fit",
    "esm finetune",
    "boltz",
    "pyg by hand",
    "torchrec",
    "pytorch-forecasting",
    "darts",
    "coqui tts",
    "rvc",
    "wenet",
    "unsloth",
    "nanogpt",
    "gsplat",
    "ray tune of small nets",
    "home-made fr",
    "home-made de",
    "home-made zh",
    "home-made ja",
    "home-made it",
    "home-made c++ libtorch",
    "home-made julia flux",
)
ALONE: Final = (
    "home-made csv",
    "cleanrl",
    "isaac gym rl_games",
    "lammps mliap fit",
    "nequip",
    "pyg by hand",
    "pytorch-forecasting",
    "darts",
    "nanogpt",
    "gsplat",
    "rvc",
    "ray tune of small nets",
    "home-made c++ libtorch",
    "home-made julia flux",
)
"""Which are not seen on many ranks."""
REWARDED: Final = ("verl", "areal", "cleanrl", "isaac gym rl_games")
"""Which have a reward and no loss that tells."""
WAYS: Final = {
    "one log": 0.38,
    "log and err": 0.16,
    "log and metrics": 0.18,
    "log and sacct": 0.12,
    "log per rank or attempt": 0.1,
    "pod log with the platform's stamps": 0.06,
}
GONE: Final = {"nothing": 0.45, "head": 0.12, "clock": 0.17, "plan": 0.12, "colour and bars left in": 0.14}
TANGLES: Final = {
    "none": 0.22,
    "frightening words": 0.11,
    "recovered error": 0.1,
    "two attempts": 0.07,
    "spikes that heal": 0.06,
    "slow by nature": 0.06,
    "odd units": 0.06,
    "metric that worsens": 0.06,
    "resumed properly": 0.06,
    "early stopping": 0.04,
    "long evaluation": 0.03,
    "loud warning over and over": 0.05,
    "shell and site chatter around it": 0.04,
    "two jobs in one folder": 0.04,
}
LENGTHS: Final = {"15 to 60": 0.27, "60 to 400": 0.41, "400 to 1500": 0.2, "1500 to 5000": 0.12}


@dataclass(frozen=True)
class Curve:
    """One lot of the kind ``curves``."""

    case: str
    family: str
    form: str
    way: str
    gone: str
    tangle: str
    lines: str


def _weighted(rng: Random, of: dict[str, float], fits: Callable[[str], bool] = bool) -> str:
    """One of these that fits, by weight."""
    while True:
        one = rng.choices(tuple(of), tuple(of.values()))[0]
        if fits(one):
            return one


def _form_fits(family: str, form: str) -> bool:
    """Whether a log of this form can show this family."""
    if family in SPREAD:
        return form not in ALONE
    if family == "E1":
        return form not in REWARDED
    return not (form == "home-made csv" and family in ("A1", "A2", "B1", "C3", "D1", "F2", "F3", "outside"))


def _tangle_fits(family: str, form: str, tangle: str) -> bool:
    """Whether the complication leaves the family what it is."""
    if tangle in ("two attempts", "resumed properly"):
        return family not in ("A1", "C1", "E2", "cannot_decide", "F2") and form != "home-made csv"
    if tangle in ("spikes that heal", "metric that worsens", "long evaluation"):
        return family not in ("E1", "A1", "C1")
    if tangle in ("slow by nature", "early stopping"):
        return family in ("G1", "E1") or (tangle == "slow by nature" and family in ("E3", "F3"))
    table = form == "home-made csv"
    return not (table and tangle in ("frightening words", "recovered error", "loud warning over and over"))


def _length_fits(family: str, lines: str) -> bool:
    """Whether a log of this length can show this family."""
    return family not in ("A1", "C1") or lines[0] in "16"


def curves(seed: int = SEED, count: int = CURVES, forms: Sequence[str] = FORMS) -> list[Curve]:
    """The lots of all curves; a later set draws by the same rules with a seed and forms of its own."""
    rng = Random(seed)
    deck = list(forms)
    rng.shuffle(deck)
    out = []
    for number in range(1, count + 1):
        family = _weighted(rng, FAMILIES)
        form = next(one for one in deck if _form_fits(family, one))
        deck.remove(form)
        tangle = _weighted(rng, TANGLES, lambda one, f=family, w=form: _tangle_fits(f, w, one))  # type: ignore[misc]
        way = "table" if form == "home-made csv" else _weighted(rng, WAYS)
        lines = _weighted(rng, LENGTHS, lambda one, f=family: _length_fits(f, one))  # type: ignore[misc]
        out.append(Curve(f"c{number:02d}", family, form, way, _weighted(rng, GONE), tangle, lines))
    return out


if __name__ == "__main__":
    for row in curves():
        print(" | ".join(str(cell) for cell in astuple(row)))
