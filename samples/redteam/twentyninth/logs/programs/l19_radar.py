"""Clear speckle from radar tiles of sea ice (made up) with a small U-shaped net and a Trainer of one's own."""

import datetime
import logging
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.captureWarnings(True)
logging.basicConfig(format="%(asctime)s %(levelname)-7s %(name)s: %(message)s", level=logging.INFO)
log = logging.getLogger("radar")


def tiles(n: int, seed: int) -> TensorDataset:
    """Floes with sharp edges, and the same under multiplicative speckle."""
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:32, 0:32] / 32
    clean = np.full((n, 32, 32), 0.2)
    for _ in range(5):
        cx, cy, r, v = (rng.random((n, 1, 1)) for _ in range(4))
        clean = np.where((xx - cx) ** 2 + (yy - cy) ** 2 < (0.06 + 0.15 * r) ** 2, 0.3 + 0.6 * v, clean)
    noisy = clean * rng.gamma(4, 0.25, clean.shape)
    f = [torch.from_numpy(x[:, None].astype(np.float32)) for x in (noisy, clean)]
    return TensorDataset(*f)


class Small(nn.Module):
    """Down once, up once, with a skip."""

    def __init__(self) -> None:
        """Build it."""
        super().__init__()
        self.a = nn.utils.weight_norm(nn.Conv2d(1, 16, 3, padding=1))
        self.b = nn.utils.weight_norm(nn.Conv2d(16, 32, 4, stride=2, padding=1))
        self.c = nn.Conv2d(32, 32, 3, padding="same")
        self.up = nn.Upsample(scale_factor=2, mode="bilinear")
        self.d = nn.Conv2d(48, 1, 4, padding="same")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """What to take away."""
        h = torch.relu(self.a(x))
        k = torch.relu(self.c(torch.relu(self.b(h))))
        return x - self.d(torch.cat([h, self.up(k)], 1))


class Trainer:
    """Epochs, validation, the best weights."""

    def __init__(self, net: nn.Module, epochs: int) -> None:
        """Loaders, optimizer, schedule."""
        self.net, self.epochs, self.best = net, epochs, float("inf")
        self.train = DataLoader(tiles(960, 1), 32, shuffle=True, num_workers=6, pin_memory=True)
        self.val = DataLoader(tiles(160, 2), 32)
        self.opt = torch.optim.Adam(net.parameters(), lr=2e-3)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, epochs)
        self.scaler = torch.cuda.amp.GradScaler()

    def epoch(self, n: int) -> float:
        """One walk through the tiles."""
        total = 0.0
        self.sched.step()
        for i, (x, y) in enumerate(self.train):
            with torch.cuda.amp.autocast(enabled=False):
                loss = nn.functional.l1_loss(self.net(x), y)
            self.opt.zero_grad()
            self.scaler.scale(loss).backward()
            self.scaler.step(self.opt)
            self.scaler.update()
            total += loss.item()
            if i % 10 == 9:
                log.info("epoch %d batch %d/%d l1 %.4f", n, i + 1, len(self.train), total / (i + 1))
        return total / len(self.train)

    @torch.no_grad()
    def validate(self) -> tuple[float, float]:
        """L1 and PSNR on tiles not seen."""
        l1, mse = 0.0, 0.0
        for x, y in self.val:
            out = self.net(x)
            l1 += nn.functional.l1_loss(out, y).item() / len(self.val)
            mse += nn.functional.mse_loss(out, y.squeeze(1)[:, None]).item() / len(self.val)
        return l1, float(-10 * np.log10(np.array([mse]))[0])

    def fit(self) -> None:
        """All epochs."""
        start = time.time()
        log.info("run of %s: %d epochs", datetime.datetime.utcnow().strftime("%Y-%m-%d %H:%M"), self.epochs)  # noqa: DTZ003
        for n in range(1, self.epochs + 1):
            tr = self.epoch(n)
            l1, psnr = self.validate()
            kept = l1 < self.best
            if kept:
                self.best = l1
                torch.save(self.net.state_dict(), "radar_best.pt")
            log.info("epoch %d/%d train l1 %.4f val l1 %.4f psnr %.2f dB%s", n, self.epochs, tr, l1, psnr, " *" * kept)
        log.info(
            "finished %d epochs in %.1f s, best val l1 %.4f (radar_best.pt)",
            self.epochs,
            time.time() - start,
            self.best,
        )


if __name__ == "__main__":
    torch.manual_seed(6)
    Trainer(Small(), 10).fit()
