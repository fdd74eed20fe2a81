"""Wind over a ridge, four processes by a list of hosts; one of its lines is a comment."""

from __future__ import annotations

import datetime
import os

import torch
import torch.distributed as dist
from torch import nn

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
print(f"[rank {rank}] joining {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}, world size {world}", flush=True)
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=75))
print(f"[rank {rank}] joined", flush=True)
torch.manual_seed(0)
model = nn.parallel.DistributedDataParallel(nn.Linear(20, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(200):
    x = torch.randn(32, 20)
    loss = (model(x).squeeze(1) - x.sum(1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"[rank {rank}] step {step} loss {loss.item():.4f}", flush=True)
