"""Faults of knitwear by camera: which of five stitches is wrong; data parallel."""

import argparse
import logging
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
from tqdm import tqdm

logger = logging.getLogger("stitch")


def cloth(n: int, seed: int) -> TensorDataset:
    """Patches of 28 by 28 with a weave; the fault changes its period or direction."""
    g = torch.Generator().manual_seed(seed)
    kind = torch.randint(5, (n,), generator=g)
    r, c = torch.meshgrid(torch.arange(28.0), torch.arange(28.0), indexing="ij")
    angle = kind.float() * 0.5
    wave = torch.sin(r * angle.cos()[:, None, None] + c * angle.sin()[:, None, None])
    return TensorDataset((wave + 3.2 * torch.randn(n, 28, 28, generator=g)).unsqueeze(1), kind)


def main() -> None:
    """Train on all ranks, look at the held-out patches on rank 0."""
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--patches", type=int, default=6000)
    a = p.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(
        level=logging.INFO if rank == 0 else logging.WARNING,
        format="%(asctime)s - %(levelname)s - %(name)s - %(message)s",
        stream=sys.stdout,
    )
    torch.manual_seed(21)
    logger.info("world %d, %s, %d patches, %d epochs", world, os.uname().nodename, a.patches, a.epochs)
    train, held = cloth(a.patches, 1), cloth(1200, 2)
    sampler = DistributedSampler(train, seed=3)
    loader = DataLoader(train, 32, sampler=sampler)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(800, 5),
    )  # fmt: skip
    model = DistributedDataParallel(net)
    optim = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(1, a.epochs + 1):
        sampler.set_epoch(epoch)
        model.train()
        bar = tqdm(loader, desc=f"epoch {epoch}/{a.epochs}", disable=rank != 0, mininterval=0.5, ncols=100)
        total = 0.0
        for n, (x, y) in enumerate(bar, 1):
            loss = nn.functional.cross_entropy(model(x), y)
            optim.zero_grad(set_to_none=True)
            loss.backward()
            optim.step()
            total += loss.item()
            bar.set_postfix(loss=f"{total / n:.4f}")
        if rank == 0:
            model.eval()
            right = 0
            with torch.no_grad():
                for x, y in tqdm(DataLoader(held, 100), desc="held out", leave=False, ncols=100):
                    right += int((net(x).argmax(1) == y).sum())
            tqdm.write(f"held out accuracy {right / len(held):.4f}", file=sys.stderr)
        dist.barrier()
    if rank == 0:
        torch.save(net.state_dict(), "stitch.pt")
        logger.info("weights in stitch.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
