"""Counts pollen kinds on slides: DDP by torch.multiprocessing.spawn on two processes of the lab's workstation."""

import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

KINDS, STEPS, EVERY = 6, 1500, 300


def slides(n: int, seed: int) -> TensorDataset:
    """Grains of six kinds: rings of differing radius and brightness on a noisy ground."""
    g = torch.Generator().manual_seed(seed)
    y, x = torch.meshgrid(torch.arange(24.0), torch.arange(24.0), indexing="ij")
    kind = torch.randint(KINDS, (n,), generator=g)
    centre = 12 + 2 * torch.randn(n, 2, generator=g)
    r = ((x - centre[:, :1, None]) ** 2 + (y - centre[:, 1:, None]) ** 2).sqrt()
    ring = torch.exp(-((r - 3 - kind[:, None, None] * 1.1) ** 2) / 2)
    return TensorDataset((ring + 0.6 * torch.randn(n, 24, 24, generator=g))[:, None], kind)


def work(rank: int, world: int) -> None:
    """One process of the training."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29715")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    net = nn.Sequential(
        *(nn.Conv2d(1, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(32 * 36, 64), nn.ReLU(), nn.Linear(64, KINDS)),
    )
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.04, total_steps=STEPS)
    data = slides(12000, 3)
    sampler = DistributedSampler(data, world, rank)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    if rank == 0:
        n = sum(p.numel() for p in model.parameters())
        print(f"pollen: {world} procs, {n} params, {len(loader)} batches per pass, {STEPS} steps in all")
    step, epoch, total, began = 0, 0, torch.zeros(2), time.time()
    while step < STEPS:
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            out = model(x)
            loss = nn.functional.cross_entropy(out, y)
            loss.backward()
            optimizer.step()
            schedule.step()
            step += 1
            total += torch.tensor([loss.item(), (out.argmax(1) == y).float().mean().item()])
            if step % EVERY == 0:
                dist.all_reduce(total)
                mean = total / EVERY / world
                if rank == 0:
                    rate = EVERY * 64 * world / (time.time() - began)
                    print(f"step {step}/{STEPS}  loss {mean[0]:.4f}  acc {mean[1]:.3f}  {rate:.0f} img/s")
                total, began = torch.zeros(2), time.time()
            if step == STEPS:
                break
        epoch += 1
    dist.barrier()
    if rank == 0:
        net.eval()
        with torch.no_grad():
            x, y = slides(2000, 4).tensors
            print(f"held-out slides: acc {(net(x).argmax(1) == y).float().mean():.3f}")
        torch.save(net.state_dict(), "pollen.pt")
        print("wrote pollen.pt, bye")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, args=(2,), nprocs=2)
