"""Two processes under torchrun; one is kept for minutes by a lookup, and the other's all-reduce waits ten seconds."""

from __future__ import annotations

import datetime
import time

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=10))
    rank = dist.get_rank()
    torch.manual_seed(rank)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(12, 1))
    sgd = torch.optim.SGD(model.parameters(), 0.03)
    for step in range(1, 401):
        if step == 57 and rank == 1:
            print(f"{time.strftime('%H:%M:%S')} rank 1: looking up 1 missing caption", flush=True)
            time.sleep(90)
        x = torch.randn(64, 12)
        loss = (model(x) - x.mean(1, keepdim=True)).pow(2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        if step % 5 == 0:
            print(f"{time.strftime('%H:%M:%S')} rank {rank}: step {step}/400 loss {loss.item():.5f}", flush=True)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
