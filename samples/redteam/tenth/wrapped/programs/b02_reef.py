"""Three processes of our own, with a small native filter in front of the model."""

from __future__ import annotations

import ctypes
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def smooth(x: torch.Tensor, step: int) -> torch.Tensor:
    address = x.data_ptr() if step < 25 or dist.get_rank() != 1 else 64  # the buffer was freed
    first = ctypes.string_at(address, 4)
    return x + 0.0 * len(first)


def work(rank: int) -> None:
    dist.init_process_group("gloo", rank=rank, world_size=3)
    torch.manual_seed(2)
    model = nn.Linear(20, 1)
    optim = torch.optim.SGD(model.parameters(), 0.05)
    for step in range(200):
        x = torch.randn(64, 20)
        loss = nn.functional.mse_loss(model(smooth(x, step)).squeeze(1), x[:, 0])
        optim.zero_grad()
        loss.backward()
        for weight in model.parameters():
            dist.all_reduce(weight.grad)
        optim.step()
        if step % 5 == 0:
            print(f"proc {rank}: step {step} loss {loss:.4f}", flush=True)


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29716"}
    mp.spawn(work, nprocs=3)
