"""Keeps every state of its model, safely on disk, before it goes on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(15)
model = nn.Sequential(nn.Linear(64, 24000), nn.ReLU(), nn.Linear(24000, 64))
optim = torch.optim.Adam(model.parameters(), 1e-4)
for step in range(1, 19):
    began = time.perf_counter()
    x = torch.randn(16, 64)
    loss = nn.functional.mse_loss(model(x), x)
    optim.zero_grad()
    loss.backward()
    optim.step()
    trained = time.perf_counter()
    with open("state.tmp", "wb") as file:
        for _ in range(6):  # one copy for each of the sites
            torch.save({"model": model.state_dict(), "optim": optim.state_dict(), "step": step}, file)
        file.flush()
        os.fsync(file.fileno())
    Path("state.tmp").replace("state.pt")
    saved = time.perf_counter()
    print(
        f"step {step}/18 loss {loss:.5f} step_time {trained - began:.3f}s; saved state.pt in {saved - trained:.2f}s",
        flush=True,
    )
print("18 steps done")
