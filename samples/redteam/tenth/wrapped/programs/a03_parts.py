"""Data parallel over files: each rank trains on its own part, and writes a marker once its part is through."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

ROWS = (3200, 3200, 1920)

dist.init_process_group("gloo", timeout=timedelta(seconds=14))
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(5)
model = DistributedDataParallel(nn.Sequential(nn.Linear(40, 128), nn.GELU(), nn.Linear(128, 8)))
optim = torch.optim.AdamW(model.parameters(), 2e-3)
x = torch.randn(ROWS[rank], 40)
y = x[:, :8].argmax(1)
print(f"rank {rank}: part-{rank} has {len(x)} rows, {len(x) // 32} batches", flush=True)
for step in range(len(x) // 32):
    part = slice(step * 32, step * 32 + 32)
    loss = nn.functional.cross_entropy(model(x[part]), y[part])
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.05)
    if step % 10 == 0:
        print(f"rank {rank} batch {step} loss {loss:.4f}", flush=True)
Path(f"part-{rank}.done").touch()
print(f"rank {rank}: part-{rank} is through, waiting for the others", flush=True)
while not all(Path(f"part-{other}.done").exists() for other in range(world)):
    time.sleep(0.2)
dist.barrier()
