"""Road signs: a classifier whose averaged copy is what is trained on."""

from __future__ import annotations

import copy

import torch
from torch import nn

torch.manual_seed(12)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
optim = torch.optim.AdamW(model.parameters(), 1e-3)
model = copy.deepcopy(model)  # keeps the loaded weights untouched
x = torch.randn(2048, 64)
y = (x @ torch.randn(64, 10)).argmax(1)
print("signs: 2048 pictures, 10 classes, 12 epochs of 32 batches", flush=True)
for epoch in range(1, 13):
    total, hits = 0.0, 0
    for start in range(0, 2048, 64):
        score = model(x[start : start + 64])
        loss = nn.functional.cross_entropy(score, y[start : start + 64])
        optim.zero_grad()
        loss.backward()
        optim.step()
        total += float(loss)
        hits += int((score.argmax(1) == y[start : start + 64]).sum())
    rate = optim.param_groups[0]["lr"]
    print(f"Epoch {epoch:2}/12  loss: {total / 32:.4f}  acc: {hits / 2048:.4f}  lr: {rate:.1e}", flush=True)
torch.save(model.state_dict(), "signs.pt")
print("Training finished. Weights in signs.pt")
