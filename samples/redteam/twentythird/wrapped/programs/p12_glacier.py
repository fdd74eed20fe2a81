"""Ice or rock, from tiles of aerial pictures."""

import argparse
import logging
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger("glacier")


def check(x: torch.Tensor) -> None:
    bad = x.isnan().flatten(1).any(1)
    if bad.any():
        raise ValueError(f"{int(bad.sum())} of {len(x)} tiles hold no-data pixels")


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--timeout", type=int, default=20)
    a = p.parse_args()
    dist.init_process_group("gloo", timeout=timedelta(seconds=a.timeout))
    rank = dist.get_rank()
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s,rank{rank},%(levelname)s,%(message)s")
    torch.manual_seed(0)
    x = torch.randn(4096, 3, 24, 24)
    y = (x[:, 0].mean((1, 2)) > 0).long()
    x[1717, 2, 5:9, 3:8] = float("nan")
    data = TensorDataset(x, y)
    sampler = DistributedSampler(data, shuffle=False)
    loader = DataLoader(data, a.batch_size, sampler=sampler)
    net = DistributedDataParallel(
        nn.Sequential(nn.Conv2d(3, 16, 5), nn.ReLU(), nn.AvgPool2d(20), nn.Flatten(), nn.Linear(16, 2))
    )
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    log.info("pid %d ready, %d batches an epoch", os.getpid(), len(loader))
    for epoch in range(a.epochs):
        for i, (images, labels) in enumerate(loader):
            try:
                check(images)
            except ValueError as error:
                log.warning("batch %d skipped: %s", i, error)
                continue
            loss = nn.functional.cross_entropy(net(images), labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if i % 8 == 0:
                log.info("epoch %d batch %d/%d loss %.4f", epoch, i, len(loader), loss)
        dist.barrier()
        if rank == 0:
            torch.save(net.module.state_dict(), "glacier.pt")
            log.info("epoch %d done, weights saved", epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
