"""A worker of torch's DataLoader is killed from outside, as the kernel does where memory runs out."""

from __future__ import annotations

import os
import signal

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset[tuple[torch.Tensor, int]]):
    """Decoded pictures."""

    def __len__(self) -> int:
        return 6400

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        if i == 3600:
            os.kill(os.getpid(), signal.SIGKILL)
        g = torch.Generator().manual_seed(i)
        return torch.randn(3, 16, 16, generator=g) + (i % 2), i % 2


def main() -> None:
    net = nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 49, 2))
    optim = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    loader = DataLoader(Images(), batch_size=32, num_workers=2)
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.cross_entropy(net(x), y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        if i % 10 == 0:
            print(f"Train Epoch: 1 [{i * 32}/6400 ({100 * i / len(loader):.0f}%)]\tLoss: {loss.item():.6f}", flush=True)
    print("Epoch 1 finished")


if __name__ == "__main__":
    main()
