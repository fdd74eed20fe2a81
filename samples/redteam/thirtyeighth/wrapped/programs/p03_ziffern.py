"""Digits with a small convolutional net under Fabric."""

import argparse
import time
from pathlib import Path

import torch
from lightning.fabric import Fabric
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    """Train and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=34)
    args = parser.parse_args()
    torch.set_num_threads(1)
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.seed_everything(4021)
    fabric.launch()
    x, y = load_digits(return_X_y=True)
    fabric.print(f"{len(x)} scans, label names from {args.labels}")
    names = args.labels.read_text().split()
    xa, xb, ya, yb = train_test_split(x, y, test_size=0.2, random_state=8, stratify=y)

    def loader(a: object, b: object, shuffle: bool) -> DataLoader:
        data = TensorDataset(torch.tensor(a, dtype=torch.float32).view(-1, 1, 8, 8) / 16, torch.tensor(b))
        return DataLoader(data, batch_size=29, shuffle=shuffle)

    train, test = fabric.setup_dataloaders(loader(xa, ya, True), loader(xb, yb, False))
    net = nn.Sequential(
        nn.Conv2d(1, 40, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(40, 72, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(72, 96, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(96 * 16, len(names)),
    )
    opt = torch.optim.AdamW(net.parameters(), lr=7e-4, weight_decay=0.02)
    net, opt = fabric.setup(net, opt)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    for epoch in range(args.epochs):
        t0, total = time.time(), 0.0
        net.train()
        for a, b in train:
            loss = nn.functional.cross_entropy(net(a), b)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            total += loss.item()
        sched.step()
        net.eval()
        with torch.no_grad():
            right = sum((net(a).argmax(1) == b).sum().item() for a, b in test)
        fabric.print(
            f"epoch {epoch + 1}/{args.epochs}  train_loss {total / len(train):.4f}  "
            f"val_acc {right / len(yb):.4f}  {time.time() - t0:.1f}s",
            flush=True,
        )
    fabric.save("digits-final.ckpt", {"net": net, "opt": opt, "epochs": args.epochs})
    fabric.print(f"finished all {args.epochs} epochs, wrote digits-final.ckpt")


if __name__ == "__main__":
    main()
