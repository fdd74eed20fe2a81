"""Writes notes about places, as spaCy wants them."""

from __future__ import annotations

import random
import sys

import spacy
from spacy.tokens import DocBin

TOWNS = ["Arvik", "Belmora", "Costelle", "Dunharg", "Evenes", "Farnoux", "Gallin", "Hestra"]
LINES = ["The ferry from {} to {} was late", "We slept in {} and walked to {}", "{} lies north of {}", "No bread in {} , some in {}"]


def main() -> None:
    count, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    dice, nlp, box = random.Random(seed), spacy.blank("en"), DocBin()
    for _ in range(count):
        one, two = dice.sample(TOWNS, 2)
        doc = nlp(dice.choice(LINES).format(one, two))
        doc.ents = [spacy.tokens.Span(doc, word.i, word.i + 1, "PLACE") for word in doc if word.text in (one, two)]
        box.add(doc)
    box.to_disk(path)


if __name__ == "__main__":
    main()
