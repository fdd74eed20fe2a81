"""Leaves of plants; their features go to a small data base on the scratch disk as they are seen."""

from __future__ import annotations

import sqlite3

import torch
from torch import nn

torch.manual_seed(7)
base = sqlite3.connect("scratch/features.db")
base.execute("CREATE TABLE features (step INTEGER, vector BLOB)")
model = nn.Sequential(nn.Linear(400, 256), nn.ReLU(), nn.Linear(256, 12))
optim = torch.optim.Adam(model.parameters(), 1e-3)
for step in range(400):
    x = torch.randn(64, 400)
    seen = model[1](model[0](x))
    loss = nn.functional.cross_entropy(model[2](seen), x[:, :12].argmax(1))
    optim.zero_grad()
    loss.backward()
    optim.step()
    with base:
        base.execute("INSERT INTO features VALUES (?, ?)", (step, seen.detach().numpy().tobytes()))
    if step % 10 == 0:
        print(f"step {step}/400 loss {loss:.4f}", flush=True)
print("400 steps done")
