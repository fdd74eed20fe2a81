"""Canopy height from lidar returns, Lightning's Fabric on three processes."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

import torch
from lightning.fabric import Fabric
from torch import nn

log = logging.getLogger("canopy")


class Canopy(nn.Module):
    """A small residual net over binned returns."""

    def __init__(self, bins: int, width: int, depth: int) -> None:
        super().__init__()
        self.inp = nn.Linear(bins, width)
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(width, width), nn.GELU()) for _ in range(depth)])
        self.out = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.inp(x)
        for block in self.blocks:
            h = h + block(h)
        return self.out(h).squeeze(1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--from", dest="start", type=Path)
    a = parser.parse_args()
    fabric = Fabric(accelerator="cpu", devices=3, strategy="ddp")
    fabric.launch()
    logging.basicConfig(
        format=f"%(asctime)s {fabric.global_rank}/{fabric.world_size} %(levelname).1s %(message)s", level=logging.INFO
    )
    fabric.seed_everything(5)
    net = Canopy(128, a.width, 4)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    log.info("canopy: %d parameters, width %d", sum(p.numel() for p in net.parameters()), a.width)
    first = 0
    if a.start:
        first = resume(fabric, net, optimizer, a.start)
    net, optimizer = fabric.setup(net, optimizer)
    torch.manual_seed(50 + fabric.global_rank)
    for step in range(first + 1, first + a.steps + 1):
        x = torch.rand(128, 128)
        y = 30 * (x[:, 40:90].mean(1) - 0.5) + 0.05 * torch.randn(128)
        loss = nn.functional.smooth_l1_loss(net(x), y)
        optimizer.zero_grad()
        fabric.backward(loss)
        optimizer.step()
        if step % 25 == 0 and fabric.is_global_zero:
            log.info("step %d loss %.5f", step, loss.item())
    fabric.save("canopy.ckpt", {"net": net, "optimizer": optimizer, "step": step})
    log.info("saved canopy.ckpt at step %d", step)


def resume(fabric: Fabric, net: nn.Module, optimizer: torch.optim.Optimizer, path: Path) -> int:
    """Take up a run: the first process reads the file, the others get what it read."""
    box = None
    if fabric.is_global_zero:
        log.info("taking up %s (%.1f MB)", path, path.stat().st_size / 1e6)
        box = torch.load(path, map_location="cpu", weights_only=True)
        try:
            net.load_state_dict(box["net"])
            optimizer.load_state_dict(box["optimizer"])
        except (RuntimeError, ValueError) as why:
            log.warning("%s", str(why).replace("\n\t", " ")[:240])
            sys.exit(1)
    box = fabric.broadcast(box)
    net.load_state_dict(box["net"])
    optimizer.load_state_dict(box["optimizer"])
    return int(box["step"])


if __name__ == "__main__":
    main()
