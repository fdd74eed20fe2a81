"""Reef photographs (made up): one trunk, four heads, DDP with spawn."""

import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

STEPS, EVERY, BATCH = 4000, 20, 64


class Reef(nn.Module):
    """Depth, cover, genus and bleaching from one 48-number descriptor."""

    def __init__(self) -> None:
        """Build trunk and heads."""
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(48, 256), nn.GELU(), nn.Linear(256, 256), nn.GELU())
        self.depth, self.cover = nn.Linear(256, 1), nn.Linear(256, 1)
        self.genus, self.bleach = nn.Linear(256, 9), nn.Linear(256, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """All four at once."""
        h = self.trunk(x)
        return self.depth(h)[:, 0], self.cover(h)[:, 0], self.genus(h), self.bleach(h)[:, 0]


def draw(g: torch.Generator, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """One batch with its four answers."""
    x = torch.randn(BATCH, 48, generator=g)
    z = torch.tanh(x @ w)
    depth = z[:, 0] + 0.1 * torch.randn(BATCH, generator=g)
    cover = (z[:, 1] * z[:, 2]).sigmoid()
    return x, depth, cover, z[:, 3:12].argmax(1), (z[:, 12] > 0).float()


def worker(rank: int, world: int) -> None:
    """One process."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29653")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(21)
    w = torch.randn(48, 13) / 5
    net = DDP(Reef())
    opt = torch.optim.AdamW(net.parameters(), lr=6e-4)
    g = torch.Generator().manual_seed(100 + rank)
    if rank == 0:
        n = sum(p.numel() for p in net.parameters())
        print(f"[{time.strftime('%H:%M:%S')}] {world} ranks on gloo, {n} parameters, {STEPS} steps", flush=True)
    t0, sums = time.time(), torch.zeros(5)
    for step in range(1, STEPS + 1):
        x, depth, cover, genus, bleach = draw(g, w)
        d, c, k, b = net(x)
        parts = [
            nn.functional.smooth_l1_loss(d, depth),
            4 * nn.functional.mse_loss(c, cover),
            nn.functional.cross_entropy(k, genus),
            nn.functional.binary_cross_entropy_with_logits(b, bleach),
        ]
        total = sum(parts)
        opt.zero_grad()
        total.backward()
        opt.step()
        time.sleep(0.03)
        sums += torch.stack([*parts, total]).detach()
        if step % EVERY == 0 and rank == 0:
            s = (sums / EVERY).tolist()
            ms = 1000 * (time.time() - t0) / EVERY
            print(
                f"[{time.strftime('%H:%M:%S')}] step {step}/{STEPS} | depth {s[0]:.4f} cover {s[1]:.4f} "
                f"genus {s[2]:.4f} bleach {s[3]:.4f} | total {s[4]:.4f} | {ms:.1f} ms/step",
                flush=True,
            )
            t0, sums = time.time(), torch.zeros(5)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(worker, args=(2,), nprocs=2)
