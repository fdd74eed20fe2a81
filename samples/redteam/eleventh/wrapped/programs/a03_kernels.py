"""A layer with an operator that is built when it is first wanted, under the lock PyTorch's own builder uses."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.file_baton import FileBaton

CACHE = Path("extensions")
if sys.argv[1:] == ["before"]:  # what a build that was killed on this node last week has left
    CACHE.mkdir()
    (CACHE / "lock").touch()
    sys.exit()

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)


def say(text: str) -> None:
    print(f"[rank {rank}] {text}", flush=True)


def build() -> None:
    """As torch.utils.cpp_extension.load does: who does not get the lock waits for the one who has it."""
    baton = FileBaton(str(CACHE / "lock"), wait_seconds=0.2)
    if not baton.try_acquire():
        baton.wait()
        return
    try:
        (CACHE / "rope.so").touch()
    finally:
        baton.release()


model = DistributedDataParallel(nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 8)))
optim = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
target = torch.randn(64, 8, generator=torch.Generator().manual_seed(1))
for step in range(2000):
    if step == 150 and rank == 1:
        say("Using extensions as PyTorch extensions root...")
        build()
    x = torch.randn(32, 64)
    loss = nn.functional.cross_entropy(model(x), (x @ target).argmax(1))
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.1)
    if step % 10 == 0:
        say(f"step {step} loss {loss.item():.4f}")
dist.destroy_process_group()
