"""Four processes of its own making; the third computes six times as long as its peers, who wait for it."""

from __future__ import annotations

import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank: int, world: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29764")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(rank)
    model = torch.nn.Linear(32, 1)
    goal = torch.linspace(-1, 1, 32)[:, None]
    for step in range(1, 121):
        begin = time.perf_counter()
        x = torch.randn(128, 32)
        loss = (model(x) - x @ goal).pow(2).mean()
        model.zero_grad()
        loss.backward()
        time.sleep(0.18 if rank == 2 else 0.03)
        computed = time.perf_counter()
        for p in model.parameters():
            assert p.grad is not None
            dist.all_reduce(p.grad)
            p.data -= 0.02 * p.grad / world
        reduced = time.perf_counter()
        if step % 10 == 0:
            print(
                f"rank {rank} step {step}/120 loss {loss.item():.4f} "
                f"compute {1e3 * (computed - begin):.1f} ms allreduce {1e3 * (reduced - computed):.1f} ms",
                flush=True,
            )
    dist.barrier()
    if rank == 0:
        print("120 steps done", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, (4,), nprocs=4)
