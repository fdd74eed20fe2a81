"""Corals of a reef by their texture, with Poutyne; it goes on where it was left."""

import sys

import torch
from poutyne import ModelBundle
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def textures(number: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 8, (number,), generator=g)
    grid = torch.linspace(0, 12, 28)
    wave = torch.sin(grid[None, :, None] * (1 + y[:, None, None] / 3)) + torch.cos(
        grid[None, None, :] * (2 - y[:, None, None] / 5)
    )
    return TensorDataset((wave + 1.9 * torch.randn(number, 28, 28, generator=g))[:, None], y)


def main() -> None:
    epochs = int(sys.argv[1])
    net = nn.Sequential(
        nn.Conv2d(1, 12, 5, 2), nn.ReLU(), nn.Conv2d(12, 24, 5, 2), nn.ReLU(), nn.Flatten(), nn.Linear(384, 8)
    )
    bundle = ModelBundle.from_network(
        "reef", net, optimizer="adam", loss_function="cross_entropy", batch_metrics=["accuracy"]
    )
    bundle.train(
        DataLoader(textures(6000, 1), 32, shuffle=True),
        DataLoader(textures(800, 2), 100),
        epochs=epochs,
        progress_options={"coloring": False, "progress_bar": False},
    )
    print("reef: trained", epochs, "epochs")


if __name__ == "__main__":
    main()
