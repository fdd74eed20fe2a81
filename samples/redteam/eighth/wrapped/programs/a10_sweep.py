"""One trial of a sweep: a small net on spirals."""

from __future__ import annotations

import sys
import time

import torch
from torch import nn


def main(rate: float, epochs: int = 12) -> None:
    """Train, and stop early where nothing can come of it."""
    torch.manual_seed(0)
    angle = torch.rand(600, 1) * 6
    arm = torch.randint(0, 2, (600, 1))
    data = torch.cat([angle * (angle + 3.14 * arm).cos(), angle * (angle + 3.14 * arm).sin()], 1) / 3
    net = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=0.9)
    value = float("nan")
    for epoch in range(1, epochs + 1):
        for part in torch.randperm(600).split(60):
            loss = (net(data[part]) - arm[part]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        value = loss.item()
        print(f"  epoch {epoch}/{epochs} loss {value:.4f}", flush=True)
        time.sleep(0.15)
        if value != value or value > 1e4:
            print("  diverged, trial pruned")
            value = float("nan")
            break
    print(f"final loss={value:.4f}")


if __name__ == "__main__":
    main(float(sys.argv[1]), *(int(word) for word in sys.argv[2:]))
