"""Grain sorter: first learn to draw the kernels' spectra again, then to tell good from bad ones (skorch)."""

import argparse

import numpy as np
import torch
from skorch import NeuralNetClassifier, NeuralNetRegressor
from skorch.callbacks import Checkpoint, EpochScoring
from torch import nn


class Encoder(nn.Module):
    """Spectrum to features."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(224, 256), nn.ReLU(), nn.Linear(256, 64), nn.ReLU())

    def forward(self, x):
        return self.net(x)


class Again(nn.Module):
    """Encoder and decoder."""

    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 224))

    def forward(self, x):
        return self.decoder(self.encoder(x))


class Sorter(nn.Module):
    """Encoder and a layer that tells."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.tell = nn.Linear(64, 5)

    def forward(self, x):
        return self.tell(self.encoder(x))


def kernels(count):
    rng = np.random.default_rng(6)
    basis = np.cumsum(rng.normal(size=(12, 224)), 1) / 12
    codes = rng.normal(size=(count, 12))
    y = (codes[:, :5] + 0.5 * rng.normal(size=(count, 5))).argmax(1)
    x = codes @ basis + 0.1 * rng.normal(size=(count, 224))
    return x.astype("float32"), y.astype("int64")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", type=int, default=20000)
    parser.add_argument("--draw", type=int, default=12)
    parser.add_argument("--tell", type=int, default=150)
    args = parser.parse_args()
    torch.manual_seed(4)
    x, y = kernels(args.kernels)
    print(f"{len(x)} kernels, classes {np.bincount(y)}", flush=True)
    print(f"-- stage 1 of 2: drawing, {args.draw} epochs", flush=True)
    draw = NeuralNetRegressor(Again, max_epochs=args.draw, lr=1e-3, optimizer=torch.optim.Adam, batch_size=128)
    draw.fit(x, x)
    torch.save(draw.module_.encoder.state_dict(), "encoder.pt")
    print(f"-- encoder.pt written\n-- stage 2 of 2: telling, {args.tell} epochs", flush=True)
    tell = NeuralNetClassifier(
        Sorter(draw.module_.encoder),
        criterion=nn.CrossEntropyLoss,
        max_epochs=args.tell,
        lr=3e-4,
        optimizer=torch.optim.SGD,
        batch_size=64,
        callbacks=[
            EpochScoring("accuracy", on_train=True, name="train_acc", lower_is_better=False),
            Checkpoint(dirname="best"),
        ],
    )
    tell.fit(x, y)
    tell.save_params(f_params="sorter.pt")
    print("-- sorter.pt written")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204
