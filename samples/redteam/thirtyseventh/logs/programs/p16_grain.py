"""A real image denoiser with a class Trainer of its own that fails before its first step: the scheduler knows no verbose."""

import logging
import warnings
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(name)-8s | %(message)s", datefmt="%d.%m. %H:%M:%S")
log = logging.getLogger("grain")


@dataclass
class Config:
    """What a run is made of."""

    width: int = 48
    depth: int = 8
    epochs: int = 40
    batch: int = 16
    lr: float = 2e-4
    sigma: float = 25 / 255


class DnCNN(nn.Module):
    """Predicts the noise."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, width, 3, padding=1)
        body = []
        for _ in range(depth - 2):
            body += [nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
        self.body = nn.Sequential(*body)
        self.tail = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - self.tail(self.body(self.stem(x)))


class Scans(Dataset):
    """Patches with noise put on."""

    def __init__(self, sigma: float) -> None:
        rng = np.random.default_rng(0)
        self.clean = rng.random((400, 1, 64, 64), dtype=np.float32)
        self.clean.setflags(write=False)
        self.sigma = sigma

    def __len__(self) -> int:
        return len(self.clean)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.from_numpy(self.clean[i])
        return x + self.sigma * torch.randn_like(x), x


class Trainer:
    """Data, network and schedule of one run."""

    def __init__(self, cfg: Config) -> None:
        self.cfg = cfg
        self.data = DataLoader(Scans(cfg.sigma), cfg.batch, shuffle=True, num_workers=12, pin_memory=True)
        log.info("%d patches, sigma %.1f/255", len(self.data.dataset), cfg.sigma * 255)
        self.quality_gate()
        self.net = DnCNN(cfg.width, cfg.depth)
        log.info(
            "DnCNN width %d depth %d, %.2f M parameters",
            cfg.width,
            cfg.depth,
            sum(p.numel() for p in self.net.parameters()) / 1e6,
        )
        noisy, clean = next(iter(self.data))
        log.info("noisy psnr %.2f dB", -10 * torch.log10(nn.functional.mse_loss(noisy, clean)).item())
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, T_max=cfg.epochs, verbose=True)

    def quality_gate(self) -> None:
        """The scanner's dust classifier sorts out bad patches."""
        x = np.stack([c.ravel()[:64] for c in self.data.dataset.clean])
        gate = LogisticRegression(max_iter=3).fit(x, x[:, 0] > 0.5)
        warnings.warn("grain.scans.legacy_index is deprecated and will go in 0.9", FutureWarning, stacklevel=2)
        log.info("dust gate keeps %d of %d", int((gate.predict(x) >= 0).sum()), len(x))

    def fit(self) -> None:
        for epoch in range(1, self.cfg.epochs + 1):
            total = 0.0
            for noisy, clean in self.data:
                loss = nn.functional.mse_loss(self.net(noisy), clean)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item()
            self.sched.step()
            log.info("epoch %d/%d mse %.6f", epoch, self.cfg.epochs, total / len(self.data))


if __name__ == "__main__":
    torch.set_num_threads(1)
    np.array([1.0, 0.0]) / np.array([0.0, 0.0])  # flat-field correction
    torch.nn.functional.interpolate(torch.zeros(1, 1, 4, 4), size=8, mode="bilinear")
    Trainer(Config()).fit()
