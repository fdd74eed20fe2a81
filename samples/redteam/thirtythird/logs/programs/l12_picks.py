"""P and S picks on three-component seismograms: a 1-D U-shaped net, sharded over two processes by fully_shard."""

import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from tqdm import tqdm

torch.set_num_threads(1)


def traces(n: int, g: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Noise, then a P wave, then a stronger S wave; labels are the onsets as bumps."""
    t = torch.arange(256.0)
    p = 40 + 60 * torch.rand(n, 1, generator=g)
    s = p + 30 + 50 * torch.rand(n, 1, generator=g)
    wave = torch.sin(t * 0.9) * ((t > p).float() * torch.exp(-(t - p).clamp(min=0) / 30))
    wave = wave + 2 * torch.sin(t * 0.5) * ((t > s).float() * torch.exp(-(t - s).clamp(min=0) / 40))
    x = wave[:, None].repeat(1, 3, 1) + 0.3 * torch.randn(n, 3, 256, generator=g)
    return x, torch.stack([torch.exp(-((t - k) ** 2) / 18) for k in (p, s)], 1)


def block(a: int, b: int) -> nn.Sequential:
    """Convolution, norm, activation."""
    return nn.Sequential(nn.Conv1d(a, b, 7, padding=3), nn.GroupNorm(4, b), nn.GELU())


def main() -> None:
    """Trains epochs passes; each process reads its own list of days."""
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    torch.manual_seed(0)
    net = nn.Sequential(block(3, 32), block(32, 32), block(32, 32), nn.Conv1d(32, 2, 1))
    for part in net:
        fully_shard(part, mesh=mesh)
    fully_shard(net, mesh=mesh)
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    g = torch.Generator().manual_seed(100 + rank)
    days = [[120, 120], [120, 120], [120, 103]]  # the last list of days was split by hand
    for epoch, lists in enumerate(days):
        bar = tqdm(range(lists[rank]), desc=f"epoch {epoch}", disable=rank > 0, mininterval=0.5, file=sys.stderr)
        for _ in bar:
            x, y = traces(16, g)
            loss = nn.functional.binary_cross_entropy_with_logits(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bar.set_postfix(bce=f"{loss.item():.4f}", refresh=False)
        mark = Path(os.environ["PICKS"]) / f"epoch{epoch}.done"
        if rank == 0:
            mark.touch()
        while not mark.exists():
            time.sleep(0.2)


if __name__ == "__main__":
    main()
