"""Tide-gauge forecaster on two machines with Fabric."""

import math
import os
from datetime import timedelta

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def gauges(n: int = 9000, window: int = 48) -> TensorDataset:
    t = torch.arange(n + window + 1) / 12.42
    y = torch.sin(2 * math.pi * t) + 0.3 * torch.sin(2 * math.pi * t * 0.5175 + 1) + 0.05 * torch.randn(len(t))
    x = y.unfold(0, window + 1, 1)
    return TensorDataset(x[:, :window], x[:, window:])


def main() -> None:
    fabric = Fabric(
        accelerator="cpu",
        devices=1,
        num_nodes=int(os.environ.get("NODES", "2")),
        strategy=DDPStrategy(process_group_backend="gloo", timeout=timedelta(minutes=20)),
    )
    print(
        f"tides: node {os.environ.get('NODE_RANK')} of {os.environ.get('NODES')}, "
        f"master {os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')}, "
        f"torch {torch.__version__}",
        flush=True,
    )
    fabric.launch()
    fabric.seed_everything(2207)
    model = nn.Sequential(nn.Linear(48, 160), nn.GELU(), nn.Linear(160, 1))
    model, opt = fabric.setup(model, torch.optim.AdamW(model.parameters(), lr=2e-3))
    loader = fabric.setup_dataloaders(DataLoader(gauges(), batch_size=64, shuffle=True))
    for epoch in range(12):
        total = 0.0
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            fabric.backward(loss)
            opt.step()
            total += loss.item()
        fabric.print(f"epoch {epoch:2d}  mse {total / len(loader):.5f}")
    fabric.save("tides.ckpt", {"model": model})


if __name__ == "__main__":
    main()
