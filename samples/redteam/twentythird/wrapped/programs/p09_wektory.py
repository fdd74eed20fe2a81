"""Wektory słów z protokołów sejmowych."""

import argparse
import logging
import random
from pathlib import Path

from gensim.models import Word2Vec

log = logging.getLogger("wektory")


def przygotuj(plik: Path, zdan: int) -> None:
    random.seed(11)
    sylaby = [
        "ko",
        "mi",
        "sja",
        "po",
        "seł",
        "sta",
        "wa",
        "gło",
        "so",
        "wnie",
        "rząd",
        "usta",
        "mar",
        "sza",
        "łek",
        "bud",
        "żet",
    ]
    slownik = ["".join(random.choices(sylaby, k=random.randint(2, 4))) for _ in range(6000)]
    wagi = [1 / (i + 3) for i in range(len(slownik))]
    with plik.open("w", encoding="utf-8") as f:
        for _ in range(zdan):
            f.write(" ".join(random.choices(slownik, wagi, k=random.randint(6, 24))) + "\n")


def main() -> None:
    p = argparse.ArgumentParser(description="Trening wektorów słów")
    p.add_argument("--plik", type=Path, default=Path("protokoly.txt"))
    p.add_argument("--epoki", type=int, default=25)
    p.add_argument("--wymiar", type=int, default=150)
    p.add_argument("--watki", type=int, default=2)
    a = p.parse_args()
    logging.basicConfig(format="%(asctime)s : %(levelname)s : %(message)s", level=logging.INFO)
    if not a.plik.exists():
        log.info("przygotowuję korpus %s", a.plik)
        przygotuj(a.plik, 60_000)
    zdania = map(str.split, a.plik.open(encoding="utf-8"))
    model = Word2Vec(vector_size=a.wymiar, window=6, min_count=5, sg=1, negative=8, workers=a.watki, seed=7)
    log.info("buduję słownik")
    model.build_vocab(zdania)
    log.info("słownik gotowy: %d słów, %d zdań; trening na %d epok", len(model.wv), model.corpus_count, a.epoki)
    model.train(zdania, total_examples=model.corpus_count, epochs=a.epoki)
    model.save("wektory.model")
    probka = model.wv.index_to_key[20]
    log.info(
        "najbliższe słowu „%s”: %s", probka, ", ".join(f"{w} {s:.2f}" for w, s in model.wv.most_similar(probka, topn=4))
    )
    log.info("zapisano wektory.model")


if __name__ == "__main__":
    main()
