"""Vectors of recipes: Doc2Vec, a shard of the collection an epoch."""

import argparse
import random
import time
from pathlib import Path

from gensim.models.doc2vec import Doc2Vec, TaggedDocument


def shards(folder: Path):  # noqa: ANN201
    for file in sorted(folder.glob("shard-*.txt")):
        lines = file.read_text().splitlines()
        yield file.name, [TaggedDocument(line.split(), [f"{file.stem}:{i}"]) for i, line in enumerate(lines)]


def collect(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    random.seed(2)
    words = [f"{a}{b}" for a in ("salt", "beet", "leek", "rye", "plum", "cod", "dill", "oat") for b in range(120)]
    for n in range(3):
        rows = [" ".join(random.choices(words, k=random.randint(20, 60))) for _ in range(8000)]
        (folder / f"shard-{n:02d}.txt").write_text("\n".join(rows))


p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=40)
p.add_argument("--alpha", type=float, default=0.025)
p.add_argument("--dim", type=int, default=100)
a = p.parse_args()
folder = Path("recipes")
collect(folder)
model = Doc2Vec(vector_size=a.dim, min_count=3, workers=2, seed=1, alpha=a.alpha)
model.build_vocab(d for _, docs in list(shards(folder)) for d in docs)
print(f"vocabulary {len(model.wv)} words, {len(model.dv)} recipes; {a.epochs} epochs at alpha {a.alpha}")
done, began = 0, time.time()
try:
    for epoch, (name, docs) in zip(range(1, a.epochs + 1), shards(folder), strict=False):
        rate = a.alpha * (1 - (epoch - 1) / a.epochs)
        t = time.time()
        model.train(docs, total_examples=len(docs), epochs=1, start_alpha=rate, end_alpha=rate)
        done = epoch
        print(f"epoch {epoch}/{a.epochs} {name} alpha {rate:.5f} {len(docs)} recipes in {time.time() - t:.1f}s")
    model.save("recipes.d2v")
finally:
    print("=" * 40)
    print(f"epochs     {done} of {a.epochs}")
    print(f"alpha      {rate:.5f}")
    print(f"seconds    {time.time() - began:.1f}")
    print(f"model      {'recipes.d2v' if Path('recipes.d2v').exists() else '-'}")
    print("=" * 40)
