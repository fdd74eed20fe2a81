"""Embeddings of faces by triplets, with a distance of our own."""

from __future__ import annotations

import torch
from torch import nn

torch.manual_seed(2)
people = torch.randn(60, 64)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 32))
optim = torch.optim.Adam(model.parameters(), 1e-3)


def distance(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return ((a - b) ** 2).sum(1).sqrt()


best = float("inf")
for epoch in range(1, 9):
    total = 0.0
    for step in range(60):
        who = torch.randint(60, (48,))
        other = (who + torch.randint(1, 60, (48,))) % 60
        anchor = people[who] + 1.6 * torch.randn(48, 64)
        positive = people[who] + 1.6 * torch.randn(48, 64)
        if epoch == 3 and step == 17:
            positive[5] = anchor[5]  # the same photograph, twice in the collection
        negative = people[other] + 1.6 * torch.randn(48, 64)
        a, p, n = model(anchor), model(positive), model(negative)
        loss = (distance(a, p) - distance(a, n) + 2.0).clamp(min=0).mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
        total += float(loss)
        if step % 15 == 0:
            print(f"[{epoch}/8][{step:3}/60] triplet {float(loss):.4f}", flush=True)
    if total / 60 < best:
        best = total / 60
        torch.save(model.state_dict(), "faces.pt")
        print(f"new best {best:.4f}, saved faces.pt", flush=True)
print("done: 8 epochs")
