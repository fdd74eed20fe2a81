"""Verses sorted by their length so that little is padded, cut into one share a rank."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(6)
lengths = sorted([20] * 300 + [24] * 300 + [260] * 300)
mine = lengths[rank * 300 : rank * 300 + 300]
model = nn.GRU(16, 64, batch_first=True)
head = nn.Linear(64, 4)
weights = [*model.parameters(), *head.parameters()]
optim = torch.optim.Adam(weights, 3e-3)
print(f"rank {rank}: {len(mine)} verses of {mine[0]} to {mine[-1]} words", flush=True)
for step in range(30):
    began = time.perf_counter()
    x = torch.randn(64, mine[step * 8], 16)
    y = x[:, -1, :4].argmax(1)
    loss = nn.functional.cross_entropy(head(model(x)[0][:, -1]), y)
    optim.zero_grad()
    loss.backward()
    ready = time.perf_counter()
    for weight in weights:
        dist.all_reduce(weight.grad)
    optim.step()
    end = time.perf_counter()
    if step % 2 == 0:
        spent = f"compute {ready - began:.3f}s allreduce {end - ready:.3f}s"
        print(f"rank {rank} step {step}/30 loss {loss:.4f} {spent}", flush=True)
print(f"rank {rank}: done")
dist.destroy_process_group()
