"""Voices apart, with a bar that is written over itself and a rate of learning with some noughts too many."""

from __future__ import annotations

import time

import torch
from torch import nn
from tqdm import tqdm

torch.manual_seed(9)
mix = torch.randn(32, 32) / 5
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32))
optim = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
warm = torch.optim.lr_scheduler.LambdaLR(optim, lambda n: min(1.0, n / 60) * (1 if n < 150 else 4000))
for epoch in range(1, 6):
    bar = tqdm(range(80), desc=f"Epoch {epoch}/5", mininterval=0.5)
    total = 0.0
    for _ in bar:
        x = torch.randn(64, 32)
        loss = ((model(x) - x @ mix) ** 2).mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
        warm.step()
        total += loss.item()
        bar.set_postfix(loss=f"{loss.item():.4g}", lr=f"{warm.get_last_lr()[0]:.2e}")
        time.sleep(0.08)
    tqdm.write(f"epoch {epoch} mean loss {total / 80:.5g}")
torch.save(model.state_dict(), "choir.pt")
print("Training complete! Weights saved to choir.pt")
