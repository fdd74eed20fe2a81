"""One process on each of two hosts; somebody's clean-up kills the process of the second."""

from __future__ import annotations

import os
import time
from pathlib import Path

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    if rank == 1:
        Path("victim.pid").write_text(str(os.getpid()))
    torch.manual_seed(rank)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(24, 1))
    sgd = torch.optim.SGD(model.parameters(), 0.01)
    for step in range(1, 3001):
        x = torch.randn(128, 24)
        loss = (model(x) - x[:, :1] * 3).pow(2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        if step % 10 == 0:
            print(f"rank={rank} iter={step} loss={loss.item():.4f}", flush=True)
        time.sleep(0.05)


if __name__ == "__main__":
    main()
