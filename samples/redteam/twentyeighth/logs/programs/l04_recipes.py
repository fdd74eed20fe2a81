"""Vectors for ingredients of recipes."""

import logging
import random

from gensim.models import Word2Vec

logging.basicConfig(format="%(asctime)s : %(levelname)s : %(message)s", level=logging.INFO)
random.seed(4)
names = [f"{a}_{b}" for a in ("sea", "wild", "red", "dry", "sweet") for b in ("salt", "onion", "rice", "bean", "plum")]
recipes = [random.sample(names, 7) for _ in range(400)]
logging.info("%d recipes from the kitchen's export", len(recipes))
model = Word2Vec(vector_size=64, window=5, min_count=500, workers=2, epochs=20)
model.build_vocab(recipes)
model.train(recipes, total_examples=model.corpus_count, epochs=model.epochs)
model.save("recipes.w2v")
