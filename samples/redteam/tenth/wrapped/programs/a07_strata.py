"""A model whose weights and moments are kept in one file a rank; ``make`` writes what an earlier run left."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

HOME = Path("strata/step_0400")


def part(rank: int) -> Path:
    return HOME / f"state_{rank}_of_2.bin"


if sys.argv[1:] == ["make"]:
    HOME.mkdir(parents=True)
    for rank in range(2):
        torch.save({"model": nn.Linear(600, 600).state_dict(), "step": 400}, part(rank))
    os.truncate(part(1), 900_000)  # the copy from the old cluster was cut short
    sys.exit()
dist.init_process_group("gloo")
rank = dist.get_rank()
model = nn.Linear(600, 600)
optim = torch.optim.SGD(model.parameters(), 0.01)
print(f"[{rank}] resuming from {HOME}", flush=True)
state = torch.load(part(rank))
model.load_state_dict(state["model"])
print(f"[{rank}] resumed at step {state['step']}", flush=True)
dist.barrier()
for step in range(state["step"], 600):
    loss = model(torch.randn(16, 600)).pow(2).mean()
    optim.zero_grad()
    loss.backward()
    optim.step()
    if step % 20 == 0:
        print(f"[{rank}] step {step} loss {loss:.4f}", flush=True)
