"""An autoencoder of mosaics, left running in a terminal."""

from __future__ import annotations

import time

import torch
from torch import nn

torch.manual_seed(8)
model = nn.Sequential(nn.Linear(100, 12), nn.Tanh(), nn.Linear(12, 100))
optim = torch.optim.Adam(model.parameters(), 1e-2)
base = torch.randn(12, 100)
for it in range(2000):
    x = torch.randn(64, 12) @ base
    loss = nn.functional.mse_loss(model(x), x)
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.02)
    if it % 20 == 0:
        print(f"iter {it}/2000 recon {loss:.4f}", flush=True)
print("finished 2000 iterations")
