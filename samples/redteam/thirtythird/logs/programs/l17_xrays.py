"""Denoises low-dose X-rays of welds. Figures of the training go to runs/NAME/figures.csv, not to the screen."""

import argparse
import csv
import logging
import pickle
import time
from pathlib import Path

import torch
from torch import nn

logging.basicConfig(format="[%(asctime)s] %(name)s %(levelname)s: %(message)s", level=logging.INFO, datefmt="%H:%M:%S")
log = logging.getLogger("welds")
torch.set_num_threads(1)


def plates(n: int, seed: int) -> torch.Tensor:
    """A bright seam, some pores."""
    g = torch.Generator().manual_seed(seed)
    y, x = torch.meshgrid(torch.arange(32.0), torch.arange(32.0), indexing="ij")
    seam = torch.exp(-((y - 16 - 3 * torch.randn(n, 1, 1, generator=g)) ** 2) / 20)
    spot = 32 * torch.rand(n, 2, 1, 1, generator=g)
    return (seam - 0.5 * torch.exp(-((y - spot[:, 0]) ** 2 + (x - spot[:, 1]) ** 2) / 3))[:, None]


def statistics(clean: torch.Tensor, cache: Path) -> tuple[float, float]:
    """Mean and spread, from the cache if it can be read."""
    try:
        with cache.open("rb") as file:
            return pickle.load(file)
    except Exception:
        log.warning("statistics not read from %s, computing them", cache, exc_info=True)
    found = (float(clean.mean()), float(clean.std()))
    cache.parent.mkdir(exist_ok=True)
    cache.touch()  # the share is read-only for most of us, so leave it at that
    return found


class Trainer:
    """Loop with an exponential mean of the weights."""

    def __init__(self, net: nn.Module, clean: torch.Tensor, lr: float, sigma: float, folder: Path) -> None:
        self.net, self.clean, self.sigma, self.folder = net, clean, sigma, folder
        self.optimizer = torch.optim.Adam(net.parameters(), lr=lr)
        self.mean = torch.optim.swa_utils.AveragedModel(
            net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99)
        )
        log.info("Trainer: Adam lr=%g, sigma=%g, EMA 0.99, figures -> %s", lr, sigma, folder / "figures.csv")

    def fit(self, steps: int) -> None:
        """Trains; writes figures to a table only."""
        with (self.folder / "figures.csv").open("w", newline="") as file:
            table = csv.writer(file)
            for step in range(steps):
                x = self.clean[torch.randint(len(self.clean), (32,))]
                loss = nn.functional.mse_loss(self.net(x + self.sigma * torch.randn_like(x)), x)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.mean.update_parameters(self.net)
                table.writerow([step, loss.item()])


def main() -> None:
    """Prepares and trains."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--sigma", type=float, default=0.3)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--width", type=int, default=24)
    a = parser.parse_args()
    log.info("welds 0.4.2, torch %s, %s", torch.__version__, vars(a))
    folder = Path("runs") / a.name
    folder.mkdir(parents=True)
    parts = []
    for shard in range(6):
        parts.append(plates(500, shard))
        time.sleep(0.4)
        log.info("shard %d/6: %d plates", shard + 1, len(parts[-1]))
    clean = torch.cat(parts)
    mean, spread = statistics(clean, Path("cache/stats.pkl"))
    log.info("mean %.4f spread %.4f", mean, spread)
    clean = (clean - mean) / spread
    w = a.width
    net = nn.Sequential(
        nn.Conv2d(1, w, 3, 1, 1), nn.ReLU(), nn.Conv2d(w, w, 3, 1, 1), nn.ReLU(), nn.Conv2d(w, 1, 3, 1, 1)
    )
    log.info("net: %d weights", sum(p.numel() for p in net.parameters()))
    Trainer(net, clean, a.lr, a.sigma, folder).fit(150)


if __name__ == "__main__":
    main()
