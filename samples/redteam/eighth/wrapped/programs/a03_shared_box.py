"""An auto-encoder on two processes."""

from __future__ import annotations

import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main() -> None:
    """Train for as long as it takes."""
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(rank)
    net = DistributedDataParallel(nn.Sequential(nn.Linear(96, 24), nn.Tanh(), nn.Linear(24, 96)))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    basis = torch.randn(12, 96, generator=torch.Generator().manual_seed(7))
    for step in range(1, 4001):
        batch = torch.randn(64, 12) @ basis
        loss = nn.functional.mse_loss(net(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 10 == 0:
            print(f"step {step}/4000 loss {loss.item():.4f}", flush=True)
            if step == 120:
                Path("progress").write_text("step 120")
        time.sleep(0.03)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
