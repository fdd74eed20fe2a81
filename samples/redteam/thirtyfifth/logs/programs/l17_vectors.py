"""Word vectors of the product catalogue, trained anew each night (gensim)."""

import logging
import random
from collections.abc import Iterator

from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec

logging.basicConfig(level=logging.INFO, format="%(asctime)s : %(levelname)s : %(message)s")
log = logging.getLogger("vectors")
TOPICS = 24


class Catalogue:
    """Sentences of titles and descriptions."""

    def __init__(self, n: int) -> None:
        self.n = n
        rng = random.Random(8)
        letters = "bcdfghklmnprstvz"
        word = lambda: "".join(rng.choice(letters) + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))  # noqa: E731
        self.topics = [[word() for _ in range(160)] for _ in range(TOPICS)]
        self.common = [word() for _ in range(220)]

    def __iter__(self) -> Iterator[list[str]]:
        rng = random.Random(9)
        for _ in range(self.n):
            words = rng.choice(self.topics)
            yield [
                rng.choice(words) if rng.random() < 0.72 else rng.choice(self.common) for _ in range(rng.randint(8, 18))
            ]


class Loss(CallbackAny2Vec):
    """The loss of each epoch; gensim sums in single precision, so begin anew each time."""

    def __init__(self) -> None:
        self.epoch = 0

    def on_epoch_end(self, model: Word2Vec) -> None:
        self.epoch += 1
        log.info("epoch %d/%d: loss of this epoch %.0f", self.epoch, model.epochs, model.get_latest_training_loss())
        model.running_training_loss = 0.0


def main() -> None:
    """Train, look at it, save."""
    corpus = Catalogue(45_000)
    model = Word2Vec(
        vector_size=80,
        window=5,
        min_count=3,
        sg=1,
        negative=6,
        sample=1e-2,
        workers=1,
        epochs=8,
        alpha=0.008,
        min_alpha=0.001,
        seed=2,
    )
    model.build_vocab(corpus)
    model.train(corpus, total_examples=model.corpus_count, epochs=model.epochs, compute_loss=True, callbacks=[Loss()])
    rng = random.Random(1)
    hits = 0
    for _ in range(500):
        topic = rng.choice(corpus.topics)
        word = rng.choice(topic)
        hits += word in model.wv and model.wv.most_similar(word, topn=1)[0][0] in topic
    log.info("nearest neighbour in the same group: %d of 500 (chance would be about %d)", hits, 500 // TOPICS)
    model.save("catalogue.w2v")


if __name__ == "__main__":
    main()
