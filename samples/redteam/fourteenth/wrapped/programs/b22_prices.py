"""House prices from districts and months; two ranks by spawn."""

import argparse
import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP


def run(rank: int, world: int, rows: int, months: int) -> None:
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29722")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(11)
    season = torch.nn.Embedding(12, 8)
    net = DDP(
        torch.nn.ModuleDict(
            {
                "season": season,
                "head": torch.nn.Sequential(torch.nn.Linear(14, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)),
            }
        ).requires_grad_(True)
    )
    parts = net.module
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    torch.manual_seed(rank)
    month, place = torch.randint(0, months, (rows,)), torch.randn(rows, 6)
    price = (place[:, :1] * 2 + torch.sin(month[:, None] / 2.0)).detach()
    for step in range(20000):
        pick = torch.randint(0, rows, (128,))
        guess = parts["head"](torch.cat([parts["season"](month[pick]), place[pick]], 1))
        loss = torch.nn.functional.mse_loss(guess, price[pick])
        optimizer.zero_grad()
        loss.backward()
        for parameter in net.parameters():
            dist.all_reduce(parameter.grad)
            parameter.grad /= world
        optimizer.step()
        if rank == 0 and step % 40 == 0:
            print(f"step {step:5d}/20000 mse {loss.item():.4f}", flush=True)
        time.sleep(0.03)


if __name__ == "__main__":
    args = argparse.ArgumentParser()
    args.add_argument("--rows", type=int)
    args.add_argument("--months", type=int)
    args = args.parse_args()
    mp.spawn(run, (2, args.rows, args.months), 2)
