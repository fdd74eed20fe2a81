"""Viscosity of basalt melts from their oxides: a regression under DDP and torchrun; each rank logs to its file."""

from __future__ import annotations

import argparse
import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

log = logging.getLogger("basalt")


class Melt(nn.Module):
    """Oxide fractions and temperature to log viscosity."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.inp = nn.Linear(11, width)
        self.mid = nn.ModuleList([nn.Linear(width, width) for _ in range(5)])
        self.out = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.inp(x))
        for layer in self.mid:
            h = h + torch.nn.functional.leaky_relu(layer(h), 0.1)
        return self.out(h).squeeze(1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--warmup", type=int, default=1500)
    parser.add_argument("--lr", type=float, default=0.3)
    a = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(
        filename=f"basalt.rank{rank}.log",
        format="%(asctime)s %(levelname)-7s %(name)s: %(message)s",
        level=logging.INFO,
    )
    log.info("rank %d of %d, pid %d, torch %s, %s", rank, world, os.getpid(), torch.__version__, vars(a))
    torch.manual_seed(3)
    model = DDP(Melt())
    opt = torch.optim.Adam(model.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / a.warmup))
    torch.manual_seed(70 + rank)
    for step in range(1, a.steps + 1):
        x = torch.randn(256, 11)
        y = 2.5 - 1.2 * x[:, 0] + 0.6 * x[:, 1] * x[:, 2] + torch.sin(x[:, 10]) + 0.1 * torch.randn(256)
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        lr = sched.get_last_lr()[0]
        sched.step()
        if step % 50 == 0:
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            log.info("step %d/%d loss %.4f mean %.4f lr %.3e", step, a.steps, loss.item(), mean.item() / world, lr)
        if step % 500 == 0 and rank == 0:
            torch.save(model.module.state_dict(), f"basalt_{step}.pt")
            log.info("wrote basalt_%d.pt", step)
    log.info("training over after %d steps", a.steps)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
