"""Train a forecaster over several machines with sharded optimizer states."""
# ruff: noqa

import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20000)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = DDP(nn.Sequential(nn.Linear(96, 512), nn.GELU(), nn.Linear(512, 24)))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-3)
    if rank == 0:
        print("world", dist.get_world_size(), "host", os.uname().nodename, flush=True)
    for step in range(args.steps):
        x = torch.randn(64, 96)
        loss = nn.functional.mse_loss(model(x), x[:, :24])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 100 == 0:
            print(f"step {step} loss {loss.item():.5f}", flush=True)


if __name__ == "__main__":
    main()
