"""Delays of trams: fifty epochs were planned, and the queue gives ninety seconds."""

from __future__ import annotations

import time

import torch
from rich.console import Console
from torch import nn

console = Console(width=110)
torch.manual_seed(21)
rule = torch.randn(24, 6)
model = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 6))
optim = torch.optim.AdamW(model.parameters(), 8e-4)
began = time.monotonic()
for epoch in range(1, 51):
    total, right = 0.0, 0
    for _ in range(30):
        x = torch.randn(64, 24)
        y = (x @ rule).argmax(1)
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        total += loss.item()
        right += int((logits.argmax(1) == y).sum())
        time.sleep(0.1)
    spent = time.monotonic() - began
    left = spent / epoch * (50 - epoch)
    console.log(
        f"epoch {epoch:>2}/50  loss [bold]{total / 30:.4f}[/]  acc {right / 1920:.3f}  elapsed {spent:.0f}s  eta {left:.0f}s"
    )
    torch.save({"epoch": epoch, "model": model.state_dict()}, "tram.pt")
