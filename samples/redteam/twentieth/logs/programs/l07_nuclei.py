"""Nuclei in made-up tissue: a small U-Net, scored with torchmetrics."""

import argparse
import time
from pathlib import Path

import torch
from torch import nn
from torchmetrics import JaccardIndex, MeanMetric
from tqdm import tqdm


def block(a: int, b: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())


class Net(nn.Module):
    """Two levels."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.three = block(1, 12), block(12, 24), block(36, 12)
        self.out = nn.Conv2d(12, 3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.one(x)
        b = self.two(nn.functional.max_pool2d(a, 2))
        return self.out(self.three(torch.cat([a, nn.functional.interpolate(b, scale_factor=2)], 1)))


def tissue(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    grid = torch.stack(torch.meshgrid(torch.arange(64.0), torch.arange(64.0), indexing="ij"))
    y = torch.zeros(n, 64, 64, dtype=torch.long)
    for i in range(n):
        for _ in range(7):
            d = (grid - 64 * torch.rand(2, 1, 1)).norm(dim=0)
            r = 3 + 5 * torch.rand(1)
            y[i][d < r] = 2
            y[i][d < r - 2] = 1
    return 0.6 * y.unsqueeze(1).float() + 0.5 * torch.randn(n, 1, 64, 64), y


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--tiles", type=int, default=192)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--out", type=Path, default=Path("nuclei.pt"))
    args = p.parse_args()
    torch.manual_seed(0)
    x, y = tissue(args.tiles)
    vx, vy = tissue(48)
    net = Net()
    opt = torch.optim.AdamW(net.parameters(), args.lr)
    iou, mean = JaccardIndex("multiclass", num_classes=3), MeanMetric()
    print(f"{args.tiles} tiles of 64x64, {sum(q.numel() for q in net.parameters())} weights, {args.epochs} epochs")
    for epoch in range(args.epochs):
        t0 = time.time()
        net.train()
        mean.reset()
        bar = tqdm(torch.randperm(args.tiles).split(16), desc=f"epoch {epoch:02d}/{args.epochs}", ncols=88)
        for idx in bar:
            loss = nn.functional.cross_entropy(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            mean.update(loss.detach())
            bar.set_postfix(loss=f"{mean.compute().item():.4f}")
        net.eval()
        iou.reset()
        with torch.no_grad():
            for a, b in zip(vx.split(16), vy.split(16), strict=True):
                iou.update(net(a).argmax(1), b)
        print(f"val mIoU {iou.compute().item():.4f}  {time.time() - t0:.1f} s", flush=True)
        torch.save(net.state_dict(), args.out)


if __name__ == "__main__":
    main()
