"""Keeps the weights of every epoch in one file, for averaging at the end."""

from __future__ import annotations

import time

import torch
from torch import nn


def main() -> None:
    """Sixty epochs."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(100, 700), nn.ReLU(), nn.Linear(700, 100))
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
    history = []
    basis = torch.randn(10, 100)
    for epoch in range(1, 61):
        for _ in range(20):
            batch = torch.randn(64, 10) @ basis
            loss = nn.functional.mse_loss(net(batch), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}/60 loss {loss.item():.5f}", flush=True)
        history.append({name: value.clone() for name, value in net.state_dict().items()})
        torch.save(history, "history.pt")
        time.sleep(0.2)


if __name__ == "__main__":
    main()
