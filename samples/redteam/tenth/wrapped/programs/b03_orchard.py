"""A thread reads ahead, the main thread trains; both write to one book of counts."""

from __future__ import annotations

import queue
import threading

import torch
from torch import nn

ahead: queue.Queue[torch.Tensor] = queue.Queue(maxsize=8)
book = threading.Lock()
counts = {"read": 0, "trained": 0}


def read() -> None:
    while True:
        x = torch.randn(64, 30)
        with book:
            counts["read"] += 1
            if counts["read"] > 400:
                ahead.put(x)
                continue
        ahead.put(x)


threading.Thread(target=read, daemon=True).start()
torch.manual_seed(3)
model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 3))
optim = torch.optim.Adam(model.parameters(), 2e-3)
for step in range(3000):
    x = ahead.get()
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optim.zero_grad()
    loss.backward()
    optim.step()
    threading.Event().wait(0.01)
    if step % 25 == 0:
        with book:
            counts["trained"] = step
            print(f"step {step}/3000 loss {loss:.4f} read ahead {counts['read'] - step}", flush=True)
print("all steps done")
