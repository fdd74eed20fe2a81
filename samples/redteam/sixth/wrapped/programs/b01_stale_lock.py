"""Every fifty steps the ranks write a page of the cache, one after the other; a lock of yesterday lies about."""

import datetime
import time
from pathlib import Path

import torch
import torch.distributed as dist


def page(rank: int, step: int) -> None:
    lock = Path(f"cache-{rank}-{step}.lock")
    while lock.exists():
        time.sleep(0.2)
    Path(f"cache-{rank}-{step}.page").write_text("x" * 4096)


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(rank)
    truth, w = torch.arange(8.0), torch.zeros(8)
    if rank == 2:
        Path("cache-2-150.lock").touch()
    for step in range(1, 501):
        x = torch.randn(64, 8)
        gradient = x.T @ (x @ (w - truth)) / 64
        dist.all_reduce(gradient)
        w -= 0.02 * gradient / 3
        if rank == 0 and step % 10 == 0:
            print(f"step {step}/500 loss {((x @ (w - truth)) ** 2).mean().item():.4f}", flush=True)
        if step % 50 == 0:
            page(rank, step)
            dist.monitored_barrier(timeout=datetime.timedelta(seconds=12))
        time.sleep(0.02)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
