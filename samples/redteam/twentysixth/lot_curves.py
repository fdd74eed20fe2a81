"""The lots of the curves of the twenty-sixth set: rules of the twenty-fifth, forms of its own; seed 6161.

SIMULATED: nothing here was taken from a real job.
``python -m samples.redteam.twentysixth.lot_curves`` prints the draws.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Final

from samples.redteam.twentyfifth.lot_curves import curves

SEED: Final = 6161
CURVES: Final = 12

FORMS: Final = (
    "openrlhf",
    "sentence-transformers v3",
    "detectron2",
    "yolox",
    "nnU-Net v2",
    "openfold",
    "diffusers train_dreambooth",
    "fastai",
    "open_clip",
    "dinov2",
    "scenic",
    "t5x",
    "easydel",
    "olmo-core",
    "litgpt",
    "gpt-neox",
    "stable-audio-tools",
    "piper",
    "nemo asr 1.x",
    "icefall",
    "marian",
    "opennmt-py",
    "joeynmt",
    "flair",
    "spacy train",
    "paddlenlp",
    "mindspore",
    "schnetpack",
    "mace",
    "deepmd-kit",
    "neuralforecast",
    "gluonts",
    "rllib",
    "dreamerv3",
    "llm.c",
    "nanotron",
    "slime",
    "torchtune",
    "hydra and lightning template",
    "mmaction2",
    "accelerate by hand",
    "fsdp by hand, a line of every rank",
    "wandb sweep of small nets",
    "home-made es",
    "home-made pt",
    "home-made ru",
    "home-made pl",
    "home-made ko",
    "home-made nl",
    "home-made tr",
    "home-made en, logfmt",
    "home-made en, print with f-strings",
    "home-made en, rich tables",
    "home-made rust burn",
)


if __name__ == "__main__":
    for row in curves(SEED, CURVES, FORMS):
        print(" | ".join(str(cell) for cell in astuple(row)))
