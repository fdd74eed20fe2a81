"""Yield of winter wheat from weekly weather, a small temporal convolution trained on two processes."""

import argparse
import logging
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger("wheat")


class Tower(nn.Module):
    """Three dilated convolutions over the weeks, then a head."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(channels, width, 3, padding=1),
            nn.GELU(),
            nn.Conv1d(width, width, 3, padding=2, dilation=2),
            nn.GELU(),
            nn.Conv1d(width, width, 3, padding=4, dilation=4),
            nn.GELU(),
        )
        self.head = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x).mean(-1)).squeeze(-1)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--table", default="fields.npz")
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--save", default="wheat.pt")
    a = p.parse_args()
    rank = int(os.environ["RANK"])
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s %(levelname)s [r{rank}] %(name)s: %(message)s")
    dist.init_process_group("gloo")
    torch.manual_seed(4)
    torch.set_num_threads(1)
    z = np.load(a.table)
    x, y = torch.from_numpy(z["weather"]), torch.from_numpy(z["tonnes"])
    mean, std = y.mean(), y.std()
    data = TensorDataset(x, (y - mean) / std)
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=a.batch, sampler=sampler, drop_last=True)
    net = DistributedDataParallel(Tower(x.shape[1], 96))
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
    log.info("fields %d, channels %d, weeks %d, steps per epoch %d", *x.shape, len(loader))
    step = 0
    for epoch in range(a.epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            loss = nn.functional.smooth_l1_loss(net(bx), by)
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
            if rank == 0 and step % 20 == 0:
                log.info("epoch %d step %d/%d loss %.4f", epoch, step, a.epochs * len(loader), loss.item())
        if rank == 0:
            torch.save({"net": net.module.state_dict(), "epoch": epoch}, a.save)
            log.info("epoch %d done, wrote %s", epoch, a.save)
    dist.destroy_process_group()
    if rank == 0:
        log.info("all %d epochs done", a.epochs)


if __name__ == "__main__":
    main()
