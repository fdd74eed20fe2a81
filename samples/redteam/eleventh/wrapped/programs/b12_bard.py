"""Verses letter by letter; each so often some are drawn, which is where it ends, though not where it went wrong."""

from __future__ import annotations

import time

import torch
from torch import nn

torch.manual_seed(32)
letters = torch.randint(0, 40, (5000,)) // 2
model = nn.Sequential(nn.Embedding(40, 32), nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 40))
optim = torch.optim.SGD(model.parameters(), 0.5, momentum=0.9)
for step in range(1, 901):
    if step == 260:
        for group in optim.param_groups:
            group["lr"] = 4000.0  # "restart with a high rate", from a config that counts in thousandths
    at = torch.randint(0, 4999, (128,))
    loss = nn.functional.cross_entropy(model(letters[at]), letters[at + 1])
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.08)
    if step % 10 == 0:
        print(f"it={step} loss={loss.item():.4f} lr={optim.param_groups[0]['lr']:g}", flush=True)
    if step % 400 == 0:
        now, verse = torch.tensor([3]), []
        for _ in range(40):
            now = torch.multinomial(model(now).softmax(-1)[0], 1)
            verse.append(chr(97 + int(now) % 26))
        print("sample:", "".join(verse), flush=True)
