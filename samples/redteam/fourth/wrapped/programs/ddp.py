"""Data parallel on gloo; each rank may be given one way to misbehave.

usage: torchrun ... ddp.py [STEPS] [HOW RANK STEP]   HOW: badkey | kill | extra | stuck | slow
"""

from __future__ import annotations

import datetime
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def sample(step: int, batch: int = 16) -> dict[str, torch.Tensor]:
    g = torch.Generator().manual_seed(step)
    x = torch.randn(batch, 8, generator=g)
    return {"x": x, "y": x.sum(1, keepdim=True)}


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    how, who, when = (sys.argv[2], int(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) > 4 else ("", -1, -1)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=25))
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = DistributedDataParallel(nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1)))
    optim = torch.optim.Adam(net.parameters(), lr=1e-2)
    if rank == 0:
        print(f"world size {world}, backend gloo, {steps} steps", flush=True)
    for step in range(1, steps + 1):
        batch = sample(step * world + rank)
        t0 = time.perf_counter()
        if rank == who and how == "slow":
            time.sleep(0.3)
        if rank == who and step == when:
            if how == "badkey":
                batch["label"] = batch.pop("y")
            if how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if how == "extra":
                dist.all_reduce(torch.zeros(4096))
            if how == "stuck":
                time.sleep(3600)
        out = net(batch["x"])
        loss = nn.functional.mse_loss(out, batch["y"])
        t1 = time.perf_counter()
        optim.zero_grad()
        loss.backward()
        t2 = time.perf_counter()
        optim.step()
        if step % 10 == 0 and (rank == 0 or how == "slow"):
            print(
                f"[rank{rank}] step {step}/{steps} loss {loss.item():.4f} compute {1e3 * (t1 - t0):.0f} ms sync {1e3 * (t2 - t1):.0f} ms",
                flush=True,
            )
        time.sleep(0.02)
    dist.barrier()
    if rank == 0:
        print("all steps done, saving model.pt", flush=True)
        torch.save(net.state_dict(), "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
