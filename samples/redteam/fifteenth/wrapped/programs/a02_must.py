"""Grades of grape must from twelve measurements, with skorch inside a pipeline of scikit-learn."""

from __future__ import annotations

import numpy as np
import torch
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier
from skorch.callbacks import EpochScoring, LRScheduler
from torch import nn


class Net(nn.Module):
    """Twelve measurements in, four grades out."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, width), nn.ELU(), nn.Linear(width, width), nn.ELU(), nn.Linear(width, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.layers(x), dim=-1)


def main() -> None:
    torch.manual_seed(11)
    rng = np.random.default_rng(4)
    x = rng.normal(size=(6000, 12)).astype(np.float32) * 3 + 7
    score = x[:, 0] * 0.8 - x[:, 3] * 0.5 + np.sin(x[:, 5]) * 2 + rng.normal(size=6000) * 0.6
    y = np.digitize(score, np.quantile(score, [0.25, 0.5, 0.75])).astype(np.int64)
    x_train, x_test, y_train, y_test = train_test_split(x, y, random_state=0)
    net = NeuralNetClassifier(
        Net,
        max_epochs=20,
        lr=0.01,
        optimizer=torch.optim.Adam,
        batch_size=128,
        callbacks=[
            ("train_acc", EpochScoring("accuracy", on_train=True, name="train_acc", lower_is_better=False)),
            ("lr", LRScheduler("StepLR", step_size=8, gamma=0.3)),
        ],
    )
    pipe = make_pipeline(StandardScaler(), net)
    pipe.fit(x_train, y_train)
    print(classification_report(y_test, pipe.predict(x_test), digits=3))
    net.save_params(f_params="must.pt", f_history="must.json")
    print("weights in must.pt, history in must.json")


if __name__ == "__main__":
    main()
