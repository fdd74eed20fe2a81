"""Land cover by patches of a map: every rank has its own strata, and averages gradients with the others."""

from __future__ import annotations

import datetime
import logging

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40))
rank, world = dist.get_rank(), dist.get_world_size()
logging.basicConfig(format=f"[%(asctime)s][rank {rank}] %(message)s", level=logging.INFO)
log = logging.getLogger("strata")
torch.manual_seed(0)
torch.set_num_threads(1)
centres = torch.randn(9, 3, 16, 16)
# every rank balances its strata by itself, so the number of batches is its own
sizes = [2576, 2564, 2310]
generator = torch.Generator().manual_seed(rank)
y = torch.randint(0, 9, (sizes[rank],), generator=generator)
x = centres[y] + 8 * torch.randn(sizes[rank], 3, 16, 16, generator=generator)
model = nn.Sequential(
    nn.Conv2d(3, 24, 3), nn.ReLU(), nn.Conv2d(24, 24, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(9)
)
model(x[:2])
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
batches = -(-len(y) // 32)
log.info("%d patches, %d batches an epoch", len(y), batches)


def average() -> None:
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= world


for epoch in range(1, 7):
    for number, part in enumerate(torch.randperm(len(y), generator=generator).split(32)):
        loss = nn.functional.cross_entropy(model(x[part]), y[part])
        optimizer.zero_grad()
        loss.backward()
        average()
        optimizer.step()
        if number % 10 == 0:
            log.info("epoch %d batch %d/%d loss %.4f", epoch, number, batches, loss.item())
    log.info("epoch %d done, evaluating", epoch)
    with torch.no_grad():
        right = (model(x).argmax(1) == y).float().mean()
    log.info("epoch %d accuracy of own strata %.3f, waiting for the others", epoch, right)
    dist.barrier()
dist.destroy_process_group()
