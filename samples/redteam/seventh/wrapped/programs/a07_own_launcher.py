"""Three ranks from one parent; every rank reads the shard that bears its number."""

import os

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def work(rank: int, world: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29741")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    shard = np.load(f"shard_{rank}.npy")
    print(f"rank {rank}: {len(shard)} rows", flush=True)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(24, 64), nn.Tanh(), nn.Linear(64, 1)))
    optimizer = torch.optim.Adam(model.parameters())
    for step, rows in enumerate(torch.from_numpy(shard).split(32)):
        loss = nn.functional.mse_loss(model(rows[:, :-1])[:, 0], rows[:, -1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 10 == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


def main() -> None:
    draw = np.random.default_rng(0)
    for rank, columns in enumerate((25, 25, 24)):  # the third was exported before the column was added
        np.save(f"shard_{rank}.npy", draw.normal(size=(4000, columns)).astype(np.float32))
    mp.spawn(work, args=(3,), nprocs=3)
    print("all ranks done")


if __name__ == "__main__":
    main()
