"""Drag of obstacles in a channel from meshes of very different size: DDP by mp.spawn over gloo."""

import datetime as dt
import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

WORLD, STEPS = 4, 180


class Node(nn.Module):
    """Message passing by neighbour averages, then a mean over the mesh."""

    def __init__(self, wide: int = 64) -> None:
        super().__init__()
        self.inp = nn.Linear(4, wide)
        self.mix = nn.ModuleList(nn.Linear(2 * wide, wide) for _ in range(3))
        self.out = nn.Linear(wide, 1)

    def forward(self, x: torch.Tensor, nb: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.inp(x))
        for m in self.mix:
            h = torch.relu(m(torch.cat([h, h[nb].mean(1)], 1)))
        return self.out(h).mean()


def worker(rank: int) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29641")
    dist.init_process_group("gloo", rank=rank, world_size=WORLD, timeout=dt.timedelta(minutes=10))
    net = DDP(Node())
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(100 + rank)
    # the list of meshes is sorted by size, and each rank takes a contiguous quarter
    lo, hi = [(600, 900), (900, 1400), (1400, 2200), (14000, 22000)][rank]
    print(
        f"rank {rank}: pid {os.getpid()}, host channel-{rank:02d}, shard {rank + 1} of {WORLD}, 60 meshes", flush=True
    )
    own, wait, seen, losses = 0.0, 0.0, 0, []
    for step in range(1, STEPS + 1):
        t = time.perf_counter()
        n = int(torch.randint(lo, hi, (1,), generator=g))
        x = torch.randn(n, 4, generator=g) + torch.randn(1, 4, generator=g)
        nb = (torch.arange(n)[:, None] + torch.randint(-20, 20, (n, 6), generator=g)) % n
        target = 0.6 * x[:, 0].mean() - 0.4 * x[:, 1].mean().abs() + 0.2 * (x[:, 2] * x[:, 3]).mean()
        with net.no_sync():
            loss = (net(x, nb) - target) ** 2
            loss.backward()
        own += time.perf_counter() - t
        t = time.perf_counter()
        flat = torch.cat([p.grad.flatten() for p in net.parameters()])
        dist.all_reduce(flat)
        torch.nn.utils.vector_to_parameters(flat / WORLD, (p.grad for p in net.parameters()))
        wait += time.perf_counter() - t
        opt.step()
        opt.zero_grad()
        seen += n
        losses.append(float(loss.detach()))
        if step % 20 == 0:
            print(
                f"step {step:4d}/{STEPS} rank {rank} loss {sum(losses) / len(losses):.4f}"
                f" compute {1e3 * own / 20:7.1f} ms allreduce {1e3 * wait / 20:7.1f} ms nodes {seen // 20}",
                flush=True,
            )
            own, wait, seen, losses = 0.0, 0.0, 0, []
        if step % 60 == 0 and rank == 0:
            torch.save(net.module.state_dict(), f"flow_{step}.pt")
    dist.barrier()
    if rank == 0:
        print("training finished, flow_180.pt written", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(worker, nprocs=WORLD)
