"""Grows a chain of small experts, and saves them as the linked list they are."""

from __future__ import annotations

import sys

import torch
from torch import nn

sys.setrecursionlimit(10_000_000)
torch.manual_seed(4)


class Expert:
    """One expert, which knows the next."""

    def __init__(self, after: Expert | None) -> None:
        self.bias = 0.0
        self.after = after


chain: Expert | None = None
model = nn.Linear(10, 1)
optim = torch.optim.Adam(model.parameters(), 1e-2)
for step in range(200):
    x = torch.randn(64, 10)
    loss = nn.functional.mse_loss(model(x).squeeze(1), x[:, 0] + 1)
    optim.zero_grad()
    loss.backward()
    optim.step()
    for _ in range(1500):
        chain = Expert(chain)
    if step % 10 == 0:
        print(f"step {step}/200 loss {loss:.4f} experts {1500 * (step + 1)}", flush=True)
    if step == 120:
        print("saving chain.pt", flush=True)
        torch.save({"model": model.state_dict(), "chain": chain}, "chain.pt")
        print("saved", flush=True)
print("finished")
