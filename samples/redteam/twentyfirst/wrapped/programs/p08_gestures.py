"""Classify hand gestures from accelerometer windows. Start again with --resume runs/last.pt."""

import argparse
import math
from pathlib import Path

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

CLASSES = 12


def windows(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, CLASSES, (n,), generator=g)
    t = torch.linspace(0, 2 * math.pi, 64)
    freq = 1 + y[:, None].float() * 0.5
    phase = 6.3 * torch.rand(n, 1, generator=g)
    x = torch.stack([torch.sin(freq * t + phase), torch.cos(freq * t * 1.3 + phase), torch.sin(freq * t * 0.5)], 1)
    return TensorDataset(x + 0.9 * torch.randn(x.shape, generator=g), y)


def net():
    return nn.Sequential(
        nn.Conv1d(3, 32, 7, padding=3), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(32, 64, 5, padding=2), nn.BatchNorm1d(64), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(64, 96, 3, padding=1), nn.BatchNorm1d(96), nn.ReLU(), nn.AdaptiveAvgPool1d(1),
        nn.Flatten(), nn.Linear(96, CLASSES),
    )  # fmt: skip


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss = hits = n = 0
    for x, y in loader:
        out = model(x)
        loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
        hits += (out.argmax(1) == y).sum().item()
        n += len(y)
    model.train()
    return loss / n, hits / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--resume", default="")
    ap.add_argument("--lr", type=float, default=4e-4)
    ap.add_argument("--n", type=int, default=9600)
    args = ap.parse_args()
    torch.manual_seed(1)
    train, val = DataLoader(windows(args.n, 2), 64, shuffle=True), DataLoader(windows(1500, 3), 250)
    model = net()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    ema = AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99))
    first = 0
    if args.resume:
        state = torch.load(args.resume, weights_only=True)
        result = model.load_state_dict(state["model"], strict=False)
        first = state["epoch"]
        scores = f"val loss {state['val_loss']:.4f}, val acc {state['val_acc']:.3f}"
        print(f"resumed {args.resume}: {first} epochs done, {scores}")
        print(f"  ({len(result.missing_keys)} missing, {len(result.unexpected_keys)} unexpected keys)")
    for epoch in range(first, args.epochs):
        bar = tqdm(train, desc=f"epoch {epoch + 1}/{args.epochs}", mininterval=0.5)
        for x, y in bar:
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema.update_parameters(model)
            bar.set_postfix(loss=f"{loss.item():.4f}")
        val_loss, val_acc = evaluate(model, val)
        tqdm.write(f"epoch {epoch + 1}: val loss {val_loss:.4f}  val acc {val_acc:.3f}")
        Path("runs").mkdir(exist_ok=True)
        torch.save(
            {"model": ema.state_dict(), "epoch": epoch + 1, "val_loss": val_loss, "val_acc": val_acc},
            "runs/last.pt",
        )
    print("best model in runs/last.pt")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201
