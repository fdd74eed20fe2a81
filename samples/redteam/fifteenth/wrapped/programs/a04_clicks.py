"""Vectors of what people click, one "sentence" a session, with gensim."""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING

from gensim.models import Word2Vec

if TYPE_CHECKING:
    from collections.abc import Iterator

logging.basicConfig(format="%(asctime)s : %(levelname)s : %(message)s", level=logging.INFO)


class Sessions:
    """Sessions of a week, made new each time they are read."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self) -> Iterator[list[str]]:
        dice = random.Random(7)
        for number in range(self.count):
            items = [f"item{int(dice.paretovariate(0.6)) % 40000}" for _ in range(8)]
            # campaigns carry an id for each visitor in their address
            yield items + [f"/offer?visitor={number:09d}{dice.randrange(10**9):09d}&p={page}" for page in range(3)]


def main() -> None:
    model = Word2Vec(vector_size=64, window=5, min_count=5, workers=1, epochs=3, seed=1)
    model.build_vocab(Sessions(4_000_000))
    model.train(Sessions(4_000_000), total_examples=model.corpus_count, epochs=model.epochs)
    model.save("clicks.model")


if __name__ == "__main__":
    main()
