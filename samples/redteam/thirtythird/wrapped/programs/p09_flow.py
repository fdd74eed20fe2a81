"""A normalising flow over stellar spectra, couplings by hand."""

from __future__ import annotations

import argparse
import logging
import math
from pathlib import Path

import numpy as np
import torch
import yaml
from torch import nn

logging.basicConfig(format="[%(asctime)s] %(levelname)-7s %(message)s", level=logging.INFO, datefmt="%H:%M:%S")
log = logging.getLogger("specflow")


class Coupling(nn.Module):
    """One half of the bins moves and scales the other."""

    def __init__(self, dim: int, hidden: int, clamp: float, flip: bool) -> None:
        super().__init__()
        self.flip, self.clamp = flip, clamp
        self.net = nn.Sequential(
            nn.Linear(dim // 2, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, dim)
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = self.clamp * torch.tanh(s / self.clamp)
        b = b * s.exp() + t
        return torch.cat((b, a) if self.flip else (a, b), 1), s.sum(1)


class Flow(nn.Module):
    """Couplings in a row over a normal base."""

    def __init__(self, dim: int, couplings: int, hidden: int, clamp: float) -> None:
        super().__init__()
        self.steps = nn.ModuleList(Coupling(dim, hidden, clamp, bool(i % 2)) for i in range(couplings))

    def nll(self, x: torch.Tensor) -> torch.Tensor:
        total = x.new_zeros(len(x))
        for step in self.steps:
            x, s = step(x)
            total = total + s
        return (0.5 * (x**2).sum(1) + 0.5 * x.shape[1] * math.log(2 * math.pi) - total).mean()


def stars(n: int, bins: int) -> np.ndarray:
    rng = np.random.default_rng(6)
    wave = np.linspace(0.4, 0.9, bins * 16)
    out = np.empty((n, bins), np.float32)
    for i in range(n):
        temp = rng.uniform(3.5, 9.5)
        cont = wave**-5 / np.expm1(14.388 / (wave * temp))
        depth = rng.uniform(0, 0.6, 30)
        where = 0.4 + 0.5 * np.arange(30) / 30
        lines = 1 - (depth[:, None] * np.exp(-0.5 * ((wave[None] - where[:, None]) / 0.002) ** 2)).sum(0)
        flux = cont * lines / cont.max() + 0.02 * rng.standard_normal(len(wave))
        out[i] = flux.reshape(bins, 16).mean(1)
    return out


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--config", type=Path, required=True)
    cfg = yaml.safe_load(p.parse_args().config.read_text())
    torch.set_num_threads(1)
    torch.manual_seed(0)
    log.info("config %s", cfg)
    log.info("synthesising %d spectra", cfg["data"]["stars"])
    x = torch.from_numpy(stars(cfg["data"]["stars"], cfg["data"]["bins"]))
    if cfg["data"]["standardise"]:
        x = (x - x.mean(0)) / x.std(0)
    log.info("spectra %s ready", tuple(x.shape))
    flow = Flow(x.shape[1], **cfg["flow"])
    log.info("flow: %d couplings, %d weights", len(flow.steps), sum(q.numel() for q in flow.parameters()))
    o = cfg["optim"]
    optimizer = torch.optim.AdamW(flow.parameters(), lr=o["lr"], weight_decay=o["weight_decay"])
    for epoch in range(o["epochs"]):
        total, batches = 0.0, x[torch.randperm(len(x))].split(o["batch"])
        for batch in batches:
            loss = flow.nll(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        log.info("epoch %d/%d  nll %.3f", epoch + 1, o["epochs"], total / len(batches))
    torch.save(flow.state_dict(), "flow.pt")


if __name__ == "__main__":
    main()
