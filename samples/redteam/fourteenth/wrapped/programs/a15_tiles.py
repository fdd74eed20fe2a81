"""Land use from tiles: two ranks by spawn."""

import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP


def train(rank: int, world: int) -> None:
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", "29655"
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(rank)
    kernel = torch.randn(1, 3, 5, 5, generator=torch.Generator().manual_seed(9))
    net = DDP(
        torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 5),
            torch.nn.ReLU(),
            torch.nn.AdaptiveAvgPool2d(1),
            torch.nn.Flatten(),
            torch.nn.Linear(16, 2),
        )
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    for step in range(100000):
        tiles = torch.randn(32, 3, 24, 24)
        use = (torch.relu(torch.nn.functional.conv2d(tiles, kernel)).mean((1, 2, 3)) > 3.42).long()
        loss = torch.nn.functional.cross_entropy(net(tiles), use)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0 and rank == 0:
            print(f"{time.strftime('%H:%M:%S')} step {step}/100000 loss {loss.item():.4f}", flush=True)
        if rank == 0 and step % 100 == 99:
            torch.save(net.state_dict(), "tiles.pt")
        time.sleep(0.05)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(train, args=(2,), nprocs=2, join=True)
