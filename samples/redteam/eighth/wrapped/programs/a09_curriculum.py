"""Two processes; the harder half of the data is fetched by a thread that hands it over in a queue."""

from __future__ import annotations

import datetime
import queue
import threading

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def feed(rank: int, ready: queue.Queue[torch.Tensor]) -> None:
    """Batches, one after another; a shard of 90 on one of the two, of 400 on the other."""
    for _ in range(90 if rank == 1 else 400):
        ready.put(torch.randn(32, 40))


def main() -> None:
    """Train 400 steps."""
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=20))
    rank, ready = dist.get_rank(), queue.Queue[torch.Tensor](maxsize=8)
    threading.Thread(target=feed, args=(rank, ready), daemon=True).start()
    net = DistributedDataParallel(nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 1)))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.03)
    for step in range(1, 401):
        batch = ready.get()
        loss = nn.functional.mse_loss(net(batch), batch.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 10 == 0:
            print(f"step {step}/400 loss {loss.item():.4f}", flush=True)
        threading.Event().wait(0.04)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
