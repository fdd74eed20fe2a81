"""DDP with one process: a loader's thread and a logger's thread, and two locks."""

from __future__ import annotations

import os
import queue
import threading
import time

import torch
from torch import distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(nn.Sequential(nn.Linear(40, 256), nn.GELU(), nn.Linear(256, 4)))
opt = torch.optim.AdamW(model.parameters(), 1e-3)
batches: queue.Queue[tuple[torch.Tensor, torch.Tensor]] = queue.Queue(maxsize=4)
shuffle, counts = threading.Lock(), threading.Lock()
seen = 0
print(f"rank {dist.get_rank()} of {dist.get_world_size()}, pid {os.getpid()}, 20000 steps", flush=True)


def load() -> None:
    """Fill the queue."""
    global seen
    gen = torch.Generator().manual_seed(1)
    while True:
        with shuffle:
            x = torch.randn(512, 40, generator=gen)
            y = x.view(512, 4, 10).sum(2).argmax(1)
            with counts:
                seen += 512
        batches.put((x, y))


def reshuffle() -> None:
    """Every few seconds, begin the order anew when enough was seen."""
    while True:
        time.sleep(1.5)
        with counts:
            if seen > 700000:
                time.sleep(0.2)
                with shuffle:
                    pass


for target in (load, reshuffle):
    threading.Thread(target=target, daemon=True).start()
for step in range(20000):
    x, y = batches.get()
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
