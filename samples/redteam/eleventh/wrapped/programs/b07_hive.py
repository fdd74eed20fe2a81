"""Sounds of bees; a thread keeps statistics under a lock, and the second epoch's workers are forked while it is held."""

from __future__ import annotations

import threading
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

lock = threading.Lock()
seen = {"items": 0}


def keeper() -> None:
    """Writes the statistics down once a second, which takes a while."""
    while True:
        time.sleep(0.15)
        with lock:
            time.sleep(0.85)


class Sounds(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Sounds, counted."""

    def __len__(self) -> int:
        return 1600

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        if threading.current_thread() is threading.main_thread() and started.is_set():
            with lock:
                seen["items"] += 1
        time.sleep(0.01)
        x = torch.randn(128)
        return x, (x[:8].sum() > 0).long()


started = threading.Event()
torch.manual_seed(27)
model = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 2))
optim = torch.optim.Adam(model.parameters(), 2e-3)
for epoch in range(1, 11):
    if epoch == 3:
        threading.Thread(target=keeper, daemon=True).start()
        started.set()
        time.sleep(0.5)
    for step, (x, y) in enumerate(DataLoader(Sounds(), 16, num_workers=1)):
        loss = nn.functional.cross_entropy(model(x), y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        if step % 10 == 0:
            print(f"epoch {epoch} step {step}/100 loss {loss.item():.4f}", flush=True)
