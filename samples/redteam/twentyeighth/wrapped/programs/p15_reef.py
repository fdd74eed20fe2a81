"""Segment coral from sand in made-up sonar tiles; two processes."""

import logging
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

RANK = int(os.environ["RANK"])
TOTAL, EVERY, KEEP = 3000, 400, 150
logging.basicConfig(
    level=logging.INFO if RANK == 0 else logging.WARNING,
    format=f"[%(asctime)s][%(name)s][rank{RANK}][%(levelname)s] - %(message)s",
)
log = logging.getLogger("reef.train")


def block(a: int, b: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(4, b), nn.SiLU())


class Net(nn.Module):
    """One level down, one level up."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = block(1, 16), block(16, 64), block(64, 64)
        self.d, self.out = block(80, 24), nn.Conv2d(24, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        b = self.c(self.b(nn.functional.max_pool2d(a, 2)))
        up = nn.functional.interpolate(b, scale_factor=2)
        return self.out(self.d(torch.cat([a, up], 1)))


def tiles(n: int, gen: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    coarse = torch.randn(n, 1, 4, 4, generator=gen)
    field = nn.functional.interpolate(coarse, size=24, mode="bicubic")
    mask = (field > 0.3).float()
    return mask * 0.9 + 0.5 * torch.randn(n, 1, 24, 24, generator=gen), mask


def save(net: DDP, opt: torch.optim.Optimizer, step: int, folder: Path) -> None:
    part = folder / f"step_{step:06d}.pt.part"
    with part.open("wb") as file:
        torch.save({"model": net.module.state_dict(), "optimizer": opt.state_dict(), "step": step}, file)
    part.rename(part.with_suffix(""))


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo")
    folder = Path("store")
    folder.mkdir(exist_ok=True)
    net = DDP(Net())
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(100 + RANK)
    count = sum(p.numel() for p in net.parameters())
    log.info("world %d, %d parameters, %d steps, snapshot every %d", dist.get_world_size(), count, TOTAL, KEEP)
    mean = 0.0
    for step in range(1, TOTAL + 1):
        x, y = tiles(4, gen)
        logit = net(x)
        loss = nn.functional.binary_cross_entropy_with_logits(logit, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        mean += loss.item()
        if step % EVERY == 0:
            iou = ((logit > 0) & (y > 0)).sum() / ((logit > 0) | (y > 0)).sum().clamp(min=1)
            log.info("step %d/%d  bce %.4f  iou %.3f", step, TOTAL, mean / EVERY, iou.item())
            mean = 0.0
        if step % KEEP == 0 and RANK == 0:
            save(net, opt, step, folder)
    dist.barrier()
    dist.destroy_process_group()
    log.info("finished")


if __name__ == "__main__":
    main()
