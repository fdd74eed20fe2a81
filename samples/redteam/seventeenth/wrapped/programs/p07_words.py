"""Word vectors of invented recipes with gensim."""

from __future__ import annotations

import subprocess
import time

import numpy as np
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec

rng = np.random.default_rng(2)
groups = [[f"g{g}w{i}" for i in range(60)] for g in range(20)]
recipes = [[str(w) for w in rng.choice(groups[rng.integers(20)], 18)] for _ in range(16000)]
uploader = subprocess.Popen(
    ["bash", "-c", "sleep 2; aws s3 sync ./logs s3://kitchen/logs || { echo 'sync: gave up' >&2; exit 9; }"]
)
print(f"{len(recipes)} recipes", flush=True)


class Report(CallbackAny2Vec):
    """Say each epoch's share of the loss."""

    def __init__(self) -> None:
        self.epoch, self.before, self.began = 0, 0.0, time.perf_counter()

    def on_epoch_end(self, model: Word2Vec) -> None:
        """One line an epoch."""
        self.epoch += 1
        total = model.get_latest_training_loss()
        print(
            f"epoch {self.epoch}/12 loss {(total - self.before) / len(recipes):.4f}"
            f" {time.perf_counter() - self.began:.1f}s",
            flush=True,
        )
        self.before = total


model = Word2Vec(vector_size=48, window=5, min_count=1, workers=1, seed=1, compute_loss=True, sg=1)
model.build_vocab(recipes)
model.train(recipes, total_examples=len(recipes), epochs=12, compute_loss=True, callbacks=[Report()])
near = [w for w, _ in model.wv.most_similar("g3w5", topn=20)]
print(f"of the 20 nearest to g3w5, {sum(w.startswith('g3w') for w in near)} are of its group", flush=True)
model.save("recipes.w2v")
print("saved recipes.w2v", flush=True)
