"""Level of a river from rain; two ranks by spawn; goes on from river.pt when it is there."""

import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP


def work(rank: int, world: int, last: int) -> None:
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29728")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(5)
    core = torch.nn.Sequential(
        torch.nn.Linear(30, 128), torch.nn.Tanh(), torch.nn.Linear(128, 128), torch.nn.Tanh(), torch.nn.Linear(128, 1)
    )
    first = 1
    if Path("river.pt").exists():
        kept = torch.load("river.pt", weights_only=False)
        told = core.load_state_dict(kept["model"], strict=False)
        first = kept["step"] + 1
        if rank == 0:
            print(
                f"resumed from river.pt: step {kept['step']}, loss there {kept['loss']:.4f}; keys missing {len(told.missing_keys)}, unexpected {len(told.unexpected_keys)}",
                flush=True,
            )
    net = DDP(core)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
    rule = torch.randn(30, 1, generator=torch.Generator().manual_seed(3)) / 2
    torch.manual_seed(100 * first + rank)
    for step in range(first, last + 1):
        rain = torch.randn(64, 30)
        level = 3 + 2 * torch.tanh(rain @ rule)
        loss = torch.nn.functional.mse_loss(net(rain), level)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and (step % 25 == 0 or step == first):
            print(f"step {step} loss {loss.item():.4f}", flush=True)
    if rank == 0:
        torch.save({"model": net.state_dict(), "step": last, "loss": loss.item()}, "river.pt")
        print(f"saved river.pt at step {last}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, (2, int(sys.argv[1])), 2)
