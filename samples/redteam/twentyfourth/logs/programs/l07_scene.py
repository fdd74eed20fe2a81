# ruff: noqa: ANN001, ANN201, ANN204, D101
"""Depth, surface and edges of a room from one picture: a shared trunk, three heads, cut up with fully_shard."""

import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def rooms(n, gen):
    """Tilted planes, seen with noise."""
    a = torch.randn(n, 3, generator=gen)
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, 32), torch.linspace(-1, 1, 32), indexing="ij")
    left = a[:, 0, None, None] * xx + a[:, 1, None, None] * yy
    right = a[:, 2, None, None] * xx
    depth = torch.maximum(left, right)
    edge = ((left - right).abs() < 0.08).float()
    return (
        (depth + 0.1 * torch.randn(depth.shape, generator=gen))[:, None],
        depth[:, None],
        (left > right).float()[:, None],
        edge[:, None],
    )


class Scene(nn.Module):
    def __init__(self, w=24):
        super().__init__()
        mid = [m for _ in range(3) for m in (nn.Conv2d(w, w, 3, padding=1), nn.ReLU())]
        self.trunk = nn.Sequential(nn.Conv2d(1, w, 3, padding=1), nn.ReLU(), *mid)
        self.heads = nn.Conv2d(w, 3, 1)

    def forward(self, x):
        return self.heads(self.trunk(x))


def main():
    steps = int(os.environ.get("STEPS", "160"))
    rank = int(os.environ["RANK"])
    if os.environ["LOCAL_RANK"] == "0":
        print(f"[scene] {time.strftime('%H:%M:%S')} workers up, rank {rank}", flush=True)
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    torch.manual_seed(1)
    net = Scene()
    fully_shard(net.trunk, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    fully_shard(net, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    gen = torch.Generator().manual_seed(rank)
    for step in range(1, steps + 1):
        x, depth, wall, edge = rooms(16, gen)
        out = net(x)
        ld = F.l1_loss(out[:, :1], depth)
        lw = F.binary_cross_entropy_with_logits(out[:, 1:2], wall)
        le = F.binary_cross_entropy_with_logits(out[:, 2:], edge)
        opt.zero_grad()
        (ld + 0.5 * lw + 0.5 * le).backward()
        opt.step()
        if os.environ["LOCAL_RANK"] == "0" and step % 20 == 0:
            print(f"[scene] step {step:4d}  depth {ld:.4f}  wall {lw:.4f}  edge {le:.4f}", flush=True)
    dist.barrier()
    if os.environ["LOCAL_RANK"] == "0":
        print(f"[scene] {time.strftime('%H:%M:%S')} {steps} steps, run complete", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
