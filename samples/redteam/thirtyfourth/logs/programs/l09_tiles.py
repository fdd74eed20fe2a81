"""Glacier outlines from satellite tiles: a small U-Net, DDP by mp.spawn over gloo."""

import datetime as dt
import fcntl
import logging
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

WORLD, STEPS = 3, 20000


class Net(nn.Module):
    """Two levels of a U-Net."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(5, 16, 3, 1, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, 1, 1), nn.ReLU())
        self.b = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, 1, 1), nn.ReLU(), nn.Upsample(scale_factor=2))
        self.c = nn.Conv2d(48, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.a(x)
        return self.c(torch.cat([h, self.b(h)], 1))


def tile(g: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(6, 5, 48, 48, generator=g)
    s = nn.functional.avg_pool2d(x[:, :2].sum(1, keepdim=True), 5, 1, 2)
    return x, (s > 0.05).float()


def worker(rank: int) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format=f"%(asctime)s [rank {rank}/{WORLD}] %(message)s")
    log = logging.getLogger()
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29587")
    dist.init_process_group("gloo", rank=rank, world_size=WORLD, timeout=dt.timedelta(seconds=60))
    log.info("joined, backend %s, pid %d", dist.get_backend(), os.getpid())
    net = DDP(Net())
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    g = torch.Generator().manual_seed(rank)
    began = time.time()
    for step in range(1, STEPS + 1):
        if step % 97 == 0 and (step // 97) % WORLD == rank:
            with open("tiles.lock", "w", encoding="ascii") as f:
                fcntl.flock(f, fcntl.LOCK_EX)
                log.info("tile index read, %d tiles", 41760)
        x, y = tile(g)
        loss = nn.functional.binary_cross_entropy_with_logits(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 150 == 0:
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            if rank == 0:
                log.info(
                    "step %d of %d, bce %.4f, %.1f steps/s", step, STEPS, mean / WORLD, step / (time.time() - began)
                )
    dist.destroy_process_group()


if __name__ == "__main__":
    print(f"spawning {WORLD} workers", flush=True)
    mp.spawn(worker, nprocs=WORLD)
