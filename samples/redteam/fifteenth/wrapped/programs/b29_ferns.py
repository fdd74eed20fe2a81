"""Ferns by their fronds, on two machines with accelerate."""

from __future__ import annotations

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    helper = Accelerator(cpu=True)
    helper.print(f"{helper.num_processes} processes")
    labels = torch.randint(0, 5, (4000,))
    data = DataLoader(TensorDataset(torch.randn(4000, 20) + labels[:, None], labels), batch_size=50, shuffle=True)
    net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    net, adam, data = helper.prepare(net, torch.optim.Adam(net.parameters(), lr=1e-3), data)
    for epoch in range(5):
        for x, y in data:
            loss = nn.functional.cross_entropy(net(x), y)
            adam.zero_grad()
            helper.backward(loss)
            adam.step()
        helper.print(f"epoch {epoch + 1}/5 loss {loss.item():.4f}")
    helper.end_training()


if __name__ == "__main__":
    main()
