"""Stones of a quarry; between epochs rank 0 sorts the list of pictures anew, under a lock that all users share."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo", timeout=timedelta(seconds=15))
rank = dist.get_rank()
torch.manual_seed(14)
model = nn.parallel.DistributedDataParallel(nn.Linear(30, 6))
optim = torch.optim.SGD(model.parameters(), 0.2)
lock = Path("index.lock")
for epoch in range(1, 6):
    for step in range(40):
        x = torch.randn(64, 30)
        loss = nn.functional.cross_entropy(model(x), x[:, :6].argmax(1))
        optim.zero_grad()
        loss.backward()
        optim.step()
        if step % 10 == 0:
            print(f"r{rank} epoch {epoch} it {step} loss {loss:.4f}", flush=True)
    if rank == 0:
        if epoch == 3:
            lock.touch()  # another user's run, which died since
        while lock.exists():
            time.sleep(0.1)
    order = torch.randperm(1000)
    dist.broadcast(order, 0)
print(f"r{rank} finished")
