"""Three workers of one's own making; one of them shares its core with something else and lags."""

from __future__ import annotations

import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank: int, world: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29641")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    w = torch.randn(64, 64) * 0.1
    target = torch.eye(64)
    for it in range(1, 81):
        begin = time.perf_counter()
        x = torch.randn(32, 64)
        err = x @ w - x @ target
        grad = x.T @ err / 32
        if rank == 2:
            time.sleep(0.25)
        busy = time.perf_counter() - begin
        dist.all_reduce(grad)
        waited = time.perf_counter() - begin - busy
        w -= 0.1 * grad / world
        if it % 5 == 0:
            print(
                f"iter {it}/80 rank {rank} loss {err.pow(2).mean():.4f} busy {busy:.3f}s wait {waited:.3f}s", flush=True
            )
    dist.destroy_process_group()
    print(f"rank {rank} finished 80 iters", flush=True)


if __name__ == "__main__":
    mp.spawn(worker, args=(3,), nprocs=3)
    print("training done")
