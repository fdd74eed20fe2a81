"""Averaging by hand on three ranks, each told how long it worked and how long it waited for the others."""

from __future__ import annotations

import hashlib
import os
import socket
import time

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(128, 256), nn.Tanh(), nn.Linear(256, 16))
optim = torch.optim.SGD(model.parameters(), 0.1)
answer = torch.randn(128, 16)
torch.manual_seed(50 + rank)
print(f"rank {rank} on {socket.gethostname()} pid {os.getpid()}", flush=True)


def batch() -> torch.Tensor:
    """Rank 1 still runs with VERIFY=1 from a debugging session: every batch is checked byte by byte."""
    x = torch.randn(64, 128)
    if rank == 1:
        data = x.numpy().tobytes()
        stop = time.monotonic() + 0.9
        while time.monotonic() < stop:
            hashlib.sha256(data).hexdigest()
    return x


for step in range(1, 61):
    t0 = time.monotonic()
    x = batch()
    loss = nn.functional.cross_entropy(model(x), (x @ answer).argmax(1))
    optim.zero_grad()
    loss.backward()
    t1 = time.monotonic()
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    t2 = time.monotonic()
    optim.step()
    if step % 3 == 0:
        print(
            f"rank {rank} step {step}/60 loss {loss.item():.3f} compute {t1 - t0:.3f}s allreduce_wait {t2 - t1:.3f}s",
            flush=True,
        )
dist.barrier()
if rank == 0:
    print("all 60 steps done", flush=True)
dist.destroy_process_group()
