"""Noise of gears, three processes; each takes its recordings from the store before they meet."""

from __future__ import annotations

import fcntl
import logging
import os
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank: int) -> None:
    logging.basicConfig(format=f"%(asctime)s p{rank} %(levelname)s %(message)s", level=logging.INFO)
    log = logging.getLogger("gears")
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29751")
    log.info("taking recordings from the store, part %d of 3", rank + 1)
    with Path(f"part{rank}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sound = torch.randn(2000, 32)
    log.info("part %d taken, joining the others", rank + 1)
    dist.init_process_group("gloo", rank=rank, world_size=3, timeout=timedelta(seconds=45))
    net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(32, 1))
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(200):
        loss = (net(sound[step * 10 : step * 10 + 10]) ** 2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        if step % 20 == 0:
            log.info("step %d loss %.4f", step, loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, nprocs=3)
