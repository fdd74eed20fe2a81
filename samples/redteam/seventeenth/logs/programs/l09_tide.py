"""Tide heights with ignite over gloo, one process a task of Slurm."""

from __future__ import annotations

import os
import time

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from torch import nn

torch.set_num_threads(1)
os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29731"}
idist.initialize("gloo")
rank = idist.get_rank()
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.SGD(model.parameters(), 0.05)
gen = torch.Generator().manual_seed(rank)
# stations' histories are of different lengths; the list was cut into equal counts of stations
LENGTH = {0: 300, 1: 320, 2: 40000}[rank]


def harmonics(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Fit each station's harmonics from its whole history."""
    rows, heights = [], []
    for _ in range(count):
        phase = torch.rand(1, generator=gen) * 6.28
        t = torch.arange(LENGTH) / 12.4
        level = torch.sin(t + phase) + 0.3 * torch.sin(2 * t) + 0.05 * torch.randn(LENGTH, generator=gen)
        basis = torch.stack([f(k * t) for k in range(1, 17) for f in (torch.sin, torch.cos)])
        rows.append((basis @ level) / LENGTH * 2)
        heights.append(torch.sin(phase + 1.0))
    return torch.stack(rows), torch.stack(heights)


def step(engine: Engine, _: int) -> dict[str, float]:
    """One step, timed in its two halves."""
    began = time.perf_counter()
    x, y = harmonics(48)
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    own = time.perf_counter()
    for p in model.parameters():
        p.grad = idist.all_reduce(p.grad) / idist.get_world_size()
    opt.step()
    return {"loss": loss.item(), "own": own - began, "others": time.perf_counter() - own}


trainer = Engine(step)


@trainer.on(Events.ITERATION_COMPLETED(every=10))
def report(engine: Engine) -> None:
    """Say how it goes on this rank."""
    o = engine.state.output
    print(
        f"rank {rank} iter {engine.state.iteration}: loss {o['loss']:.4f},"
        f" fwd+bwd {o['own'] * 1e3:.0f} ms, allreduce {o['others'] * 1e3:.0f} ms",
        flush=True,
    )


trainer.run(range(30), max_epochs=2)
if rank == 0:
    print("finished 60 iterations", flush=True)
idist.finalize()
