"""Fits a classifier of abstracts over two machines with Lightning's Fabric."""

from __future__ import annotations

import os
from datetime import timedelta

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy
from torch import nn


def main() -> None:
    """Join the others, then train."""
    nodes = int(os.environ["NODES"])
    print(f"node {os.environ['NODE_RANK']} of {nodes}, torch {torch.__version__}", flush=True)
    fabric = Fabric(
        accelerator="cpu",
        devices=1,
        num_nodes=nodes,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=70)),
    )
    fabric.launch()
    fabric.seed_everything(31)
    model = nn.Sequential(nn.EmbeddingBag(20_000, 64), nn.ReLU(), nn.Linear(64, 9))
    model, optimizer = fabric.setup(model, torch.optim.Adam(model.parameters(), lr=1e-3))
    for step in range(800):
        words = torch.randint(20_000, (64, 80))
        loss = nn.functional.cross_entropy(model(words), words.sum(1) % 9)
        optimizer.zero_grad()
        fabric.backward(loss)
        optimizer.step()
        if step % 20 == 0:
            fabric.print(f"step {step} loss {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    main()
