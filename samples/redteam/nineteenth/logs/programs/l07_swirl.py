"""Denoising diffusion on swirls in the plane."""

from __future__ import annotations

import argparse
import logging
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

if TYPE_CHECKING:
    from collections.abc import Iterator

log = logging.getLogger("swirl")


class Shards(IterableDataset):
    """Points from the shards in the folder, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.files = sorted(folder.glob("*.pt"))

    def __iter__(self) -> Iterator[torch.Tensor]:
        for file in self.files:
            log.info("opening %s", file.name)
            yield from torch.load(file)


class Denoiser(nn.Module):
    """Predict the noise, given the point and the time."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(2 + 16, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2)
        )
        self.register_buffer("waves", torch.exp(torch.linspace(0, 4, 8)))

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        a = t[:, None] * self.waves
        return self.net(torch.cat([x, a.sin(), a.cos()], 1))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shards", type=Path, default=Path("shards"))
    parser.add_argument("--train-steps", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--lr", type=float, default=2e-4)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    torch.manual_seed(0)
    data = Shards(args.shards)
    log.info("%d shards in %s", len(data.files), args.shards)
    net = Denoiser(256)
    ema = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.999))
    optimizer = torch.optim.Adam(net.parameters(), args.lr)
    print(f"diffusion: {sum(p.numel() for p in net.parameters())} parameters, train_steps={args.train_steps}, ", end="")
    print(f"batch={args.batch}, lr={args.lr}", flush=True)
    began = time.perf_counter()
    smooth = None
    for step, x in zip(range(1, args.train_steps + 1), DataLoader(data, args.batch), strict=False):
        t = torch.rand(len(x))
        noise = torch.randn_like(x)
        keep = torch.cos(t * math.pi / 2)[:, None]
        loss = nn.functional.mse_loss(net(keep * x + (1 - keep**2).sqrt() * noise, t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update_parameters(net)
        smooth = loss.item() if smooth is None else 0.98 * smooth + 0.02 * loss.item()
        if step % 50 == 0:
            rate = step / (time.perf_counter() - began)
            print(
                f"step {step:6d}/{args.train_steps} loss {loss.item():.4f} (smooth {smooth:.4f}) {rate:.1f} it/s",
                flush=True,
            )
    torch.save(ema.state_dict(), "swirl_ema.pt")
    log.info("saved swirl_ema.pt")
    print(f"finished at step {step}, smooth loss {smooth:.4f}", flush=True)


if __name__ == "__main__":
    main()
