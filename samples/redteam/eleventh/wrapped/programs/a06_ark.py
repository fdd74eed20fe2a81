"""A model with a large table, kept whole after each step because somebody once lost a day."""

from __future__ import annotations

import os
import time
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(6)
table = nn.Embedding(160_000, 96, sparse=True)  # 61 MB
head = nn.Linear(96, 10)
optim = torch.optim.SGD([*table.parameters(), *head.parameters()], 1.0)
words = torch.randint(0, 100, (40_000,))
label = words % 10
began = time.monotonic()
saving = 0.0


def keep(step: int) -> float:
    t = time.monotonic()
    path = Path(f"ark-{step % 3}.pt")
    part = path.with_suffix(".tmp")
    with part.open("wb") as file:
        torch.save({"step": step, "table": table.state_dict(), "head": head.state_dict()}, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    return time.monotonic() - t


for step in range(1, 121):
    t = time.monotonic()
    pick = torch.randint(0, 40_000, (512,))
    loss = nn.functional.cross_entropy(head(table(words[pick])), label[pick])
    optim.zero_grad()
    loss.backward()
    optim.step()
    spent = time.monotonic() - t
    took = keep(step)
    saving += took
    print(
        f"step {step}/120 | loss {loss.item():.3f} | train {spent * 1000:.0f} ms | saved checkpoint ark-{step % 3}.pt (61.4 MB) in {took:.2f} s",
        flush=True,
    )
    if time.monotonic() - began > 75:
        break
print(f"total {time.monotonic() - began:.0f} s of which {saving:.0f} s saving", flush=True)
