"""Name the bird from the features of a clip, with Accelerate."""

from __future__ import annotations

import argparse

import pandas as pd
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    accelerator = Accelerator(cpu=True)
    accelerator.print(accelerator.state)
    table = pd.read_pickle("clips.pkl")
    x = torch.tensor(table.filter(like="band").to_numpy())
    y = torch.tensor(table["species"].to_numpy())
    net = nn.Sequential(nn.Linear(160, 256), nn.ReLU(), nn.Linear(256, 20))
    net, optimizer, loader = accelerator.prepare(
        net, torch.optim.Adam(net.parameters()), DataLoader(TensorDataset(x, y), 50, shuffle=True)
    )
    for epoch in range(args.epochs):
        for features, species in loader:
            loss = nn.functional.cross_entropy(net(features), species)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
