"""Forecast the canopy of kelp forests from satellite series with a small transformer; DDP under torchrun."""

import argparse
import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s,%(name)s,%(levelname)s,%(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("kelp")


class Canopy(nn.Module):
    """Quarters of the past, the next one."""

    def __init__(self, width, heads):
        super().__init__()
        self.lift = nn.Linear(5, width)
        self.mix = nn.MultiheadAttention(width, heads, batch_first=True)
        self.out = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, x):
        """Canopy, standardised."""
        h = self.lift(x)
        return self.out((h + self.mix(h, h, h, need_weights=False)[0])[:, -1])[:, 0]


def series(rows, seed):
    """Area, temperature, nitrate, waves and the season, sixteen quarters back."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 16, 5, generator=g).cumsum(1) / 3
    y = 0.7 * x[:, -1, 0] - 0.5 * torch.tanh(x[:, -1, 1]) + 0.4 * x[:, -4:, 2].mean(1)
    return TensorDataset(x, y + 0.1 * torch.randn(rows, generator=g))


def main():
    """One configuration."""
    p = argparse.ArgumentParser()
    p.add_argument("--width", type=int, required=True)
    p.add_argument("--heads", type=int, required=True)
    p.add_argument("--epochs", type=int, default=5)
    a = p.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    if rank:
        log.setLevel(logging.WARNING)
    torch.manual_seed(3)
    log.info("width %d heads %d, world %s", a.width, a.heads, os.environ["WORLD_SIZE"])
    net = DistributedDataParallel(Canopy(a.width, a.heads))
    data = series(12000, 6)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=64, sampler=sampler)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for epoch in range(a.epochs):
        sampler.set_epoch(epoch)
        total = 0.0
        for x, y in loader:
            loss = nn.functional.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        log.info("epoch %d/%d mse %.4f", epoch + 1, a.epochs, total / len(loader))
    if rank == 0:
        torch.save(net.module.state_dict(), f"kelp_w{a.width}_h{a.heads}.pt")
        log.info("kept kelp_w%d_h%d.pt", a.width, a.heads)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204
