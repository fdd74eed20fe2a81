"""Mooring line tension from buoy motion; Fabric, two processes a node."""

import os
import sys
from datetime import timedelta

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def data(seed: int) -> TensorDataset:
    """Windows of six degrees of freedom, tension at the fairlead."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(4096, 6, 64, generator=g).cumsum(-1) * 0.1
    y = (x[:, 0].amax(-1) + 0.5 * x[:, 2].std(-1) - 0.3 * x[:, 4].mean(-1)).unsqueeze(1)
    return TensorDataset(x, y)


def main() -> None:
    """The usual loop."""
    torch.set_num_threads(1)
    nodes = int(os.environ.get("MOOR_NODES", "1"))
    fabric = Fabric(
        accelerator="cpu",
        devices=2,
        num_nodes=nodes,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=75)),
    )
    print(
        f"[mooring] host {os.uname().nodename} pid {os.getpid()} nodes={nodes} devices=2 torch {torch.__version__}",
        flush=True,
    )
    fabric.launch()
    fabric.seed_everything(11)
    net = nn.Sequential(
        nn.Conv1d(6, 32, 5),
        nn.ReLU(),
        nn.Conv1d(32, 32, 5),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(32, 1),
    )
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    net, opt = fabric.setup(net, opt)
    loader = fabric.setup_dataloaders(DataLoader(data(3), batch_size=64, shuffle=True))
    for epoch in range(30):
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(net(x), y)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            if i % 16 == 0:
                fabric.print(f"[mooring] epoch {epoch} it {i}/{len(loader)} mse {loss.item():.4f}", flush=True)
    fabric.save("/tmp/bu_pa/scratch/mooring.ckpt", {"net": net})


if __name__ == "__main__":
    sys.exit(main())
