"""Word vectors of recipes with gensim; one JSON object a line."""

import itertools
import json
import random
import time
from datetime import UTC, datetime

import numpy as np
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec

EPOCHS = 32
GROUPS = 45
EACH = 30


def say(event: str, **more: object) -> None:
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
    print(json.dumps({"t": stamp, "ev": event, **more}), flush=True)


def recipes(count: int) -> list[list[str]]:
    rnd = random.Random(31)
    out: list[list[str]] = []
    for _ in range(count):
        cuisine = rnd.randrange(GROUPS)
        out.append(
            [
                f"c{cuisine if rnd.random() < 0.8 else rnd.randrange(GROUPS)}_{rnd.randrange(EACH)}"
                for _ in range(rnd.randint(9, 26))
            ]
        )
    return out


def purity(model: Word2Vec) -> float:
    vec = model.wv.get_normed_vectors()
    names = np.array([w.split("_")[0] for w in model.wv.index_to_key])
    near = np.argsort(-(vec @ vec.T), axis=1)[:, 1:11]
    return float((names[near] == names[:, None]).mean())


class Watch(CallbackAny2Vec):
    def __init__(self) -> None:
        self.epoch, self.t0 = 0, time.time()

    def on_epoch_begin(self, model: Word2Vec) -> None:
        self.t0 = time.time()

    def on_epoch_end(self, model: Word2Vec) -> None:
        self.epoch += 1
        now = model.get_latest_training_loss()
        say(
            "epoch",
            n=self.epoch,
            of=EPOCHS,
            loss=round(now / 1e5, 4),
            purity10=round(purity(model), 4),
            sec=round(time.time() - self.t0, 2),
        )
        model.running_training_loss = 0.0  # else it drowns in float32


def main() -> None:
    docs = recipes(8500)
    held = docs[-1500:]
    docs = docs[:-1500]
    say("corpus", recipes=len(docs), tokens=sum(map(len, docs)), held_out=len(held))
    model = Word2Vec(
        vector_size=72, window=6, min_count=3, sg=1, negative=8, workers=1, seed=4, alpha=0.006, min_alpha=0.0008
    )
    model.build_vocab(docs)
    say("vocab", words=len(model.wv), dim=model.vector_size, purity10=round(purity(model), 4))
    model.train(docs, total_examples=len(docs), epochs=EPOCHS, compute_loss=True, callbacks=[Watch()])
    good = np.mean([model.wv.n_similarity(d[:4], d[4:]) for d in held])
    bad = np.mean([model.wv.n_similarity(a[:4], b[4:]) for a, b in itertools.pairwise(held)])
    model.save("recipes.w2v")
    say("held_out", same_recipe=round(float(good), 4), other_recipe=round(float(bad), 4))
    say("finished", epochs=EPOCHS, saved="recipes.w2v")


if __name__ == "__main__":
    main()
