"""Remaining life of turbine bearings from vibration windows: a GRU, trained with Lightning's Fabric."""

import argparse
import time

import numpy as np
import torch
import torch.nn.functional as F
from lightning.fabric import Fabric, seed_everything
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def windows(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(3)
    wear = rng.beta(2, 2, n)
    t = np.arange(48)
    x = rng.normal(0, 1, (n, 48, 6))
    x[..., 0] += wear[:, None] * 2 * np.sin(t * 0.7)[None]
    x[..., 1] += (wear**2)[:, None] * t[None] / 24
    x[..., 2] *= 1 + wear[:, None]
    return torch.tensor(x, dtype=torch.float32), torch.tensor(1 - wear + rng.normal(0, 0.03, n), dtype=torch.float32)


class Rul(nn.Module):  # noqa: D101
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(6, 48, num_layers=1, dropout=0.1, batch_first=True)
        self.head = nn.Sequential(nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.gru(x)[0][:, -1]).view(-1, 1)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=60)
    a = ap.parse_args()
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.launch()
    seed_everything(11)
    x, y = windows(6000)
    cut = 5200
    train = fabric.setup_dataloaders(
        DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=64, shuffle=True, pin_memory=True)
    )
    val = fabric.setup_dataloaders(DataLoader(TensorDataset(x[cut:], y[cut:]), batch_size=256))
    model = Rul()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, 15, 0.5)
    model, opt = fabric.setup(model, opt)
    best = 9e9
    for epoch in range(a.epochs):
        start, total = time.time(), 0.0
        sched.step()
        for bx, by in train:
            loss = F.mse_loss(model(bx).squeeze(1), by)
            fabric.backward(loss)
            fabric.clip_gradients(model, opt, max_norm=1.0)
            opt.step()
            opt.zero_grad()
            total += loss.item()
        with torch.no_grad():
            model.eval()
            error = float(np.mean([F.l1_loss(model(bx).squeeze(1), by[:, None].squeeze(1)).item() for bx, by in val]))
            mse = float(np.mean([F.mse_loss(model(bx), by).item() for bx, by in val])) if epoch == 0 else 0.0
            model.train()
        mark = ""
        if error < best:
            best, mark = error, "  *"
            fabric.save("best.ckpt", {"model": model, "optimizer": opt, "epoch": epoch})
        fabric.print(
            f"epoch {epoch + 1:3d}/{a.epochs}  train_mse {total / len(train):.5f}  val_mae {error:.5f}  lr {opt.param_groups[0]['lr']:.2e}"
            f"  {time.time() - start:.1f}s{mark}",
            flush=True,
        )
        if mse:
            fabric.print(f"(baseline mse on val {mse:.4f})", flush=True)
    fabric.print(f"best val_mae {best:.5f}")


if __name__ == "__main__":
    main()
