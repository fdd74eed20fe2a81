"""A small network that takes the speckle out of sonar images; a Trainer of our own and a sweep around it."""

from __future__ import annotations

import argparse
import itertools
import logging
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

logging.basicConfig(format="%(asctime)s | %(levelname)s | %(message)s", datefmt="%Y-%m-%d %H:%M:%S", level=logging.INFO)
log = logging.getLogger("despeckle")


@dataclass
class Config:
    """One point of the sweep."""

    width: int
    lr: float
    looks: int
    epochs: int = 5
    batch: int = 16
    seed: int = 2


class Denoiser(nn.Module):
    """Predicts the logarithm of the speckle and takes it off."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, 1, 3, padding=1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - self.net(x)


def seabed(n: int, seed: int) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed)
    coarse = torch.randn(n, 1, 6, 6, generator=g)
    ground = functional.interpolate(coarse, size=(40, 40), mode="bicubic")
    ripple = torch.sin(torch.linspace(0, 25, 40)[None, None, None] + 6 * torch.rand(n, 1, 1, 1, generator=g))
    return 0.5 * ground + 0.15 * ripple


class Trainer:
    """Fits one configuration and says how it goes."""

    def __init__(self, config: Config, train: torch.Tensor, val: torch.Tensor, folder: Path) -> None:
        torch.manual_seed(config.seed)
        self.config, self.train, self.val, self.folder = config, train, val, folder
        self.model = Denoiser(config.width)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=config.lr)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, config.epochs, config.lr / 20)
        self.generator = torch.Generator().manual_seed(config.seed)
        self.best = float("-inf")

    def speckle(self, clean: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        power = sum(
            -torch.rand(clean.shape, generator=generator).clamp_min(1e-6).log() for _ in range(self.config.looks)
        )
        return clean + (power / self.config.looks).log()

    def one_epoch(self) -> float:
        self.model.train()
        total, batches = 0.0, self.train[torch.randperm(len(self.train))].split(self.config.batch)
        for clean in batches:
            loss = functional.mse_loss(self.model(self.speckle(clean, self.generator)), clean)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(batches)

    @torch.no_grad()
    def evaluate(self) -> tuple[float, float]:
        self.model.eval()
        noisy = self.speckle(self.val, torch.Generator().manual_seed(77))
        mse = functional.mse_loss(self.model(noisy), self.val)
        span = self.val.max() - self.val.min()
        return mse.item(), (10 * torch.log10(span**2 / mse)).item()

    def fit(self) -> float:
        _, start = self.evaluate()
        log.info("before training: val PSNR %.2f dB", start)
        for epoch in range(1, self.config.epochs + 1):
            began = time.perf_counter()
            rate = self.optimizer.param_groups[0]["lr"]
            loss = self.one_epoch()
            self.schedule.step()
            mse, psnr = self.evaluate()
            mark = ""
            if psnr > self.best:
                self.best, mark = psnr, " *"
                torch.save(self.model.state_dict(), self.folder / "best.pt")
            log.info(
                "epoch %d/%d  train_mse %.5f  val_mse %.5f  val_psnr %.2f dB  lr %.2e  %.1fs%s",
                epoch,
                self.config.epochs,
                loss,
                mse,
                psnr,
                rate,
                time.perf_counter() - began,
                mark,
            )
        return self.best


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--images", type=int, default=400)
    p.add_argument("--out", type=Path, default=Path("sweeps/speckle4"))
    args = p.parse_args()
    torch.set_num_threads(1)
    train, val = seabed(args.images, 1), seabed(64, 9)
    grid = [Config(w, lr, looks) for w, lr, looks in itertools.product((12, 20), (1e-3, 4e-3), (4,))]
    log.info("sweep %s: %d configurations, %d images, %d held out", args.out.name, len(grid), len(train), len(val))
    table = []
    for i, config in enumerate(grid, 1):
        name = f"w{config.width}_lr{config.lr:g}_L{config.looks}"
        folder = args.out / name
        folder.mkdir(parents=True, exist_ok=True)
        log.info("---- [%d/%d] %s ----", i, len(grid), name)
        log.info("%s", asdict(config))
        trainer = Trainer(config, train, val, folder)
        log.info("%d parameters", sum(q.numel() for q in trainer.model.parameters()))
        table.append((trainer.fit(), name))
        log.info(
            "[%d/%d] %s finished, best val PSNR %.2f dB -> %s", i, len(grid), name, table[-1][0], folder / "best.pt"
        )
    log.info("sweep done")
    for rank, (psnr, name) in enumerate(sorted(table, reverse=True), 1):
        log.info("  %d. %-16s %.2f dB", rank, name, psnr)


if __name__ == "__main__":
    main()
