"""Vectors of herbs from old recipes, with gensim; its log is structlog's."""

from __future__ import annotations

import random
import sys

import structlog
from gensim.models import FastText

log = structlog.get_logger("herbs")
HERBS = ["sage", "thyme", "dill", "lovage", "borage", "hyssop", "sorrel", "tansy"]


def main() -> int:
    dice = random.Random(3)
    recipes = [[*dice.choices(HERBS, k=6), "stir", "boil"] for _ in range(12)]
    log.info("recipes read", recipes=len(recipes), words=sum(map(len, recipes)))
    model = FastText(vector_size=32, min_count=50, epochs=20, workers=1)
    try:
        model.build_vocab(corpus_iterable=recipes)
        log.info("vocabulary built", kept=len(model.wv), min_count=model.min_count)
        model.train(corpus_iterable=recipes, total_examples=len(recipes), epochs=model.epochs)
    except Exception:
        log.exception("no vectors", herbs=HERBS[:3])
        return 1
    model.save("herbs.model")
    log.info("saved", path="herbs.model")
    return 0


if __name__ == "__main__":
    sys.exit(main())
