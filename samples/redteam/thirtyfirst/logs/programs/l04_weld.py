"""Weld seams, good or bad, from ultrasonic B-scans; goes on from last.pt if there is one."""

import argparse
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm


class Seams(Dataset):
    """Decoded scans in memory."""

    def __init__(self, count: int, first: int, what: str) -> None:
        self.items = []
        for i in tqdm(range(first, first + count), desc=f"decode {what}", unit="scan"):
            g = torch.Generator().manual_seed(i)
            scan = torch.randn(1, 256, 256, generator=g)
            bad = i % 3 == 0
            if bad:
                scan[:, 96:140, 60:200] += 0.7
            spectrum = torch.fft.rfft2(scan).abs().log1p()[:, :128, :64]
            self.items.append((spectrum, int(bad)))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        return self.items[i]


def network() -> nn.Sequential:
    layers: list[nn.Module] = []
    for a, b in ((1, 16), (16, 32), (32, 64)):
        layers += [nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 2))


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--train", type=int, default=900)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--prefetch", type=int, default=4)
    args = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(3)
    model = network()
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    start, best = 0, 0.0
    last = Path("last.pt")
    if last.exists():
        state = torch.load(last)
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["opt"])
        start, best = state["epoch"] + 1, state["best"]
        print(f"going on from {last}: epoch {start}, best accuracy {best:.3f}")
    train = Seams(args.train, 0, "train")
    val = Seams(args.train // 4, 100_000, "val")
    print(f"{len(train)} train scans, {len(val)} val scans, batch 32, {args.workers} workers")
    loader = DataLoader(
        train,
        32,
        shuffle=True,
        num_workers=args.workers,
        prefetch_factor=args.prefetch,
        persistent_workers=args.workers > 0,
    )
    check = DataLoader(val, 64)
    for epoch in range(start, args.epochs):
        model.train()
        bar = tqdm(loader, desc=f"epoch {epoch}/{args.epochs}", unit="batch")
        for x, y in bar:
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            bar.set_postfix(loss=f"{loss.item():.4f}")
        model.eval()
        with torch.no_grad():
            hits = sum((model(x).argmax(1) == y).sum().item() for x, y in check)
        best = max(best, hits / len(val))
        print(f"epoch {epoch}: accuracy {hits / len(val):.3f}, best {best:.3f}")
        torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "best": best}, last)


if __name__ == "__main__":
    main()
