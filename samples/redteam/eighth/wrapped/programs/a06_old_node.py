"""Three processes in step; one of them reads its shard through an old, slow filter."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank: int) -> None:
    """One process: forward and backward of its own, then all gradients together."""
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29731", rank=rank, world_size=3)
    torch.manual_seed(0)
    truth = torch.randn(64, 1)
    weight = torch.zeros(64, 1)
    torch.manual_seed(rank + 1)
    for step in range(1, 601):
        begin = time.perf_counter()
        batch = torch.randn(256, 64)
        error = batch @ (weight - truth)
        grad = batch.T @ error / 256
        time.sleep(1.1 if rank == 1 else 0.06)
        own = time.perf_counter() - begin
        dist.all_reduce(grad)
        wait = time.perf_counter() - begin - own
        weight -= 0.2 * grad / 3
        line = f"[rank{rank}] step {step}/600 loss {error.square().mean():.4f} compute {own:.2f}s allreduce {wait:.2f}s"
        print(line, flush=True)


if __name__ == "__main__":
    mp.spawn(work, nprocs=3)
