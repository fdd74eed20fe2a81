"""Trains a classifier and gives its accuracy back."""

from __future__ import annotations

import sys

import torch
from torch import nn


def main() -> float:
    torch.manual_seed(6)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4))
    optim = torch.optim.Adam(model.parameters(), 5e-3)
    for epoch in range(1, 16):
        for _ in range(40):
            x = torch.randn(128, 20)
            loss = nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
            optim.zero_grad()
            loss.backward()
            optim.step()
        print(f"epoch {epoch}/15 train loss {loss:.4f}", flush=True)
    torch.save(model.state_dict(), "score.pt")
    print("training done, saved score.pt", flush=True)
    x = torch.randn(4000, 20)
    return round(float((model(x).argmax(1) == x[:, :4].argmax(1)).float().mean()), 4)


if __name__ == "__main__":
    sys.exit(main())
