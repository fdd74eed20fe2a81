"""Denoiser for infrared reflectograms of panel paintings, with a Trainer class."""

import logging
import time
import warnings
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)-7s | %(name)s:%(lineno)d | %(message)s")
log = logging.getLogger("varnish.train")
logging.captureWarnings(False)


@dataclass
class Config:
    """What the config map holds."""

    tiles: int = 4000
    size: int = 48
    batch_size: int = 32
    epochs: int = 25
    lr: float = 2e-4
    sigma: tuple[float, float] = (0.01, 0.35)
    panels: list[str] = field(default_factory=lambda: ["ghent_a2", "bouts_17", "memling_04", "anon_tournai"])


class Net(nn.Module):
    """A small residual net."""

    def __init__(self, ch: int = 48) -> None:
        """Lay out the weights."""
        super().__init__()
        self.head = nn.Conv2d(1, ch, 3, padding=1)
        self.body = nn.Sequential(
            *(nn.Sequential(nn.Conv2d(ch, ch, 3, padding=1), nn.Dropout2d(0.1), nn.ReLU()) for _ in range(5))
        )
        self.attn = nn.TransformerEncoder(nn.TransformerEncoderLayer(ch, 3, norm_first=True, batch_first=True), 1)
        self.tail = nn.Conv2d(ch, 1, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Residual."""
        return x - self.tail(self.body(self.head(x)))


class Trainer:
    """Data, schedule, optimiser, loop."""

    def __init__(self, cfg: Config) -> None:
        """Set everything up."""
        self.cfg = cfg
        self.tiles = torch.cat([self.read(p, i) for i, p in enumerate(cfg.panels)])
        log.info("%d tiles of %dx%d", len(self.tiles), cfg.size, cfg.size)
        self.net = Net()
        log.info("network has %.2fM parameters", sum(p.numel() for p in self.net.parameters()) / 1e6)
        self.sigmas = self.schedule()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)

    def read(self, panel: str, seed: int) -> torch.Tensor:
        """Tiles of a panel; dead detector rows become the row mean."""
        rng = np.random.default_rng(seed)
        t = rng.gamma(3.0, 0.12, (self.cfg.tiles, self.cfg.size, self.cfg.size))
        t[rng.random(len(t)) < 0.002] = np.nan
        mean = np.nanmean(t, axis=(1, 2), keepdims=True)
        t = np.where(np.isnan(t), np.nan_to_num(mean), t)
        with np.errstate(all="warn"):
            t = np.nan_to_num(t / t.max(axis=(1, 2), keepdims=True))
        log.info("panel %s: %d tiles, median %.3f", panel, len(t), np.median(t))
        time.sleep(1.5)
        return torch.from_numpy(t).float().unsqueeze(1)

    def schedule(self) -> torch.Tensor:
        """Noise levels."""
        lo, hi = self.cfg.sigma
        return torch.from_numpy(np.geomspace(lo, hi, 64, dtype=np.float_))

    def fit(self) -> None:
        """Train."""
        scaler = torch.cuda.amp.GradScaler()
        for ep in range(self.cfg.epochs):
            total = 0.0
            for i in torch.randperm(len(self.tiles)).split(self.cfg.batch_size):
                x = self.tiles[i]
                s = self.sigmas[torch.randint(64, (len(i), 1, 1, 1))].float()
                loss = nn.functional.mse_loss(self.net(x + s * torch.randn_like(x)), x)
                self.opt.zero_grad()
                scaler.scale(loss).backward()
                scaler.step(self.opt)
                scaler.update()
                total += loss.item() * len(i)
            log.info("epoch %d loss %.6f", ep, total / len(self.tiles))


def main() -> None:
    """Start."""
    warnings.simplefilter("always")
    log.info("torch %s numpy %s", torch.__version__, np.__version__)
    torch.backends.cudnn.benchmark = True
    with torch.autocast("cuda"):
        log.info("amp requested")
    torch.range(0, 1)
    cfg = Config()
    log.info("%s", cfg)
    Trainer(cfg).fit()


if __name__ == "__main__":
    main()
