"""Autoencoder of oven curves: what a normal loaf's temperature looks like, so that odd ones stand out."""

from __future__ import annotations

import time

import torch
from torch import nn

BAKES = 400


def curves(size: int, seed: int) -> torch.Tensor:
    """Core temperature of a loaf each twenty seconds of the bake."""
    draw = torch.Generator().manual_seed(seed)
    t = torch.linspace(0, 1, 120)[None]
    rise = 3 + 4 * torch.rand(size, 1, generator=draw)
    hold = 0.2 + 0.15 * torch.rand(size, 1, generator=draw)
    steam = 0.1 * torch.rand(size, 1, generator=draw) * torch.exp(-((t - hold) ** 2) / 0.004)
    return 1 / (1 + torch.exp(-rise * 3 * (t - hold))) - steam + 0.02 * torch.randn(size, 120, generator=draw)


def main() -> None:
    """Knead, bake, taste."""
    torch.manual_seed(1)
    dough, table = curves(30000, 1), curves(3000, 2)
    squeeze = nn.Sequential(nn.Linear(120, 256), nn.GELU(), nn.Linear(256, 64), nn.GELU(), nn.Linear(64, 4))
    unfold = nn.Sequential(nn.Linear(4, 64), nn.GELU(), nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 120))
    both = nn.Sequential(squeeze, unfold)
    oven = torch.optim.Adam(both.parameters(), lr=4e-4)
    print(f"{len(dough)} curves in the bowl, {len(table)} on the tasting table, {BAKES} rounds to go", flush=True)
    for turn in range(1, BAKES + 1):
        clock = time.monotonic()
        for lump in dough[torch.randperm(len(dough))].split(256):
            oven.zero_grad()
            off = (both(lump) - lump).square().mean()
            off.backward()
            oven.step()
        with torch.no_grad():
            crumbs = (both(table) - table).square().mean().sqrt().item()
        print(
            f"round {turn}: off by {crumbs * 200:.2f} degrees at the table, {time.monotonic() - clock:.1f} s",
            flush=True,
        )
        if turn % 10 == 0:
            torch.save(both.state_dict(), f"loaf{turn:03d}.pt")
            print(f"put loaf{turn:03d}.pt on the shelf", flush=True)
    print("all rounds baked", flush=True)


if __name__ == "__main__":
    main()
