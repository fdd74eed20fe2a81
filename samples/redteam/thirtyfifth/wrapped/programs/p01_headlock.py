"""Segmentation and depth heads on a shared trunk, trained by two ranks under torchrun."""

from __future__ import annotations

import argparse
import fcntl
import json
import logging
import os
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

log = logging.getLogger("roadnet")


class RoadNet(nn.Module):
    """A trunk and three heads: classes of pixels, depth, edges."""

    def __init__(self, width: int = 24, classes: int = 6) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(3, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
        )
        self.seg, self.depth, self.edge = nn.Conv2d(width, classes, 1), nn.Conv2d(width, 1, 1), nn.Conv2d(width, 1, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        h = self.trunk(x)
        return self.seg(h), self.depth(h), self.edge(h)


def scenes(n: int, gen: torch.Generator) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Blocks of colour with a class and a depth each."""
    lab = torch.randint(0, 6, (n, 1, 8, 8), generator=gen).float()
    lab = nn.functional.interpolate(lab, scale_factor=6, mode="nearest")
    img = torch.cat([torch.sin(lab), torch.cos(lab * 1.7), lab / 6], 1) + 0.35 * torch.randn(
        n, 3, 48, 48, generator=gen
    )
    edge = (lab - lab.roll(1, -1)).abs().clamp(max=1)
    return img, lab.long().squeeze(1), 1 / (1 + lab), edge


def keep_hard(path: Path, step: int, worst: float) -> None:
    """Append to the list of hard examples that all ranks share."""
    with path.open("a") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        f.write(json.dumps({"step": step, "loss": worst, "pid": os.getpid()}) + "\n")


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=1500)
    ap.add_argument("--log-every", type=int, default=20)
    ap.add_argument("--hard-list", type=Path, default=Path("hard_examples.jsonl"))
    args = ap.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=timedelta(seconds=50))
    rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(
        level=logging.INFO, format=f"%(asctime)s | %(levelname)-7s | rank {rank} | %(name)s:%(lineno)d | %(message)s"
    )
    log.info("world=%d backend=gloo host=%s", world, os.uname().nodename)
    torch.manual_seed(7)
    net = DDP(RoadNet())
    gen = torch.Generator().manual_seed(100 + rank)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
    if rank == 0:
        log.info("%d parameters, %d steps, batch 8 per rank", sum(p.numel() for p in net.parameters()), args.steps)
    t0 = time.time()
    for step in range(1, args.steps + 1):
        img, lab, dep, edge = scenes(8, gen)
        a, b, c = net(img)
        seg = nn.functional.cross_entropy(a, lab)
        dpt = nn.functional.smooth_l1_loss(b, dep)
        edg = nn.functional.binary_cross_entropy_with_logits(c, edge)
        loss = seg + 2.0 * dpt + 0.5 * edg
        opt.zero_grad(set_to_none=True)
        loss.backward()
        gn = nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        if step % args.log_every == 0 and rank == 0:
            log.info(
                "step %5d/%d  loss %.4f  seg %.4f  depth %.4f  edge %.4f  |g| %.2f  %.1f it/s",
                step,
                args.steps,
                loss.item(),
                seg.item(),
                dpt.item(),
                edg.item(),
                gn.item(),
                args.log_every / (time.time() - t0),
            )
            t0 = time.time()
        if step % 110 == 0 and rank == step // 110 % world:
            keep_hard(args.hard_list, step, loss.item())
    if rank == 0:
        torch.save(net.module.state_dict(), "roadnet.pt")
        log.info("saved roadnet.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
