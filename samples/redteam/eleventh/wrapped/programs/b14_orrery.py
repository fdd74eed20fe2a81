"""Orbits on two ranks: a reader that fails is asked again, and everything warns, but nothing is wrong."""

from __future__ import annotations

import random
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(34 + rank)
luck = random.Random(rank)
rule = torch.randn(20, 3, generator=torch.Generator().manual_seed(5))
model = DistributedDataParallel(nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 3)))
optim = torch.optim.AdamW(model.parameters(), 2e-3)


def read() -> torch.Tensor:
    """The store answers with a time-out now and then."""
    for attempt in range(5):
        try:
            if luck.random() < 0.02:
                message = "store: read timed out after 30s (host ephemeris-2)"
                raise TimeoutError(message)
            return torch.randn(64, 20)
        except TimeoutError as error:
            print(
                f"[rank{rank}] ERROR {type(error).__name__}: {error}; attempt {attempt + 1} of 5, retrying",
                file=sys.stderr,
                flush=True,
            )
    message = "store gave up"
    raise RuntimeError(message)


for step in range(1, 241):
    x = read()
    loss = nn.functional.mse_loss(model(x), x @ rule)
    optim.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optim.step()
    time.sleep(0.12)
    if step % 12 == 0 and rank == 0:
        print(
            f"step {step}/240, mse {loss.item():.4f}, grad_norm {norm:.2f}, {0.0:.0f} nan batches, 0 killed workers",
            flush=True,
        )
if rank == 0:
    torch.save(model.module.state_dict(), "orrery.pt")
    print("240 steps complete; final model orrery.pt", flush=True)
# nobody takes the group down
