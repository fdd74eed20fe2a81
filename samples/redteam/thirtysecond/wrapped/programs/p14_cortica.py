"""Classificador de imagens de cortiça (rolhas) com skorch."""

import argparse
import time

import numpy as np
import torch
from skorch import NeuralNetClassifier
from skorch.callbacks import EarlyStopping, EpochScoring, LRScheduler
from skorch.dataset import ValidSplit
from torch import nn

CLASSES = ["extra", "superior", "primeira", "segunda", "refugo"]


class Rede(nn.Module):
    """Uma rede convolucional pequena."""

    def __init__(self, canais: int = 12, classes: int = 5) -> None:
        """Monta as camadas."""
        super().__init__()
        self.corpo = nn.Sequential(
            nn.Conv2d(1, canais, 5, 2),
            nn.ReLU(),
            nn.Conv2d(canais, 2 * canais, 3, 2),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(3),
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(18 * canais, classes),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Devolve os logits."""
        return self.corpo(x)


def rolhas(n: int, semente: int) -> tuple[np.ndarray, np.ndarray]:
    """Imagens de rolhas: quanto pior a classe, mais poros."""
    rng = np.random.default_rng(semente)
    y = rng.integers(0, len(CLASSES), n)
    x = rng.normal(0.6, 0.05, (n, 1, 40, 40)).astype(np.float32)
    for i, c in enumerate(y):
        for _ in range(rng.poisson(2 + 4 * c)):
            a, b = rng.integers(0, 37, 2)
            x[i, 0, a : a + rng.integers(1, 4), b : b + rng.integers(1, 3)] -= 0.3
    return (x - 0.6) / 0.12, y.astype(np.int64)


def main() -> None:
    """Treina e avalia."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--epocas", type=int, default=40)
    ap.add_argument("--lr", type=float, default=2e-3)
    args = ap.parse_args()
    torch.manual_seed(21)
    inicio = time.time()
    print("Lote de Coruche, campanha de outono; a ler as imagens ...")
    x, y = rolhas(2500, 5)
    xt, yt = rolhas(600, 6)
    print(
        f"{len(x)} imagens de treino, {len(xt)} de teste; por classe: "
        + ", ".join(f"{c} {int((y == i).sum())}" for i, c in enumerate(CLASSES))
    )
    rede = NeuralNetClassifier(
        Rede,
        criterion=nn.CrossEntropyLoss,
        optimizer=torch.optim.Adam,
        lr=args.lr,
        max_epochs=args.epocas,
        batch_size=64,
        iterator_train__shuffle=True,
        train_split=ValidSplit(5, stratified=True),
        callbacks=[
            ("acerto_treino", EpochScoring("accuracy", name="acerto_treino", lower_is_better=False, on_train=True)),
            ("plano", LRScheduler("CosineAnnealingLR", T_max=args.epocas)),
            ("parada", EarlyStopping(patience=25)),
        ],
    )
    rede.fit(x, y)
    melhor = min(rede.history, key=lambda h: h["valid_loss"])
    print(
        f"Treino concluído: {len(rede.history)} épocas em {time.time() - inicio:.1f} s; melhor época {melhor['epoch']} ({melhor['valid_loss']:.4f})"
    )
    prev = rede.predict(xt)
    print(f"Acerto no teste: {(prev == yt).mean():.3f} (a uma classe de distância: {(abs(prev - yt) <= 1).mean():.3f})")
    rede.save_params(f_params="rolhas.pt", f_history="historico.json")
    print("Parâmetros gravados em rolhas.pt, histórico em historico.json. Fim.")


if __name__ == "__main__":
    main()
