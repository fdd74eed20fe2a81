"""Vetores de palavras para um livro de receitas (corpus sintético)."""

from __future__ import annotations

import random
import time

import numpy as np
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec

GRUPOS = {
    "doces": [
        "açúcar",
        "chocolate",
        "baunilha",
        "canela",
        "mel",
        "leite",
        "creme",
        "morango",
        "manteiga",
        "coco",
        "bolo",
        "pudim",
    ],
    "carnes": [
        "frango",
        "porco",
        "boi",
        "linguiça",
        "costela",
        "bacon",
        "pernil",
        "cordeiro",
        "assado",
        "grelha",
        "brasa",
        "tempero",
    ],
    "mar": [
        "peixe",
        "camarão",
        "polvo",
        "lula",
        "bacalhau",
        "mexilhão",
        "limão",
        "coentro",
        "dendê",
        "azeite",
        "sardinha",
        "atum",
    ],
    "horta": [
        "alface",
        "tomate",
        "cebola",
        "alho",
        "cenoura",
        "couve",
        "abóbora",
        "batata",
        "pepino",
        "salsa",
        "rúcula",
        "chuchu",
    ],
    "grãos": [
        "arroz",
        "feijão",
        "lentilha",
        "grão",
        "milho",
        "aveia",
        "trigo",
        "farinha",
        "ervilha",
        "quinoa",
        "fubá",
        "polenta",
    ],
}
LIGA = [
    "com",
    "e",
    "de",
    "no",
    "na",
    "em",
    "por",
    "até",
    "depois",
    "misture",
    "sirva",
    "corte",
    "leve",
    "ao",
    "fogo",
    "deixe",
    "um",
    "pouco",
    "mais",
]
EPOCAS = 17


class Narrador(CallbackAny2Vec):
    """Conta cada época."""

    def __init__(self, prova: list[list[str]]) -> None:
        self.prova = prova
        self.epoca = 0
        self.inicio = time.time()

    def on_epoch_end(self, model: Word2Vec) -> None:
        """Perda nas frases de prova e acerto dos vizinhos."""
        self.epoca += 1
        print(
            f"época {self.epoca:>2}/{EPOCAS}  perda de prova {perda(model, self.prova):.4f}  "
            f"acerto {acerto(model):.2f}  "
            f"decorrido {time.time() - self.inicio:5.1f} s",
            flush=True,
        )


def frases(quantas: int) -> list[list[str]]:
    """Frases em torno de um grupo, com mistura."""
    dado = random.Random(23)
    saco = []
    nomes = list(GRUPOS)
    for _ in range(quantas):
        tema = GRUPOS[dado.choice(nomes)]
        frase = []
        for _ in range(dado.randint(7, 15)):
            sorte = dado.random()
            onde = tema if sorte < 0.5 else LIGA if sorte < 0.92 else GRUPOS[dado.choice(nomes)]
            frase.append(dado.choice(onde))
        saco.append(frase)
    return saco


def perda(model: Word2Vec, prova: list[list[str]]) -> float:
    """Perda média por par de palavras vizinhas, com seis negativas ao acaso."""
    dado = np.random.default_rng(4)
    centro, volta = [], []
    for frase in prova:
        postos = [model.wv.key_to_index[nome] for nome in frase]
        for lugar, um in enumerate(postos):
            for outro in postos[max(0, lugar - 2) : lugar]:
                centro.append(um)
                volta.append(outro)
    entra = model.wv.vectors[centro]
    sim = np.einsum("nd,nd->n", entra, model.syn1neg[volta])
    sorteio = model.syn1neg[dado.choice([model.wv.key_to_index[w] for frase in prova for w in frase], (len(volta), 6))]
    nao = np.einsum("nd,nkd->nk", entra, sorteio)
    return float(np.logaddexp(0, -sim).mean() + np.logaddexp(0, nao).sum(1).mean())


def acerto(model: Word2Vec) -> float:
    """Quantos dos cinco vizinhos mais próximos são do mesmo grupo."""
    bons = todos = 0
    for grupo in GRUPOS.values():
        for palavra in grupo:
            vizinhas = [nome for nome, _ in model.wv.most_similar(palavra, topn=5)]
            bons += sum(nome in grupo for nome in vizinhas)
            todos += 5
    return bons / todos


def main() -> None:
    """Treina e guarda."""
    corpus = frases(190_000)
    prova, corpus = corpus[:900], corpus[900:]
    print(
        f"corpus pronto: {len(corpus)} frases (e {len(prova)} de prova), {sum(map(len, corpus))} palavras", flush=True
    )
    model = Word2Vec(vector_size=80, window=4, min_count=3, workers=1, sg=1, negative=6, alpha=0.0003, seed=9)
    model.build_vocab(corpus)
    print(f"vocabulário: {len(model.wv)} palavras")
    print(f"antes do treino: perda de prova {perda(model, prova):.4f}, acerto {acerto(model):.2f} (ao acaso: 0.14)")
    print(f"começa o treino, {EPOCAS} épocas", flush=True)
    model.train(corpus, total_examples=len(corpus), epochs=EPOCAS, callbacks=[Narrador(prova)])
    for palavra in ("bacalhau", "chocolate", "feijão"):
        print(f"  perto de {palavra}:", ", ".join(nome for nome, _ in model.wv.most_similar(palavra, topn=4)))
    model.save("receitas.w2v")
    print(f"modelo guardado em receitas.w2v — acerto final {acerto(model):.2f}. Terminado.")


if __name__ == "__main__":
    main()
