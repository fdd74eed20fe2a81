"""Tidal channels in drone tiles of a salt marsh: a small encoder and decoder, and a Trainer of our own."""

import logging
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

log = logging.getLogger("marsh")


@dataclass
class Config:
    """What the run is given."""

    tiles: int = 110
    side: int = 96
    batch_size: int = 16
    epochs: int = 1
    lr: float = 3e-4
    warmup_iters: int = 400
    weight_decay: float = 1e-2
    log_every: int = 1
    out: str = "work_dirs/unet_s"


def conv(a: int, b: int) -> nn.Sequential:
    """Two convolutions with their norms."""
    return nn.Sequential(
        nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True),
        nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True),
    )  # fmt: skip


class UNetS(nn.Module):
    """Three levels."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.a, self.b, self.c = conv(4, width), conv(width, width * 2), conv(width * 2, width * 4)
        self.up_b, self.up_a = conv(width * 6, width * 2), conv(width * 3, width)
        self.head = nn.Conv2d(width, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        c = self.c(F.max_pool2d(b, 2))
        b = self.up_b(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        return self.head(self.up_a(torch.cat([F.interpolate(b, scale_factor=2), a], 1)))


def render(cfg: Config) -> TensorDataset:
    """Meandering channels over a textured flat; near infrared is the fourth band."""
    g = torch.Generator().manual_seed(4)
    images, masks = [], []
    axis = torch.linspace(0, 1, cfg.side)
    yy, xx = torch.meshgrid(axis, axis, indexing="ij")
    began = time.time()
    for i in range(cfg.tiles):
        mask = torch.zeros(cfg.side, cfg.side)
        for _ in range(3):
            p = torch.rand(6, generator=g)
            course = p[0] + 0.2 * p[1] * torch.sin(6.28 * (xx * (1 + 3 * p[2]) + p[3]))
            mask = torch.maximum(mask, ((yy - course).abs() < 0.01 + 0.03 * p[4]).float())
        texture = torch.randn(4, cfg.side, cfg.side, generator=g)
        for _ in range(300):  # the smoothing of the texture is what takes long
            texture = F.avg_pool2d(F.pad(texture[None], (3, 3, 3, 3), mode="reflect"), 7, 1)[0]
        texture = texture / texture.std() * 0.15
        images.append(texture + 0.4 - mask * torch.tensor([0.1, 0.08, 0.05, 0.3]).view(4, 1, 1))
        masks.append(mask[None])
        if (i + 1) % 25 == 0:
            log.info("rendered %d/%d tiles (%.1f s)", i + 1, cfg.tiles, time.time() - began)
    return TensorDataset(torch.stack(images), torch.stack(masks))


class Trainer:
    """Trains, evaluates and saves."""

    def __init__(self, cfg: Config, net: nn.Module, data: TensorDataset) -> None:
        self.cfg, self.net = cfg, net
        held = len(data) // 5
        train, self.val = random_split(data, [len(data) - held, held], torch.Generator().manual_seed(0))
        self.train = DataLoader(train, cfg.batch_size, shuffle=True, drop_last=True)
        self.opt = torch.optim.AdamW(net.parameters(), cfg.lr, weight_decay=cfg.weight_decay)
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.opt, lambda i: min(1.0, (i + 1) / cfg.warmup_iters))
        self.it = 0
        self.total = cfg.epochs * len(self.train)

    def loss(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = self.net(x)
        p = z.sigmoid()
        dice = 1 - (2 * (p * y).sum() + 1) / (p.sum() + y.sum() + 1)
        return F.binary_cross_entropy_with_logits(z, y) + dice

    def fit(self) -> None:
        log.info(
            "start: %d epoch(s) x %d iterations, batch size %d", self.cfg.epochs, len(self.train), self.cfg.batch_size
        )
        for epoch in range(1, self.cfg.epochs + 1):
            self.net.train()
            for x, y in self.train:
                t = time.time()
                loss = self.loss(x, y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                lr = self.sched.get_last_lr()[0]
                self.sched.step()
                self.it += 1
                if self.it % self.cfg.log_every == 0:
                    log.info(
                        "epoch %d iter %d/%d  loss %.4f  lr %.2e  time %.3f",
                        epoch, self.it, self.total, loss.item(), lr, time.time() - t,
                    )  # fmt: skip
            self.evaluate(epoch)
        Path(self.cfg.out).mkdir(parents=True, exist_ok=True)
        path = Path(self.cfg.out, f"iter_{self.it}.pth")
        torch.save({"model": self.net.state_dict(), "iter": self.it}, path)
        log.info("saved %s", path)

    @torch.no_grad()
    def evaluate(self, epoch: int) -> None:
        self.net.eval()
        inter = union = loss = 0.0
        loader = DataLoader(self.val, self.cfg.batch_size)
        for x, y in loader:
            p = (self.net(x) > 0).float()
            inter += (p * y).sum().item()
            union += ((p + y) > 0).sum().item()
            loss += self.loss(x, y).item()
        log.info("epoch %d val: loss %.4f  IoU(channel) %.4f", epoch, loss / len(loader), inter / max(union, 1))


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(name)s | %(levelname)s | %(message)s")
    began = time.time()
    cfg = Config()
    torch.manual_seed(11)
    log.info("config: %s", asdict(cfg))
    net = UNetS()
    log.info("UNetS: %.2f M parameters", sum(p.numel() for p in net.parameters()) / 1e6)
    data = render(cfg)
    ready = time.time()
    trainer = Trainer(cfg, net, data)
    trainer.fit()
    log.info("done: %d iterations; data %.1f s, training %.1f s", trainer.it, ready - began, time.time() - ready)


if __name__ == "__main__":
    main()
