"""Vectors of ingredients by Gensim, with its own log of how far it is."""

from __future__ import annotations

import logging
import random

from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec

logging.basicConfig(format="%(asctime)s : %(levelname)s : %(message)s", level=logging.INFO)
random.seed(1)
kitchens = [[f"thing{k}_{i}" for i in range(60)] for k in range(8)]
recipes = [random.choices(random.choice(kitchens), k=14) for _ in range(30_000)]


class Tell(CallbackAny2Vec):
    """Loss of each epoch: Gensim only adds it up."""

    def __init__(self) -> None:
        self.epoch, self.before = 0, 0.0

    def on_epoch_end(self, model: Word2Vec) -> None:
        total = model.get_latest_training_loss()
        self.epoch += 1
        logging.info("epoch %d loss %.1f", self.epoch, total - self.before)
        self.before = total


model = Word2Vec(
    recipes, vector_size=50, window=4, min_count=2, workers=1, epochs=8, compute_loss=True, callbacks=[Tell()], seed=1
)
model.save("recipes.model")
print(model.wv.most_similar("thing3_1", topn=5))
