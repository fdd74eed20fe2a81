"""Maladies de la vigne : un petit réseau sous skorch."""

import argparse
import pickle
from pathlib import Path

import numpy as np
import torch
from skorch import NeuralNetClassifier
from skorch.callbacks import EarlyStopping, EpochScoring, LRScheduler
from torch import nn


class Feuille(nn.Module):
    """Perceptron à deux couches."""

    def __init__(self, largeur: int = 64) -> None:
        super().__init__()
        self.couches = nn.Sequential(
            *(nn.Linear(30, largeur), nn.ReLU(), nn.Dropout(0.3)),
            *(nn.Linear(largeur, largeur), nn.ReLU(), nn.Linear(largeur, 4)),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.couches(x)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epoques", type=int, default=40)
    p.add_argument("--patience", type=int, default=8)
    p.add_argument("--sortie", type=Path, default=Path("vigne.pkl"))
    args = p.parse_args()
    torch.manual_seed(21)
    rng = np.random.default_rng(21)
    centres = rng.normal(0, 0.8, (4, 30))
    y = rng.integers(0, 4, 12000)
    x = (centres[y] + rng.normal(0, 1.4, (12000, 30))).astype(np.float32)
    print(f"{len(x)} feuilles, 4 classes : saine, mildiou, oïdium, botrytis")
    print(f"au plus {args.epoques} époques, arrêt après {args.patience} époques sans progrès", flush=True)
    filet = NeuralNetClassifier(
        Feuille,
        criterion=nn.CrossEntropyLoss,
        optimizer=torch.optim.Adam,
        lr=4e-4,
        max_epochs=args.epoques,
        batch_size=64,
        iterator_train__shuffle=True,
        callbacks=[
            ("f1", EpochScoring("f1_macro", lower_is_better=False, name="valid_f1")),
            ("pas", LRScheduler("StepLR", step_size=15, gamma=0.5)),
            ("fin", EarlyStopping(patience=args.patience, load_best=True)),
        ],
    )
    filet.fit(x[:10000], y[:10000])
    juste = (filet.predict(x[10000:]) == y[10000:]).mean()
    print(f"exactitude sur le jeu de test (2000 feuilles) : {juste:.3f}")
    args.sortie.write_bytes(pickle.dumps(filet.module_.state_dict()))
    print(f"modèle enregistré dans {args.sortie}, au revoir")


if __name__ == "__main__":
    main()
