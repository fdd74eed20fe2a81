"""Removes noise from low-dose radiographs of welds."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn


@dataclass
class Config:
    """What can be set."""

    epochs: int = 10
    batch: int = 16
    lr: float = 1e-3
    width: int = 24
    noise: float = 0.22
    plates: int = 512
    run_dir: str = "/tmp/bu_pa/scratch/weld/run_0419"


def plates(n: int, seed: int) -> torch.Tensor:
    """Seams, pores and a slope of thickness."""
    g = torch.Generator().manual_seed(seed)
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, 48), torch.linspace(-1, 1, 48), indexing="ij")
    out = []
    for _ in range(n):
        r = torch.rand(12, generator=g)
        img = (
            0.4
            + 0.2 * r[0] * xx
            + 0.5 * torch.exp(-((yy - 0.6 * (r[1] - 0.5) - 0.2 * r[2] * xx) ** 2) / (0.01 + 0.04 * r[3]))
        )
        for k in range(3):
            img = img - 0.3 * torch.exp(-((xx - 2 * r[4 + k] + 1) ** 2 + (yy - r[7 + k] + 0.5) ** 2) / 0.004)
        out.append(img)
    return torch.stack(out)[:, None]


class Net(nn.Module):
    """Predicts the noise."""

    def __init__(self, w: int) -> None:
        """Build it."""
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(1, w, 3, padding=1), nn.ReLU()]
        for _ in range(3):
            layers += [nn.Conv2d(w, w, 3, padding=1, bias=False), nn.BatchNorm2d(w), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.Conv2d(w, 1, 3, padding=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Image less noise."""
        return x - self.body(x)


class Trainer:
    """Trains, validates, keeps the best."""

    def __init__(self, cfg: Config) -> None:
        """Set up."""
        self.cfg, self.best = cfg, 0.0
        self.dir = Path(cfg.run_dir)
        self.dir.mkdir(parents=True, exist_ok=True)
        self.train_set, self.val_set = plates(cfg.plates, 1), plates(128, 2)
        self.net = Net(cfg.width)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.MultiStepLR(self.opt, [7, 9], 0.3)
        (self.dir / "config.json").write_text(json.dumps(asdict(cfg), indent=2))
        self.log(
            f"{len(self.train_set)} plates for training, {len(self.val_set)} for validation, {sum(p.numel() for p in self.net.parameters())} weights"
        )

    def log(self, text: str) -> None:
        """A line with the time."""
        print(f"{time.strftime('%d.%m. %H:%M:%S')} Trainer: {text}", flush=True)

    def epoch(self, e: int) -> float:
        """One pass."""
        self.net.train()
        order, seen = torch.randperm(len(self.train_set)), []
        for i in range(0, len(order), self.cfg.batch):
            clean = self.train_set[order[i : i + self.cfg.batch]]
            loss = nn.functional.mse_loss(self.net(clean + self.cfg.noise * torch.randn_like(clean)), clean)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            seen.append(loss.item())
            if (i // self.cfg.batch) % 8 == 7:
                self.log(
                    f"  [{e}/{self.cfg.epochs}] batch {i // self.cfg.batch + 1:3d}/{len(order) // self.cfg.batch} mse {sum(seen[-8:]) / 8:.5f}"
                )
        self.sched.step()
        return sum(seen) / len(seen)

    @torch.no_grad()
    def validate(self) -> float:
        """PSNR in dB."""
        self.net.eval()
        g = torch.Generator().manual_seed(9)
        noisy = self.val_set + self.cfg.noise * torch.randn(self.val_set.shape, generator=g)
        return float(-10 * torch.log10(nn.functional.mse_loss(self.net(noisy), self.val_set)))

    def fit(self) -> None:
        """All epochs."""
        for e in range(1, self.cfg.epochs + 1):
            t0 = time.time()
            mse = self.epoch(e)
            psnr = self.validate()
            self.log(f"epoch {e} done in {time.time() - t0:.1f} s: train mse {mse:.5f}, val psnr {psnr:.2f} dB")
            if psnr > self.best:
                self.best = psnr
                torch.save(self.net.state_dict(), self.dir / "best.pt")
        torch.save(self.net.state_dict(), self.dir / "last.pt")
        self.log(f"fit() complete, best val psnr {self.best:.2f} dB")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=10)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    Trainer(Config(epochs=ap.parse_args().epochs)).fit()
