"""Segment bright blobs in made-up scans with a small U-Net, plain torch and tqdm."""

import argparse
import json
from pathlib import Path

import torch
from torch import nn
from tqdm import tqdm


def scans(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Noise with one to four soft ellipses, and where they are."""
    g = torch.Generator().manual_seed(seed)
    grid = torch.stack(torch.meshgrid(torch.arange(32.0), torch.arange(32.0), indexing="ij"))
    x, y = torch.randn(n, 1, 32, 32, generator=g) * 0.35, torch.zeros(n, 1, 32, 32)
    for i in range(n):
        for _ in range(int(torch.randint(1, 5, (1,), generator=g))):
            middle = torch.rand(2, 1, 1, generator=g) * 24 + 4
            size = torch.rand(2, 1, 1, generator=g) * 4 + 2
            d = (((grid - middle) / size) ** 2).sum(0)
            x[i, 0] += 0.8 * torch.exp(-d / 2)
            y[i, 0][d < 1] = 1
    return x, y


def pair(i: int, o: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.Conv2d(o, o, 3, padding=1), nn.ReLU()
    )


class UNet(nn.Module):
    """Two levels down, two up."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = pair(1, 12), pair(12, 24), pair(24, 48)
        self.up1, self.up2 = nn.ConvTranspose2d(48, 24, 2, 2), nn.ConvTranspose2d(24, 12, 2, 2)
        self.d, self.e, self.out = pair(48, 24), pair(24, 12), nn.Conv2d(12, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        b = self.b(nn.functional.max_pool2d(a, 2))
        c = self.c(nn.functional.max_pool2d(b, 2))
        b = self.d(torch.cat([b, self.up1(c)], 1))
        return self.out(self.e(torch.cat([a, self.up2(b)], 1)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--data", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(18)
    train_x, train_y = torch.load(args.data / "train.pt")
    val_x, val_y = torch.load(args.data / "val.pt")
    net = UNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * (len(train_x) // 16))
    lossf = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))
    history = []
    for epoch in range(1, args.epochs + 1):
        net.train()
        total, order = 0.0, torch.randperm(len(train_x))
        bar = tqdm(range(len(train_x) // 16), desc=f"Epoch {epoch}/{args.epochs}", unit="batch", mininterval=0.5)
        for i in bar:
            part = order[i * 16 : i * 16 + 16]
            loss = lossf(net(train_x[part]), train_y[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
            bar.set_postfix(loss=f"{loss.item():.4f}", lr=f"{schedule.get_last_lr()[0]:.1e}")
        net.eval()
        with torch.no_grad():
            logits = net(val_x)
            val = lossf(logits, val_y).item()
            p = (logits > 0).float()
            dice = (2 * (p * val_y).sum() / (p.sum() + val_y.sum())).item()
        history.append({"epoch": epoch, "train_loss": total / len(bar), "val_loss": val, "dice": dice})
        print(f"epoch {epoch}: train_loss={total / len(bar):.4f} val_loss={val:.4f} val_dice={dice:.4f}", flush=True)
        torch.save(net.state_dict(), "last.pt")
        if dice >= max(h["dice"] for h in history):
            torch.save(net.state_dict(), "best.pt")
    Path("history.json").write_text(json.dumps(history))
    print(f"Training complete. Best val_dice={max(h['dice'] for h in history):.4f}")


if __name__ == "__main__":
    main()
