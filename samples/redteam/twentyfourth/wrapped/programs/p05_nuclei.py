# ruff: noqa: ANN001, ANN201, ANN204, D101
"""Nuclei in tissue slides: a small U-net with three heads' losses, and the trainer our lab uses."""

import time

import torch
import torch.nn.functional as F
from torch import nn


def slides(n, size=48, seed=0):
    """Round blobs on a stained ground, with their mask and the distance to the rim."""
    gen = torch.Generator().manual_seed(seed)
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    images, masks, depth = [], [], []
    for _ in range(n):
        d = torch.zeros(size, size)
        for _ in range(6):
            cx, cy, r = (
                torch.rand(3, generator=gen) * torch.tensor([size, size, 5.0]) + torch.tensor([0, 0, 3.0])
            ).tolist()
            d = torch.maximum(d, (1 - ((xx - cx) ** 2 + (yy - cy) ** 2).sqrt() / r).clamp(min=0))
        m = (d > 0).float()
        images.append(0.7 - 0.4 * m + 0.15 * torch.randn(size, size, generator=gen))
        masks.append(m)
        depth.append(d)
    return torch.stack(images)[:, None], torch.stack(masks)[:, None], torch.stack(depth)[:, None]


def block(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.Conv2d(o, o, 3, padding=1), nn.ReLU()
    )


class UNet(nn.Module):
    def __init__(self, w=12):
        super().__init__()
        self.a, self.b, self.c = block(1, w), block(w, 2 * w), block(2 * w, 4 * w)
        self.up, self.join = nn.ConvTranspose2d(4 * w, 2 * w, 2, 2), block(4 * w, 2 * w)
        self.up2, self.join2 = nn.ConvTranspose2d(2 * w, w, 2, 2), block(2 * w, w)
        self.mask, self.rim = nn.Conv2d(w, 1, 1), nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        c = self.c(F.max_pool2d(b, 2))
        y = self.join(torch.cat([self.up(c), b], 1))
        y = self.join2(torch.cat([self.up2(y), a], 1))
        return self.mask(y), self.rim(y)


class Trainer:
    """Fits, validates, keeps the best."""

    def __init__(self, net, train, valid, epochs=18, batch=16):
        self.net, self.train, self.valid, self.epochs, self.batch = net, train, valid, epochs, batch
        self.opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, epochs)
        self.best = 0.0

    def losses(self, x, m, d):
        mask, rim = self.net(x)
        p = mask.sigmoid()
        dice = 1 - (2 * (p * m).sum() + 1) / (p.sum() + m.sum() + 1)
        return F.binary_cross_entropy_with_logits(mask, m), dice, F.smooth_l1_loss(rim, d), p

    def one_epoch(self):
        self.net.train()
        sums = torch.zeros(3)
        order = torch.randperm(len(self.train[0])).split(self.batch)
        for idx in order:
            bce, dice, dist, _ = self.losses(*(t[idx] for t in self.train))
            self.opt.zero_grad()
            (bce + dice + 2 * dist).backward()
            self.opt.step()
            sums += torch.tensor([bce.item(), dice.item(), dist.item()])
        return (sums / len(order)).tolist()

    @torch.no_grad()
    def check(self):
        self.net.eval()
        bce, dice, dist, p = self.losses(*self.valid)
        hit = ((p > 0.5) & (self.valid[1] > 0.5)).sum()
        iou = (hit / ((p > 0.5) | (self.valid[1] > 0.5)).sum()).item()
        return bce.item(), dice.item(), dist.item(), iou

    def fit(self):
        for epoch in range(1, self.epochs + 1):
            t = time.time()
            bce, dice, dist = self.one_epoch()
            self.sched.step()
            vb, vd, vr, iou = self.check()
            star = ""
            if iou > self.best:
                self.best, star = iou, " *"
                torch.save(self.net.state_dict(), "nuclei_best.pt")
            print(
                f"[{epoch:02d}/{self.epochs}] train bce {bce:.4f} dice {dice:.4f} dist {dist:.5f} | "
                f"val bce {vb:.4f} dice {vd:.4f} dist {vr:.5f} iou {iou:.3f} | {time.time() - t:.1f}s{star}",
                flush=True,
            )
        print(f"finished {self.epochs} epochs, best IoU {self.best:.3f}, kept in nuclei_best.pt", flush=True)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = UNet()
    print(f"UNet, {sum(p.numel() for p in net.parameters())} parameters, heads: mask, rim distance", flush=True)
    Trainer(net, slides(320), slides(48, seed=99)).fit()
