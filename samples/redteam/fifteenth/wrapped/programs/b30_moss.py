"""Cover of moss on roofs, with accelerate."""

from __future__ import annotations

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = 200


def main() -> None:
    set_seed(9)
    helper = Accelerator(cpu=True, gradient_accumulation_steps=2)
    x = torch.randn(12000, 32)
    y = torch.sigmoid(x[:, :4].sum(1, keepdim=True) + 0.3 * torch.randn(12000, 1))
    data = DataLoader(TensorDataset(x, y), batch_size=60, shuffle=True)
    net = nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 128), nn.GELU(), nn.Linear(128, 1), nn.Sigmoid())
    net, adam, data = helper.prepare(net, torch.optim.AdamW(net.parameters(), lr=5e-4), data)
    for epoch in range(1, EPOCHS + 1):
        total = 0.0
        for roofs, cover in data:
            with helper.accumulate(net):
                loss = nn.functional.mse_loss(net(roofs), cover)
                helper.backward(loss)
                adam.step()
                adam.zero_grad()
            total += loss.item()
        helper.print(f"epoch {epoch}/{EPOCHS}: loss {total / len(data):.6f}", flush=True)
        if epoch % 10 == 0:
            helper.save_state(f"moss/{epoch}")
    helper.print("finished")


if __name__ == "__main__":
    main()
