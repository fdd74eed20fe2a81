"""Ranks documents for queries with Ignite on two ranks."""

import os
import time
from pathlib import Path

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from ignite.handlers import Timer


def held_back() -> Path:
    """A quota on one rank's processor time, as a mistaken unit file leaves it."""
    group = Path("/sys/fs/cgroup/cpu", f"unit_{os.getppid()}")
    group.mkdir(exist_ok=True)
    (group / "cpu.cfs_period_us").write_text("100000")
    (group / "cpu.cfs_quota_us").write_text("20000")
    (group / "cgroup.procs").write_text(str(os.getpid()))
    return group


def training(local_rank: int) -> None:
    rank = idist.get_rank()
    torch.set_num_threads(1)
    if rank == 0:
        held_back()
    torch.manual_seed(0)
    net = idist.auto_model(torch.nn.Sequential(torch.nn.Linear(600, 400), torch.nn.ReLU(), torch.nn.Linear(400, 400), torch.nn.ReLU(), torch.nn.Linear(400, 1)))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    wanted = torch.randn(600, 1, generator=torch.Generator().manual_seed(1)) / 25
    torch.manual_seed(rank)
    spent = {"forward": 0.0, "backward+allreduce": 0.0}

    def step(engine: Engine, batch: int) -> float:
        begun = time.perf_counter()
        net.train()
        x = torch.randn(1500, 600)
        loss = torch.nn.functional.mse_loss(net(x), x @ wanted)
        half = time.perf_counter()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        spent["forward"] += half - begun
        spent["backward+allreduce"] += time.perf_counter() - half
        return loss.item()

    trainer = Engine(step)
    timer = Timer(average=True)
    timer.attach(trainer, step=Events.ITERATION_COMPLETED)

    @trainer.on(Events.ITERATION_COMPLETED(every=10))
    def say(engine: Engine) -> None:
        parts = " ".join(f"{name} {value / 10:.3f}s" for name, value in spent.items())
        print(f"rank {rank} epoch {engine.state.epoch} iteration {engine.state.iteration} loss {engine.state.output:.4f} per iteration: {parts} cpu {time.process_time():.1f}s", flush=True)
        for name in spent:
            spent[name] = 0.0

    trainer.run(range(40), max_epochs=3)
    if rank == 0:
        print(f"done: {timer.value():.3f} s per iteration", flush=True)


if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2, master_port=29677) as parallel:
        parallel.run(training)
