"""Forecast the orders of a chain of bakeries with a small LSTM: one process a shard of shops, started by spawn."""

import argparse
import fcntl
import os
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Orders(nn.Module):
    """Four weeks of orders in, the next day out."""

    def __init__(self, products: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(products, 96, num_layers=2, batch_first=True)
        self.head = nn.Linear(96, products)

    def forward(self, weeks: torch.Tensor) -> torch.Tensor:
        """The orders of the day after."""
        seen, _ = self.lstm(weeks)
        return self.head(seen[:, -1])


class Shard:
    """The shops of one rank; the holidays' table is shared by all who read the folder, under a lock."""

    def __init__(self, rank: int, folder: str, products: int) -> None:
        self.rank, self.folder, self.products = rank, folder, products
        self.random = torch.Generator().manual_seed(100 + rank)

    def holidays(self) -> torch.Tensor:
        """Read the table anew: the office changes it during the day."""
        name = Path(self.folder, f"holidays.{self.rank}.lock")
        with open(name, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return torch.tensor([1.0 + 0.4 * (day % 7 == 5) for day in range(29)])

    def batch(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Some shops with their last 28 days and the day to come."""
        level = torch.rand(size, 1, self.products, generator=self.random) * 2
        phase = torch.arange(29).view(1, -1, 1) * (2 * torch.pi / 7)
        days = level * (1 + 0.3 * torch.sin(phase)) + 0.05 * torch.randn(size, 29, self.products, generator=self.random)
        return days[:, :28], days[:, 28]


def worker(rank: int, args: argparse.Namespace) -> None:
    """Train one rank."""
    dist.init_process_group(
        "gloo",
        init_method=f"tcp://127.0.0.1:{args.port}",
        rank=rank,
        world_size=args.world,
        timeout=timedelta(seconds=30),
    )
    torch.manual_seed(0)
    torch.set_num_threads(1)
    shard = Shard(rank, args.folder, args.products)
    model = DistributedDataParallel(Orders(args.products))
    best = torch.optim.Adam(model.parameters(), lr=2e-3)
    print(f"[rank {rank}] pid {os.getpid()}: {len(range(rank, 214, args.world))} shops", flush=True)
    begun, total = time.time(), 0.0
    for step in range(1, args.steps + 1):
        if step % 50 == 0:
            shard.holidays()
        x, y = shard.batch(64)
        loss = nn.functional.smooth_l1_loss(model(x), y)
        best.zero_grad()
        loss.backward()
        best.step()
        total += loss.item()
        if step % 20 == 0:
            rate = step / (time.time() - begun)
            print(f"[rank {rank}] step {step}/{args.steps} loss {total / 20:.5f} {rate:.1f} it/s", flush=True)
            total = 0.0
    dist.barrier()
    if rank == 0:
        torch.save(model.module.state_dict(), "orders.pt")
        print("saved orders.pt", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--world", type=int, default=2)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--products", type=int, default=24)
    parser.add_argument("--port", type=int, default=29701)
    parser.add_argument("--folder", default="table")
    given = parser.parse_args()
    print(given, flush=True)
    mp.spawn(worker, args=(given,), nprocs=given.world)
