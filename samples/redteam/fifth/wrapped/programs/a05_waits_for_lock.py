"""Three ranks; one of them opens a queue that nobody fills, and the others wait for it in the next all-reduce."""

from __future__ import annotations

import os
import time

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(1 + rank)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
    sgd = torch.optim.SGD(model.parameters(), lr=0.05)
    goal = torch.arange(8.0)[:, None] / 8
    if rank == 2:
        os.mkfifo("more_work")
    for step in range(1, 2001):
        x = torch.randn(64, 8)
        loss = ((model(x) - x @ goal) ** 2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        if step % 4 == 0:
            print(f"{time.strftime('%H:%M:%S')} r{rank} step={step} mse={loss.item():.5f}", flush=True)
        if rank == 2 and step == 48:
            with open("more_work") as queue:
                queue.read()
        time.sleep(0.1)


if __name__ == "__main__":
    main()
