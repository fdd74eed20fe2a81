"""Titles of cases of law over three processes; the sampler deals by length, and one gets all the long ones."""

from __future__ import annotations

import datetime
import logging
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

WORLD, STEPS = 3, 50


def work(rank: int) -> None:
    torch.set_num_threads(1)
    logging.basicConfig(format=f"%(asctime)s [rank{rank}] %(message)s", level=logging.INFO)
    log = logging.getLogger("lag")
    dist.init_process_group(
        "gloo", init_method="tcp://127.0.0.1:29583", rank=rank, world_size=WORLD, timeout=datetime.timedelta(minutes=10)
    )
    torch.manual_seed(0)
    embed, body, head = nn.Embedding(200, 48), nn.GRU(48, 96, batch_first=True), nn.Linear(96, 4)
    parameters = [*embed.parameters(), *body.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=3e-3)
    generator = torch.Generator().manual_seed(rank)
    length = [40, 48, 1400][rank]
    log.info("ready, pid group of %d", WORLD)
    for step in range(1, STEPS + 1):
        y = torch.randint(0, 4, (12,), generator=generator)
        x = torch.randint(0, 200, (12, length), generator=generator)
        mark = torch.rand(12, length, generator=generator) < 0.3
        x = torch.where(mark, y[:, None] * 50 + x % 50, x)
        began = time.perf_counter()
        out = body(embed(x))[0].mean(1)
        loss = nn.functional.cross_entropy(head(out), y)
        optimizer.zero_grad()
        loss.backward()
        worked = time.perf_counter()
        for p in parameters:
            dist.all_reduce(p.grad)
            p.grad /= WORLD
        waited = time.perf_counter()
        optimizer.step()
        log.info(
            "step %d/%d loss %.4f compute %.3fs sync %.3fs", step, STEPS, loss.item(), worked - began, waited - worked
        )
    dist.barrier()
    log.info("training complete")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, nprocs=WORLD)
