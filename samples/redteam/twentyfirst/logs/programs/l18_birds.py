"""Bird calls from mel strips with skorch."""

import argparse

import numpy as np
import torch
from skorch import NeuralNetClassifier
from skorch.callbacks import Checkpoint, ProgressBar
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from torch import nn


class Calls(nn.Module):
    def __init__(self, species=10):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
            nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(512, species),
        )  # fmt: skip

    def forward(self, x):
        return self.net(x)


def strips(n):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 10, n)
    t, f = np.arange(32)[None, None, :], np.arange(32)[None, :, None]
    sweep = 4 + 2.4 * y[:, None, None] + 3 * np.sin(t / (2 + y[:, None, None]))
    x = np.exp(-((f - sweep) ** 2) / 5) + 0.8 * rng.normal(size=(n, 32, 32))
    return x.astype("float32"), y


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--n", type=int, default=12000)
    args = ap.parse_args()
    torch.manual_seed(0)
    x, y = strips(args.n)
    net = NeuralNetClassifier(
        Calls, criterion=nn.CrossEntropyLoss, optimizer=torch.optim.Adam, lr=5e-4, batch_size=64,
        max_epochs=args.epochs,
        callbacks=[ProgressBar(), Checkpoint(dirname="ckpt", monitor="valid_loss_best")], verbose=0,
    )  # fmt: skip
    add_channel = FunctionTransformer(lambda a: np.log1p(np.abs(a))[:, None] * np.sign(a)[:, None])
    Pipeline([("channel", add_channel), ("net", net)]).fit(x, y)


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204, D101, I001
