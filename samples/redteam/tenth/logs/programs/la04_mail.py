"""A text classifier of spaCy over letters to a town hall, for ten rounds."""

from __future__ import annotations

import random
from pathlib import Path

import spacy
from spacy.cli.init_config import init_config
from spacy.cli.train import train
from spacy.tokens import DocBin

random.seed(7)
blank = spacy.blank("en")
words = {
    "ROADS": ["pothole", "street", "lamp", "bridge", "kerb", "sign"],
    "WASTE": ["bin", "rubbish", "bottle", "collection", "smell", "bag"],
}
for name, count in (("train", 240), ("dev", 60)):
    kept = DocBin()
    for _ in range(count):
        kind = random.choice(list(words))
        other = [w for bag in words.values() for w in bag]
        doc = blank(" ".join(["please", "see", "the", random.choice(words[kind]), random.choice(other), "soon"]))
        doc.cats = {label: float(label == kind) for label in words}
        kept.add(doc)
    kept.to_disk(f"{name}.spacy")
config = init_config(lang="en", pipeline=["textcat"], optimize="efficiency")
config.to_disk("mail.cfg")
train(
    Path("mail.cfg"),
    Path("model"),
    overrides={
        "paths.train": "train.spacy",
        "paths.dev": "dev.spacy",
        "training.max_epochs": 10,
        "training.eval_frequency": 20,
    },
)
