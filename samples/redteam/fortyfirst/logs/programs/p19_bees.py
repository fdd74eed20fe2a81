"""Hive sound classes, DDP over spawned processes on one node."""

import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

WORLD, EPOCHS = 2, 8


def hive(n: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 4, (n,), generator=g)
    mel = torch.randn(n, 1, 24, 32, generator=g)
    for k in range(4):
        mel[y == k, :, 4 * k : 4 * k + 6] += 0.42
    return TensorDataset(mel, y)


def kv(**fields: object) -> None:
    print("ts=" + time.strftime("%Y-%m-%dT%H:%M:%S"), *(f"{k}={v}" for k, v in fields.items()), flush=True)


def work(rank: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ.get("PORT", "29871"))
    torch.set_num_threads(1)
    torch.manual_seed(2)
    dist.init_process_group("gloo", rank=rank, world_size=WORLD)
    kv(event=f"joined rank={rank} world={WORLD} pid={os.getpid()}")
    train, test = hive(5600, 3), hive(800, 4)
    sampler = DistributedSampler(train, WORLD, rank, seed=6)
    loader = DataLoader(train, 28, sampler=sampler)
    net = DistributedDataParallel(
        nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Dropout(0.3),
            nn.Linear(32 * 48, 4),
        )
    )
    opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9, weight_decay=2e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
    for epoch in range(1, EPOCHS + 1):
        t0 = time.time()
        sampler.set_epoch(epoch)
        net.train()
        for it, (x, y) in enumerate(loader, 1):
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if it % 25 == 0 and rank == 0:
                kv(
                    epoch=epoch,
                    it=f"{it}/{len(loader)}",
                    loss=f"{loss.item():.4f}",
                    lr=f"{opt.param_groups[0]['lr']:.5f}",
                    ex_s=f"{it * 28 * WORLD / (time.time() - t0):.0f}",
                )
        sched.step()
        net.eval()
        x, y = (z[rank::WORLD] for z in test.tensors)
        with torch.no_grad():
            out = net.module(x)
            stats = torch.stack([nn.functional.cross_entropy(out, y, reduction="sum"), (out.argmax(1) == y).sum()])
        dist.all_reduce(stats)
        if rank == 0:
            kv(
                epoch=epoch,
                val_loss=f"{stats[0] / 800:.4f}",
                val_acc=f"{stats[1] / 800:.4f}",
                secs=f"{time.time() - t0:.1f}",
            )
            torch.save(net.module.state_dict(), "hive_last.pt")
    dist.barrier()
    kv(event=f"leaving rank={rank}")
    dist.destroy_process_group()


if __name__ == "__main__":
    kv(event="spawn", nprocs=WORLD, epochs=EPOCHS)
    mp.spawn(work, nprocs=WORLD)
    kv(event="finished", weights="hive_last.pt", bytes=os.path.getsize("hive_last.pt"))
