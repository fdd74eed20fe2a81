"""Hail in sweeps of a weather radar: a small segmenter over three processes."""

import datetime
import logging
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

RANK = int(os.environ["RANK"])
logging.basicConfig(
    level=logging.INFO, format=f"%(asctime)s | %(levelname)s | rank {RANK} | %(name)s | %(message)s", datefmt="%H:%M:%S"
)
log = logging.getLogger("hail")


def volume(number: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The sweeps of one volume, once the archive has staged it."""
    marker = Path("staged") / f"vol_{number:03d}.ok"
    while not marker.exists():
        log.debug("%s not there yet", marker)
        time.sleep(0.25)
    g = torch.Generator().manual_seed(number)
    x = torch.randn(640, 2, 32, 32, generator=g)
    y = (nn.functional.avg_pool2d(x, 5, 1, 2).sum(1, keepdim=True) > 0.35).float()
    return x, y


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=45))
    world = dist.get_world_size()
    net = nn.Sequential(
        nn.Conv2d(2, 12, 5, padding=2), nn.ReLU(), nn.Conv2d(12, 12, 5, padding=2), nn.ReLU(), nn.Conv2d(12, 1, 1)
    )
    net = DDP(net)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    log.info("process group of %d, %d parameters", world, sum(p.numel() for p in net.parameters()))
    step = 0
    for epoch in range(1, 9):
        for number in range(15 * (epoch - 1) + RANK, 15 * epoch, world):
            x, y = volume(number)
            log.info("epoch %d: volume %03d, %d sweeps", epoch, number, len(x))
            for k in range(0, len(x), 16):
                loss = nn.functional.binary_cross_entropy_with_logits(net(x[k : k + 16]), y[k : k + 16])
                opt.zero_grad()
                loss.backward()
                opt.step()
                step += 1
                if step % 10 == 0:
                    log.info("epoch %d step %d loss %.4f", epoch, step, loss.item())
        if RANK == 0:
            torch.save(net.module.state_dict(), "hail.pt")
            log.info("epoch %d saved to hail.pt", epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
