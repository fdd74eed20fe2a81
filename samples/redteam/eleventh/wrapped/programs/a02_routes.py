"""Next stop of a bus, on three ranks; the table of stops is of last year's timetable."""

from __future__ import annotations

import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(100 + rank)
STOPS = 500


class Next(nn.Module):
    """What comes after."""

    def __init__(self) -> None:
        super().__init__()
        self.stops = nn.Embedding(STOPS, 48)
        self.rnn = nn.GRU(48, 64, batch_first=True)
        self.out = nn.Linear(64, STOPS)

    def forward(self, trip: torch.Tensor) -> torch.Tensor:
        return self.out(self.rnn(self.stops(trip))[0])


def trips(step: int) -> torch.Tensor:
    """Buses go along a line, mostly by one stop; line 51 is new and longer than the table."""
    start = torch.randint(0, STOPS - 20, (24, 1))
    trip = start + torch.arange(12) + (torch.rand(24, 12) < 0.1).long().cumsum(1)
    if rank == 2 and step >= 171:
        trip[3] = STOPS - 4 + torch.arange(12)
    return trip


model = DistributedDataParallel(Next())
optim = torch.optim.Adam(model.parameters(), 4e-3)
began = time.time()
for step in range(400):
    batch = trips(step)
    logits = model(batch[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.12)
    if step % 10 == 0 and rank == 0:
        print(
            f"{time.time() - began:7.1f}s  it {step:4d}/400  loss {loss.item():.3f}  ({os.environ['WORLD_SIZE']} ranks)",
            flush=True,
        )
dist.destroy_process_group()
