"""Yields of fields; the archive that is told in the end has no host any more."""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(30)
slope = torch.randn(30)
model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 1))


def rows(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(n, 30)
    return x, x @ slope + 0.3 * torch.randn(n)


if sys.argv[1] == "fit":
    optim = torch.optim.Adam(model.parameters(), 2e-3)
    for epoch in range(1, 26):
        total = 0.0
        for _ in range(40):
            x, y = rows(64)
            loss = ((model(x)[:, 0] - y) ** 2).mean()
            optim.zero_grad()
            loss.backward()
            optim.step()
            total += loss.item()
        print(json.dumps({"stage": "fit", "epoch": epoch, "epochs": 25, "loss": round(total / 40, 4)}), flush=True)
        time.sleep(0.8)
    torch.save(model.state_dict(), "harvest.pt")
elif sys.argv[1] == "measure":
    model.load_state_dict(torch.load("harvest.pt", weights_only=True))
    x, y = rows(2000)
    with torch.no_grad():
        rmse = ((model(x)[:, 0] - y) ** 2).mean().sqrt().item()
    Path("measures.json").write_text(json.dumps({"rmse": rmse}))
    print(json.dumps({"stage": "measure", "rmse": round(rmse, 4)}), flush=True)
else:
    urllib.request.urlopen("http://archive.invalid/models", data=Path("measures.json").read_bytes(), timeout=5)
