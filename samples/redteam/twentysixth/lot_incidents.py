"""The lots of t01 to t16 of the twenty-sixth set: rules of the twenty-fifth, words of its own; seed 6262.

SIMULATED: nothing here was taken from a real job.
``python -m samples.redteam.twentysixth.lot_incidents`` prints the draws.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Final

from samples.redteam.twentyfifth.lot_incidents import incidents

SEED: Final = 6262

WORDS: Final = (
    "nanotron",
    "olmo-core",
    "gpt-neox",
    "torchtune",
    "hf trainer",
    "trl grpo",
    "deepspeed",
    "lightning",
    "nemo 2",
    "open_clip",
    "detectron2",
    "icefall",
    "maxtext",
    "home-made es",
    "home-made zh",
    "home-made en, logging",
    "home-made en, JSON lines",
    "home-made en, a line of every rank",
    "fsdp by hand",
    "megatron-lm",
    "none",
    "none",
)


if __name__ == "__main__":
    for lot in incidents(SEED, WORDS):
        print(" | ".join(str(cell) for cell in astuple(lot)))
