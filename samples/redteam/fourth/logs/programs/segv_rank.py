"""Two ranks on gloo; the second one reads a null pointer in an extension. usage: torchrun --nproc-per-node 2 segv_rank.py."""

from __future__ import annotations

import ctypes

import torch
import torch.distributed as dist
from torch import nn


def main() -> None:
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    net = nn.parallel.DistributedDataParallel(nn.Linear(32, 1))
    optim = torch.optim.SGD(net.parameters(), lr=0.01)
    for step in range(1, 401):
        x = torch.randn(32, 32)
        loss = (net(x) - x[:, :1]).square().mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
        if dist.get_rank() == 0 and step % 20 == 0:
            print(f"step={step} loss={loss.item():.5f}", flush=True)
        if dist.get_rank() == 1 and step == 233:
            ctypes.string_at(0)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
