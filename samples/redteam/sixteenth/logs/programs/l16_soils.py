"""Clay in soils from their spectra, with Poutyne."""

import platform
import time

import torch
from poutyne import ModelBundle
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    print(f"soils on {platform.node()}, Python {platform.python_version()}, torch {torch.__version__}")
    net = nn.Sequential(nn.Linear(400, 64), nn.ReLU(), nn.Linear(64, 1))
    print(net)
    print(f"{sum(p.numel() for p in net.parameters())} parameters; 60 epochs planned, batch 64")
    spectra, clay = [], []
    for campaign in range(2009, 2024):
        wave = torch.rand(2000, 400).cumsum(1)
        spectra.append((wave - wave.mean(1, keepdim=True)) / wave.std(1, keepdim=True))
        clay.append(wave[:, 200:210].mean(1, keepdim=True) / 100)
        time.sleep(2)
        print(f"campaign {campaign}: {len(wave)} spectra, clay {clay[-1].mean():.3f} on average")
    data = TensorDataset(torch.cat(spectra), torch.cat(clay))
    bundle = ModelBundle.from_network("soils", net, optimizer="adam", loss_function="mse")
    bundle.train(DataLoader(data, 64, shuffle=True), epochs=60)


if __name__ == "__main__":
    main()
