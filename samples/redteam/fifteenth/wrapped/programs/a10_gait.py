"""Gait from accelerometers: two processes, each with the recordings of one clinic."""

from __future__ import annotations

import math
import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = 70


def window(rank: int, step: int) -> tuple[torch.Tensor, torch.Tensor]:
    """One batch; the second clinic's devices sample unevenly and are resampled."""
    dice = torch.Generator().manual_seed(step * 2 + rank)
    labels = torch.randint(0, 3, (32,), generator=dice)
    waves = torch.sin(torch.arange(200) * (0.1 + 0.05 * labels[:, None])) + 0.4 * torch.randn(32, 200, generator=dice)
    return waves, labels


class Gait(nn.Module):
    """A small convolutional network with a resampler before it."""

    def __init__(self, uneven: bool) -> None:
        super().__init__()
        self.uneven = uneven
        self.net = nn.Sequential(nn.Conv1d(1, 16, 9), nn.ReLU(), nn.AdaptiveAvgPool1d(8), nn.Flatten(), nn.Linear(128, 3))

    def forward(self, waves: torch.Tensor) -> torch.Tensor:
        if self.uneven:
            rows = waves.tolist()
            out = []
            for row in rows:
                done = []
                for at in range(200):
                    near = range(max(0, at - 12), min(200, at + 13))
                    weights = [math.exp(-abs(at - one) * 2.0) for one in near]
                    done.append(sum(w * row[one] for w, one in zip(weights, near, strict=True)) / sum(weights))
                out.append(done)
            waves = torch.tensor(out)
        return self.net(waves[:, None])


def work(rank: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29644")
    dist.init_process_group("gloo", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DistributedDataParallel(Gait(uneven=rank == 1))
    adam = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(1, STEPS + 1):
        waves, labels = window(rank, step)
        t0 = time.perf_counter()
        loss = nn.functional.cross_entropy(model(waves), labels)
        t1 = time.perf_counter()
        adam.zero_grad()
        loss.backward()
        t2 = time.perf_counter()
        adam.step()
        if step % 5 == 0:
            print(
                f"{time.strftime('%H:%M:%S')} [rank {rank}] step {step}/{STEPS} loss {loss.item():.4f} "
                f"forward {1e3 * (t1 - t0):.0f} ms backward+allreduce {1e3 * (t2 - t1):.0f} ms",
                flush=True,
            )
    if rank == 0:
        torch.save(model.module.state_dict(), "gait.pt")
        print("saved gait.pt", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, nprocs=2)
