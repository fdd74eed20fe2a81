"""An autoencoder of short wave forms that tells of itself in words of its own; REAL."""

from __future__ import annotations

import time

import torch
from torch import nn


def waves(n: int, g: torch.Generator) -> torch.Tensor:
    t = torch.linspace(0, 1, 256)
    f, ph, d = (torch.rand(3, n, 1, generator=g) * torch.tensor([18.0, 6.28, 4.0])[:, None, None]).unbind(0)
    return torch.sin(f * 6.28 * t + ph) * torch.exp(-d * t)


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(8)
    g = torch.Generator().manual_seed(8)
    squeeze = nn.Sequential(nn.Linear(256, 384), nn.SiLU(), nn.Linear(384, 384), nn.SiLU(), nn.Linear(384, 8))
    unfold = nn.Sequential(nn.Linear(8, 384), nn.SiLU(), nn.Linear(384, 384), nn.SiLU(), nn.Linear(384, 256))
    both = [*squeeze.parameters(), *unfold.parameters()]
    opt = torch.optim.Adam(both, lr=1e-3)
    print("brook: squeezing 256 samples into 8 numbers and back", flush=True)
    print("brook: 90 laps, 500 handfuls of 64 waves in a lap", flush=True)
    for lap in range(1, 91):
        t, miss = time.time(), 0.0
        for _ in range(500):
            x = waves(64, g)
            bad = (unfold(squeeze(x)) - x).square().mean()
            opt.zero_grad()
            bad.backward()
            opt.step()
            miss += bad.item() / 500
        print(f"lap {lap:2d} of 90 round in {time.time() - t:.1f} s, mean miss {miss:.5f}", flush=True)
        if lap % 5 == 0:
            torch.save([squeeze.state_dict(), unfold.state_dict()], "brook.pt")
            print("  put by in brook.pt", flush=True)
    print("brook: all laps round", flush=True)


if __name__ == "__main__":
    main()
