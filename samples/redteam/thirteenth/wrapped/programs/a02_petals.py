"""ImageNet-style training of a small ResNet on 8x8 digits scaled up."""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torchvision.models import resnet18


class AverageMeter:
    """Value and average."""

    def __init__(self, name: str, fmt: str = ":f") -> None:
        self.name, self.fmt = name, fmt
        self.val = self.avg = self.sum = 0.0
        self.count = 0

    def update(self, val: float, n: int = 1) -> None:
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self) -> str:
        return ("{name} {val" + self.fmt + "} ({avg" + self.fmt + "})").format(**self.__dict__)


def validate(model: nn.Module, loader: torch.utils.data.DataLoader) -> float:
    model.eval()
    good = total = 0
    with torch.no_grad():
        for x, y in loader:
            good += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    acc = 100.0 * good / total
    print(f" *   Acc@1 {acc:.3f}")
    return acc


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--print-freq", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if not torch.cuda.is_available():
        warnings.warn("CUDA is not available, using CPU, this will be slow", stacklevel=2)
    torch.manual_seed(7)
    digits = load_digits()
    x = torch.tensor(digits.images, dtype=torch.float32)[:, None].repeat(1, 3, 1, 1) / 16
    x = F.interpolate(x, scale_factor=4)
    y = torch.tensor(digits.target)
    train = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(x[:1400], y[:1400]), batch_size=64, shuffle=True, num_workers=1, pin_memory=True
    )
    val = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x[1400:], y[1400:]), batch_size=128)
    model = resnet18(num_classes=10)
    print("=> creating model 'resnet18'")
    optimizer = torch.optim.SGD(model.parameters(), 0.02, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.1)
    best = 0.0
    for epoch in range(args.epochs):
        batch_time, data_time, losses = (
            AverageMeter("Time", ":6.3f"),
            AverageMeter("Data", ":6.3f"),
            AverageMeter("Loss", ":.4e"),
        )
        model.train()
        end = time.time()
        for i, (images, target) in enumerate(train):
            data_time.update(time.time() - end)
            output = model(images)
            loss = F.cross_entropy(output, target)
            losses.update(loss.item(), len(images))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            batch_time.update(time.time() - end)
            end = time.time()
            if i % args.print_freq == 0:
                print(f"Epoch: [{epoch}][{i:2d}/{len(train)}]", batch_time, data_time, losses, sep="\t")
        acc = validate(model, val)
        scheduler.step()
        if acc > best:
            best = acc
            torch.save(
                {"epoch": epoch + 1, "state_dict": model.state_dict(), "best_acc1": best},
                args.out / "model_best.pth.tar",
            )
    print(f"best Acc@1 {best:.3f}")


if __name__ == "__main__":
    main()
