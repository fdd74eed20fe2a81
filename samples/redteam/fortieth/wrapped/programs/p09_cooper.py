"""Four ranks of Lightning's Fabric over gloo; gradients are averaged by hand so that the two parts can be timed."""

import os
import time

import torch
from lightning.fabric import Fabric
from torch import nn

torch.set_num_threads(1)
UPDATES, EVERY = 90, 6
fabric = Fabric(accelerator="cpu", devices=4, strategy="ddp")
fabric.launch()
fabric.seed_everything(91)
rank = fabric.global_rank
# edge of the pictures as each cooperage delivered them
side = {0: 26, 1: 24, 2: 26, 3: 118}[rank]


class Grader(nn.Module):
    """Grade of a stave from its picture, of any size."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 12, 5, padding=2), nn.ReLU(), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU())
        self.head = nn.Linear(24, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits."""
        return self.head(self.body(x).mean((2, 3)))


grader = Grader()
net, opt = fabric.setup(grader, torch.optim.Adam(grader.parameters(), lr=4e-3))
gen = torch.Generator().manual_seed(1000 + rank)
print(f"rank {rank} pid {os.getpid()} pictures {side}x{side}", flush=True)
fabric.barrier()
t_work = t_wait = tot = 0.0
begin = time.time()
for u in range(1, UPDATES + 1):
    t0 = time.perf_counter()
    y = torch.randint(0, 4, (24,), generator=gen)
    grid = torch.linspace(0, 1, side)
    wave = torch.sin(grid[None, :] * side * (0.35 + 0.4 * y[:, None]) + torch.rand(24, 1, generator=gen) * 6)
    x = wave[:, None, :, None] + 0.9 * torch.randn(24, 1, side, side, generator=gen)
    with fabric.no_backward_sync(net):
        loss = nn.functional.cross_entropy(net(x), y)
        fabric.backward(loss)
    t1 = time.perf_counter()
    for p in net.parameters():
        p.grad = fabric.all_reduce(p.grad, reduce_op="mean")
    t2 = time.perf_counter()
    opt.step()
    opt.zero_grad()
    t_work, t_wait, tot = t_work + t1 - t0, t_wait + t2 - t1, tot + loss.item()
    if u % EVERY == 0:
        row = fabric.all_gather(torch.tensor([t_work, t_wait, tot]) / EVERY)
        if rank == 0:
            print(
                f"update {u:4d}/{UPDATES} loss {row[:, 2].mean():.4f} "
                f"compute s/update by rank [{' '.join(f'{v:.3f}' for v in row[:, 0].tolist())}] "
                f"all_reduce s/update by rank [{' '.join(f'{v:.3f}' for v in row[:, 1].tolist())}]",
                flush=True,
            )
        t_work = t_wait = tot = 0.0
fabric.barrier()
fabric.print(f"{UPDATES} updates, {time.time() - begin:.1f} s, {UPDATES * 96 / (time.time() - begin):.0f} pictures/s")
fabric.save("cooper.ckpt", {"net": net})
