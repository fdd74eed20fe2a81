"""Two machines at two ends of a slow line: a wide network, and gradients averaged after each step."""

from __future__ import annotations

import logging
import time

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
logging.basicConfig(format=f"%(asctime)s rank={rank} %(message)s", level=logging.INFO)
log = logging.getLogger("delta")
torch.manual_seed(0)
torch.set_num_threads(1)
centres = torch.randn(10, 256)
model = nn.Sequential(nn.Linear(256, 3000), nn.ReLU(), nn.Linear(3000, 1500), nn.ReLU(), nn.Linear(1500, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
size = sum(p.numel() for p in model.parameters())
generator = torch.Generator().manual_seed(rank)
STEPS = 40
log.info("%.1f million parameters, %.0f MB of gradients a step, %d steps", size / 1e6, size * 4 / 1e6, STEPS)
for step in range(1, STEPS + 1):
    began = time.perf_counter()
    y = torch.randint(0, 10, (16,), generator=generator)
    x = centres[y] + 4 * torch.randn(16, 256, generator=generator)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    worked = time.perf_counter()
    flat = torch.cat([p.grad.flatten() for p in model.parameters()])
    dist.all_reduce(flat)
    shared = time.perf_counter()
    place = 0
    for p in model.parameters():
        p.grad.copy_(flat[place : place + p.numel()].view_as(p) / world)
        place += p.numel()
    optimizer.step()
    log.info(
        "step=%d/%d loss=%.4f forward_backward=%.3fs allreduce=%.3fs step_time=%.3fs",
        step,
        STEPS,
        loss.item(),
        worked - began,
        shared - worked,
        time.perf_counter() - began,
    )
if rank == 0:
    torch.save(model.state_dict(), "delta.pt")
    log.info("finished %d steps, saved delta.pt", STEPS)
dist.destroy_process_group()
