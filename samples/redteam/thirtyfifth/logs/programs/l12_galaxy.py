"""Galaxy morphology, small ConvNet, Lightning's Fabric."""

import argparse
import re
import time

import torch
from lightning.fabric import Fabric, seed_everything
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    """Stem, trunk, head."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.trunk = nn.Sequential(nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4))
        self.head = nn.Linear(2 * width * 16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.trunk(self.stem(x)).flatten(1))


def cutouts(n: int, seed: int) -> TensorDataset:
    """Ellipses, spirals, edge-on discs and mergers, roughly."""
    g = torch.Generator().manual_seed(seed)
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, 32), torch.linspace(-1, 1, 32), indexing="ij")
    label = torch.randint(0, 4, (n,), generator=g)
    angle = torch.rand(n, generator=g) * 3.14159
    images = torch.empty(n, 1, 32, 32)
    for i in range(n):
        u = xx * angle[i].cos() + yy * angle[i].sin()
        v = -xx * angle[i].sin() + yy * angle[i].cos()
        r, phi = (u**2 + v**2).sqrt(), torch.atan2(v, u)
        kind = int(label[i])
        if kind == 0:
            image = torch.exp(-4 * (u**2 + 1.6 * v**2))
        elif kind == 1:
            image = torch.exp(-3 * r) * (1 + torch.cos(2 * phi - 9 * r))
        elif kind == 2:
            image = torch.exp(-3 * u.abs() - 18 * v.abs())
        else:
            image = torch.exp(-9 * ((u - 0.35) ** 2 + v**2)) + torch.exp(-9 * ((u + 0.35) ** 2 + v**2))
        images[i, 0] = image
    return TensorDataset(images + 0.45 * torch.randn(images.shape, generator=g), label)


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", required=True)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--freeze", default="", help="regular expression: parameters that stay as they are")
    args = parser.parse_args()
    torch.set_num_threads(1)
    fabric = Fabric(accelerator="cpu", devices=1, precision="32-true")
    fabric.launch()
    seed_everything(17)
    fabric.print(f"[{args.run}] epochs={args.epochs} lr={args.lr} freeze={args.freeze!r}")
    train, valid = cutouts(6000, 1), cutouts(1500, 2)
    fabric.print(f"[{args.run}] {len(train)} cutouts, {len(valid)} held back")
    model = Net()
    if args.freeze:
        for name, p in model.named_parameters():
            if re.match(args.freeze, name):
                p.requires_grad_(False)
                fabric.print(f"[{args.run}] frozen: {name}")
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=args.lr)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(train, batch_size=64, shuffle=True))
    test = fabric.setup_dataloaders(DataLoader(valid, batch_size=256))
    for epoch in range(args.epochs):
        start, total, seen = time.time(), 0.0, 0
        model.train()
        for i, (x, y) in enumerate(loader):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
            total, seen = total + loss.item() * len(y), seen + len(y)
            if i % 30 == 0:
                fabric.print(f"[{args.run}] ep {epoch} it {i:3d}/{len(loader)} loss {loss.item():.4f}")
        model.eval()
        with torch.no_grad():
            hits = sum(int((model(x).argmax(1) == y).sum()) for x, y in test)
        fabric.print(
            f"[{args.run}] ep {epoch} mean {total / seen:.4f} acc {hits / len(valid):.4f} ({time.time() - start:.1f} s)"
        )
    fabric.save("last.ckpt", {"model": model, "optimizer": optimizer})
    fabric.print(f"[{args.run}] saved last.ckpt")


if __name__ == "__main__":
    main()
