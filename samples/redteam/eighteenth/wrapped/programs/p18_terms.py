"""Word vectors for the archive's terms, kept after each pass."""

import argparse
import logging
import pickle
import random
import traceback
from pathlib import Path

from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec

log = logging.getLogger("terms")


class Letters:
    """Sentences of the archive, one after the other."""

    def __init__(self, count, words):
        self.count = count
        self.words = words

    def __iter__(self):
        rng = random.Random(4)
        for _ in range(self.count):
            topic = rng.randrange(40)
            span = self.words // 40
            yield [f"w{topic * span + int(span * rng.random() ** 2):05}" for _ in range(14)]


class Keep(CallbackAny2Vec):
    """Writes the model after each pass, so that any of them can be compared."""

    def __init__(self, folder):
        self.folder = folder
        self.passes = 0
        self.before = 0.0

    def on_epoch_end(self, model):
        self.passes += 1
        total = model.get_latest_training_loss()
        path = self.folder / f"terms-{self.passes:02}.model"
        log.info("pass %d: loss %.0f", self.passes, total - self.before)
        self.before = total
        model.save(str(path))
        log.info("pass %d kept as %s", self.passes, path)


def counts(path):
    try:
        with path.open("rb") as file:
            return pickle.load(file)
    except Exception:
        log.warning("no counts from last time:\n%s", traceback.format_exc().rstrip())
        log.warning("counting anew")
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sentences", type=int, default=60000)
    parser.add_argument("--words", type=int, default=16000)
    parser.add_argument("--passes", type=int, default=12)
    parser.add_argument("--folder", type=Path, default=Path("models"))
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s : %(levelname)s : %(message)s")
    counts(args.folder / "counts.pickle")
    sentences = Letters(args.sentences, args.words)
    model = Word2Vec(vector_size=64, min_count=2, workers=1, epochs=args.passes, seed=3)
    model.build_vocab(sentences)
    model.train(
        sentences,
        total_examples=model.corpus_count,
        epochs=args.passes,
        compute_loss=True,
        callbacks=[Keep(args.folder)],
    )
    model.wv.save(str(args.folder / "terms.kv"))
    log.info("done, %d terms", len(model.wv))


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204
