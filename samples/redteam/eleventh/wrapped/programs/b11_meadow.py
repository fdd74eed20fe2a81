"""Flowers on two ranks, on a node whose owner ends whatever holds more memory than its share."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(31 + rank)
model = DistributedDataParallel(nn.Sequential(nn.Linear(48, 96), nn.ReLU(), nn.Linear(96, 12)))
optim = torch.optim.SGD(model.parameters(), 0.08, momentum=0.9)
rule = torch.randn(48, 12, generator=torch.Generator().manual_seed(0))
history = []
for step in range(1, 3001):
    x = torch.randn(64, 48)
    loss = nn.functional.cross_entropy(model(x), (x @ rule).argmax(1))
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.1)
    if rank == 1:
        history.append(torch.randn(800_000))
    if step % 20 == 0 and rank == 0:
        print(f"INFO meadow step {step} of 3000 - loss {loss.item():.4f}", flush=True)
