"""Autoencoder of sensor windows for the nightly alarm."""

from __future__ import annotations

import time

import torch
from torch import nn

EPOCHS = 150


def main() -> None:
    torch.manual_seed(0)
    t = torch.linspace(0, 400, 60000)
    series = torch.stack([torch.sin(t * f) + 0.1 * torch.randn_like(t) for f in (0.7, 1.3, 2.9, 4.1)], 1)
    windows = series.unfold(0, 64, 8).flatten(1)
    net = nn.Sequential(
        nn.Linear(256, 512),
        nn.GELU(),
        nn.Linear(512, 16),
        nn.GELU(),
        nn.Linear(16, 512),
        nn.GELU(),
        nn.Linear(512, 256),
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-4)
    start = time.time()
    for epoch in range(1, EPOCHS + 1):
        total = 0.0
        order = torch.randperm(len(windows))
        for begin in range(0, len(windows), 8):
            x = windows[order[begin : begin + 8]]
            loss = (net(x) - x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        took = time.time() - start
        eta = took / epoch * (EPOCHS - epoch)
        print(
            f"[{time.strftime('%H:%M:%S')}] epoch {epoch}/{EPOCHS} mse {total / len(windows):.5f} elapsed {took:.0f}s eta {eta:.0f}s"
        )
        torch.save({"net": net.state_dict(), "epoch": epoch}, "nightly_last.pt")
    print("training complete")


if __name__ == "__main__":
    main()
