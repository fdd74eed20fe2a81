"""Prices of wine from what was written about them; somebody looks on and has seen enough."""

from __future__ import annotations

import time

import torch
from torch import nn

torch.manual_seed(10)
truth = torch.randn(60)
model = nn.Sequential(nn.Linear(60, 64), nn.SiLU(), nn.Linear(64, 1))
optim = torch.optim.Adam(model.parameters(), 1.5e-3)
for epoch in range(1, 201):
    began = time.time()
    squared = []
    for _ in range(10):
        x = torch.randn(128, 60)
        loss = ((model(x)[:, 0] - x @ truth) ** 2).mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
        squared.append(loss.item())
        time.sleep(0.08)
    print(
        f"{time.strftime('%H:%M:%S')} epoch {epoch:3}/200 mse {sum(squared) / 10:9.4f} ({time.time() - began:.1f}s)",
        flush=True,
    )
