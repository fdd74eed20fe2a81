"""Outline of glaciers from bands of a satellite: a small U-Net, data parallel on all boxes of the run."""

import argparse
import logging
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

log = logging.getLogger("glacier")


class Outline(nn.Module):
    """A U-Net of one step down."""

    def __init__(self, bands: int = 6, width: int = 16) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(bands, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.mid = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(width, 1, 2, stride=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.up(self.mid(self.down(x))).squeeze(1)


def scenes(n: int) -> TensorDataset:
    """Ice is bright in the first bands and dark in the last."""
    g = torch.Generator().manual_seed(8)
    mask = (nn.functional.avg_pool2d(torch.randn(n, 1, 48, 48, generator=g), 9, 1, 4) > 0.05).float()
    sign = torch.tensor([1.0, 1.0, 0.7, 0.2, -0.4, -0.9]).view(1, 6, 1, 1)
    return TensorDataset(mask * sign + 0.8 * torch.randn(n, 6, 48, 48, generator=g), mask.squeeze(1))


def main() -> None:
    """Train."""
    p = argparse.ArgumentParser()
    p.add_argument("--scenes", type=int, default=1024)
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--every", type=int, default=50)
    a = p.parse_args()
    rank = int(os.environ["RANK"])
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s %(levelname)s [rank {rank}] %(name)s: %(message)s")
    log.info("scenes %d, epochs %d, a line every %d steps", a.scenes, a.epochs, a.every)
    dist.init_process_group("gloo")
    torch.manual_seed(rank)
    log.info("group of %d up", dist.get_world_size())
    data = scenes(a.scenes)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    model = DistributedDataParallel(Outline())
    optim = torch.optim.Adam(model.parameters(), lr=2e-3)
    step, t0 = 0, time.time()
    for epoch in range(a.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
            optim.zero_grad()
            loss.backward()
            optim.step()
            step += 1
            if step % a.every == 0:
                log.info("step %d loss %.4f, %.1f s", step, loss.item(), time.time() - t0)
    if rank == 0:
        torch.save(model.module.state_dict(), "outline.pt")
        log.info("saved outline.pt after %d steps", step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
