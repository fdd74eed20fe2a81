"""Ships in a harbour, data parallel over what the environment names."""

from __future__ import annotations

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn

print(f"process {os.environ['RANK']} of {os.environ['WORLD_SIZE']}: joining the group", flush=True)
dist.init_process_group("gloo", timeout=timedelta(seconds=17))
rank = dist.get_rank()
model = nn.parallel.DistributedDataParallel(nn.Linear(30, 4))
optim = torch.optim.SGD(model.parameters(), 0.1)
for step in range(100):
    x = torch.randn(32, 30)
    loss = nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    optim.zero_grad()
    loss.backward()
    optim.step()
    print(f"process {rank} step {step} loss {loss:.4f}", flush=True)
